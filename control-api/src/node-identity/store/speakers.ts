// SPDX-License-Identifier: MIT
// Who may speak for a node: what it is known by, and which of the processes that hold that is the node.
import type { Reader, Trx } from '../../db/database.ts'
import { SPEAKS_BY } from '../../db/node-writes.ts'
import type { Clone, Standing } from '../clones.ts'
import { revokeCertificates, revokeUnused } from './certificates.ts'

/** Looked up for every message of a node. Not of a decommissioned one. */
const speakers = (db: Reader) =>
  db.selectFrom('nodes').select(SPEAKS_BY).where('decommissioned_at_ms', 'is', null)
export type SpeakerRow = NonNullable<Awaited<ReturnType<typeof speakerById>>>

export const speakerById = (db: Reader, id: string) =>
  speakers(db).where('id', '=', id).executeTakeFirst()

export const speakerByCredential = (db: Reader, digest: string) =>
  speakers(db).where('credential_digest', '=', digest).executeTakeFirst()

/** The node this token made with this key, as long as that certificate is still good. */
export async function nodeOfKey(
  db: Reader,
  { tokenId, keySha256 }: { tokenId: string; keySha256: string },
): Promise<string | null> {
  const row = await db
    .selectFrom('node_certificates as c')
    .innerJoin('nodes as n', 'n.id', 'c.node_id')
    .select('n.id')
    .where('c.key_sha256', '=', keySha256)
    .where('c.state', 'in', ['issued', 'active'])
    .where('n.enrolled_with', '=', tokenId)
    .where('n.decommissioned_at_ms', 'is', null)
    .executeTakeFirst()
  return row?.id ?? null
}

/** What the node was known by until now is over; whoever spoke for it must say hello anew. */
export async function endIdentity(
  trx: Trx,
  id: string,
  { credentialDigest = null }: { credentialDigest?: string | null } = {},
): Promise<void> {
  await revokeCertificates(trx, [id])
  await trx
    .updateTable('nodes')
    .set({
      credential_digest: credentialDigest,
      incarnation: null,
      past_incarnations: '[]',
      clone: null,
      ca_bundle: null,
    })
    .where('id', '=', id)
    .execute()
}

export async function setStanding(trx: Trx, id: string, standing: Standing): Promise<void> {
  await trx
    .updateTable('nodes')
    .set({
      incarnation: standing.current,
      past_incarnations: JSON.stringify(standing.past),
      clone: standing.clone && JSON.stringify(standing.clone),
    })
    .where('id', '=', id)
    .execute()
}

/** What was issued before the decision may be in the other's hands. */
export async function decideClone(trx: Trx, id: string, clone: Clone): Promise<void> {
  await revokeUnused(trx, id)
  await trx
    .updateTable('nodes')
    .set({ clone: JSON.stringify(clone), incarnation: null })
    .where('id', '=', id)
    .execute()
}

export async function endClone(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('nodes').set({ clone: null }).where('id', '=', id).execute()
}

/** The list of CAs it was told, as a digest. */
export async function setCaBundle(trx: Trx, id: string, digest: string): Promise<void> {
  await trx.updateTable('nodes').set({ ca_bundle: digest }).where('id', '=', id).execute()
}
