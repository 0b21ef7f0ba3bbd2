// SPDX-License-Identifier: MIT
// Is a node listened to? Pure.
import { type CertificateRow, isGood } from '../../node-identity/certificates.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'
import type { IdentityState } from './rules.ts'

/** null: it does not end by itself. */
export type KnownIdentity = { state: 'good' | 'revoked'; notAfterMs: number | null }
type Known = { certificate: CertificateRow | undefined; isTls: boolean }

/** One that was made for the other transport is worth nothing here. */
export function identityOf(
  { credential_digest: secret }: Pick<NodeRow, 'credential_digest'>,
  { certificate, isTls }: Known,
): KnownIdentity {
  if (secret !== null) return { state: isTls ? 'revoked' : 'good', notAfterMs: null }
  if (!certificate || !isGood(certificate) || !isTls) return { state: 'revoked', notAfterMs: null }
  return { state: 'good', notAfterMs: certificate.not_after_ms }
}

export const identityNow = ({ state, notAfterMs }: KnownIdentity, nowMs: number): IdentityState =>
  notAfterMs !== null && notAfterMs <= nowMs ? 'expired' : state
