// SPDX-License-Identifier: MIT
// What a person changed on a node's machine, as the node tells it. Nothing overwrites it until an
// operator says so, and then only that very text.
import type { Kysely, Transaction } from 'kysely'
import { wholeError } from '../agent-protocol/config-errors.ts'
import type { Digest, ReportRequest, Drift as WireDrift } from '../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../api-shapes/common.ts'
import type { Unit } from '../audit/write.ts'
import type { Database } from '../db/database.ts'

export type Drift = {
  digest: string
  isServed: boolean
  errors: ConfigError[]
  sizeBytes: number
  /** When we first heard of this digest. */
  atMs: number
}
export type DriftDecision = {
  digest: string
  action: 'adopt' | 'discard'
  actor: string
  atMs: number
}

type Columns = { drift: string | null; drift_decision: string | null }
export const driftOf = ({ drift }: Pick<Columns, 'drift'>): Drift | null =>
  drift === null ? null : JSON.parse(drift)

/** Only of what is there now. */
export function decisionOf(row: Columns): DriftDecision | null {
  const decision: DriftDecision | null =
    row.drift_decision === null ? null : JSON.parse(row.drift_decision)
  return decision?.digest === driftOf(row)?.digest ? decision : null
}

type Said = ReportRequest['drift']
export type DriftNews = 'none' | 'news' | 'unknown'

/** Against what we know. unknown: it speaks of a text that we never got. */
export function driftNews(known: Drift | null, said: Said): DriftNews {
  if (said === undefined) return 'none'
  if (said === null) return known ? 'news' : 'none'
  if (!isWhole(said)) return said.digest === known?.digest ? 'none' : 'unknown'
  const isSame =
    known?.digest === said.digest &&
    known.isServed === said.isServed &&
    JSON.stringify(known.errors) === JSON.stringify(errorsOf(said))
  return isSame ? 'none' : 'news'
}

export const isWhole = (said: WireDrift | { digest: Digest }): said is WireDrift => 'text' in said

export async function storeDrift(
  unit: Unit,
  nodeId: string,
  said: WireDrift | null,
  nowMs: number,
): Promise<void> {
  const known = await knownDrift(unit.trx, nodeId)
  if (said === null) {
    if (known) await unit.emit({ kind: 'node', id: nodeId, action: 'drift-ended', actor: nodeId })
    await setColumns(unit.trx, nodeId, { drift: null, drift_decision: null })
    await unit.trx.deleteFrom('drift_texts').where('node_id', '=', nodeId).execute()
    return
  }
  const { digest, isServed, text } = said
  const isNewText = known?.digest !== digest
  const drift: Drift = {
    digest,
    isServed,
    errors: errorsOf(said),
    sizeBytes: Buffer.byteLength(text),
    atMs: isNewText || !known ? nowMs : known.atMs,
  }
  await setColumns(unit.trx, nodeId, {
    drift: JSON.stringify(drift),
    ...(isNewText && { drift_decision: null }),
  })
  await unit.trx
    .insertInto('drift_texts')
    .values({ node_id: nodeId, text })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ text }))
    .execute()
  await unit.emit({
    kind: 'node',
    id: nodeId,
    action: 'drift',
    actor: nodeId,
    data: { digest, isServed, errors: drift.errors.length },
  })
}

/** As the node sent it; null: it has no local change. */
export async function driftText(db: Kysely<Database>, nodeId: string): Promise<string | null> {
  const row = await db
    .selectFrom('drift_texts')
    .select('text')
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return row?.text ?? null
}

const errorsOf = ({ errors }: WireDrift) => (errors ?? []).map(wholeError)

async function knownDrift(trx: Transaction<Database>, nodeId: string): Promise<Drift | null> {
  const row = await trx
    .selectFrom('nodes')
    .select('drift')
    .where('id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return driftOf(row)
}

type Set = { drift: string | null; drift_decision?: string | null }

async function setColumns(trx: Transaction<Database>, nodeId: string, columns: Set): Promise<void> {
  await trx.updateTable('nodes').set(columns).where('id', '=', nodeId).execute()
}
