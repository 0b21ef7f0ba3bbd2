// SPDX-License-Identifier: MIT
import type { AuthorityRow } from '../../acme/authority-store.ts'
import type { CertificateAuthority } from './schema.ts'

export const viewAuthority = (
  row: AuthorityRow,
  { usedBy, nowMs }: { usedBy: number; nowMs: number },
): CertificateAuthority => {
  const isHeld = row.held_until_ms > nowMs
  const isRegistered = row.account_url !== null
  return {
    name: row.name,
    directoryUrl: row.directory_url,
    contact: JSON.parse(row.contact),
    trustedRoots: row.trusted_roots !== null,
    externalAccountKeyId: row.eab_key_id,
    state: isHeld ? 'held' : isRegistered ? 'ready' : 'unregistered',
    heldUntil: isHeld ? new Date(row.held_until_ms).toISOString() : null,
    failures: row.failures,
    lastError: row.last_error,
    usedBy,
    createdAt: new Date(row.created_at_ms).toISOString(),
    createdBy: row.created_by,
  }
}

/** What events tell of it: no secret is in it. */
export const toldOf = (row: AuthorityRow): Record<string, unknown> => ({
  directoryUrl: row.directory_url,
  contact: JSON.parse(row.contact),
  trustedRoots: row.trusted_roots !== null,
  externalAccountKeyId: row.eab_key_id,
})
