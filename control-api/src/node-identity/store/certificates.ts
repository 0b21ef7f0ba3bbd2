// SPDX-License-Identifier: MIT
// The certificates nodes were given. A node may hold two that are good: the one it uses, and one it was
// just given; using the newer ends the older.
import type { X509Certificate } from 'node:crypto'
import type { Unit } from '../../audit/write.ts'
import { sha256 as sha256Of } from '../../base/ids.ts'
import { NODE_LIFE_MS, type NodeCertificate } from '../../ca/x509.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { eachOf } from '../../db/each-of.ts'
import { type CertificateRow, isGood } from '../certificates.ts'

/** What was replaced is kept this long after its end, for a refusal that says what happened. */
const KEPT_MS = 90 * 24 * 3600 * 1000
/** Answers that may all have been lost. */
const MAX_UNUSED = 8

export async function storeCertificate(
  trx: Trx,
  { nodeId, made, nowMs }: { nodeId: string; made: NodeCertificate; nowMs: number },
): Promise<void> {
  await trx
    .deleteFrom('node_certificates')
    .where('node_id', '=', nodeId)
    .where('state', '!=', 'active')
    .where('not_after_ms', '<', nowMs - KEPT_MS)
    .execute()
  const unused = await trx
    .selectFrom('node_certificates')
    .select('sha256')
    .where('node_id', '=', nodeId)
    .where('state', '=', 'issued')
    .orderBy('issued_at_ms', 'desc')
    .offset(MAX_UNUSED - 1)
    .limit(MAX_UNUSED)
    .execute()
  const forgotten = unused.map((row) => row.sha256)
  await trx.deleteFrom('node_certificates').where('sha256', 'in', forgotten).execute()
  await trx
    .insertInto('node_certificates')
    .values({
      sha256: made.sha256,
      node_id: nodeId,
      serial: made.serial,
      key_sha256: made.keySha256,
      ca_sha256: made.caSha256,
      state: 'issued',
      issued_at_ms: nowMs,
      not_after_ms: made.notAfterMs,
    })
    .execute()
}

type Unrecorded = { certificate: X509Certificate; sha256: string; caSha256: string }

/**
 * One of ours that the database does not know is younger than the database: an old one was restored.
 * Then it must be younger than all that the node is known to have had; else it was forgotten for a reason.
 */
export async function recordFound(
  { trx, emit }: Unit,
  { certificate, sha256, caSha256 }: Unrecorded,
): Promise<CertificateRow | null> {
  const nodeId = /^CN=(node_\w+)$/.exec(certificate.subject)?.[1] ?? ''
  const node = await trx
    .selectFrom('nodes')
    .leftJoin('node_certificates as c', 'c.node_id', 'nodes.id')
    .select('nodes.id')
    .select(({ fn }) => fn.max('c.not_after_ms').as('newest_ms'))
    .where('nodes.id', '=', nodeId)
    .where('decommissioned_at_ms', 'is', null)
    .groupBy('nodes.id')
    .executeTakeFirst()
  const notAfterMs = certificate.validToDate.getTime()
  if (!node || notAfterMs <= (node.newest_ms ?? 0)) return null
  await emit({
    kind: 'node',
    id: nodeId,
    action: 'certificate-found',
    data: { serial: certificate.serialNumber, notAfter: new Date(notAfterMs).toISOString() },
  })
  return await trx
    .insertInto('node_certificates')
    .values({
      sha256,
      node_id: nodeId,
      serial: certificate.serialNumber,
      key_sha256: sha256Of(certificate.publicKey.export({ format: 'der', type: 'spki' })),
      ca_sha256: caSha256,
      state: 'issued',
      issued_at_ms: notAfterMs - NODE_LIFE_MS,
      not_after_ms: notAfterMs,
    })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ sha256 }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** It was used: the node has it, and the others have had their time. False: another message was faster. */
export async function activateCertificate(
  trx: Trx,
  { sha256, node_id }: CertificateRow,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('node_certificates')
    .set({ state: 'active' })
    .where('sha256', '=', sha256)
    .where('state', '=', 'issued')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await trx
    .updateTable('node_certificates')
    .set({ state: 'replaced' })
    .where('node_id', '=', node_id)
    .where('sha256', '!=', sha256)
    .where('state', 'in', ['issued', 'active'])
    .execute()
  return true
}

export const findCertificate = (db: Reader, sha256: string): Promise<CertificateRow | undefined> =>
  db.selectFrom('node_certificates').selectAll().where('sha256', '=', sha256).executeTakeFirst()

export const revokeCertificates = (trx: Trx, nodeIds: readonly string[]): Promise<void> =>
  revoke(trx, nodeIds, ['issued', 'active'])

/** Those that were sent, but never used. */
export const revokeUnused = (trx: Trx, nodeId: string): Promise<void> =>
  revoke(trx, [nodeId], ['issued'])

async function revoke(
  trx: Trx,
  nodeIds: readonly string[],
  states: CertificateRow['state'][],
): Promise<void> {
  await trx
    .updateTable('node_certificates')
    .set({ state: 'revoked' })
    .where('node_id', 'in', eachOf(nodeIds))
    .where('state', 'in', states)
    .execute()
}

/** Of each node the one that was issued last. */
export async function newestCertificates(
  db: Reader,
  nodeIds: readonly string[],
): Promise<Map<string, CertificateRow>> {
  if (nodeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('node_certificates')
    .selectAll()
    .where('node_id', 'in', nodeIds)
    .orderBy('issued_at_ms')
    .execute()
  // A good one before those that are not: what was replaced or revoked may be younger by the clock.
  const good = rows.filter((row) => isGood(row))
  return new Map([...rows, ...good].map((row) => [row.node_id, row]))
}

export const hasIssued = async (db: Reader): Promise<boolean> =>
  (await db
    .selectFrom('node_certificates')
    .select('sha256')
    .where('state', 'in', ['issued', 'active'])
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Who would be locked out when the old CA goes now: names of nodes whose certificate has not ended. */
export async function laggards(
  db: Reader,
  { caSha256, bundle, nowMs }: { caSha256: string; bundle: string; nowMs: number },
): Promise<{ untold: string[]; outgoing: string[] }> {
  const rows = await db
    .selectFrom('node_certificates as c')
    .innerJoin('nodes as n', 'n.id', 'c.node_id')
    .select(['n.name', 'n.ca_bundle', 'c.ca_sha256', 'c.state'])
    .where('n.decommissioned_at_ms', 'is', null)
    .where('c.state', 'in', ['issued', 'active'])
    .where('c.not_after_ms', '>', nowMs)
    .orderBy('n.name')
    .execute()
  const byName = Map.groupBy(rows, (row) => row.name)
  const names = (test: (mine: typeof rows) => boolean) =>
    [...byName].filter(([, mine]) => test(mine)).map(([name]) => name)
  return {
    untold: names((mine) => mine.some((row) => row.ca_bundle !== bundle)),
    // One that was used: what was only sent may never have arrived.
    outgoing: names((mine) =>
      mine.some((row) => row.state === 'active' && row.ca_sha256 === caSha256),
    ),
  }
}
