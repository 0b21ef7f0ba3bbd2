// SPDX-License-Identifier: MIT
// What a person changed on a node's machine, as the node tells it. Nothing overwrites it until an
// operator says so, and then only that very text.
import { wholeError } from '../agent-protocol/config-errors.ts'
import type { Digest, ReportRequest, Drift as WireDrift } from '../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../api-shapes/common.ts'
import type { Unit } from '../audit/write.ts'
import type { Reader } from '../db/database.ts'
import { driftColumns, driftedNodes, setDriftColumns } from '../node-identity/store/said.ts'
import { deleteDriftText, setDriftText } from './store.ts'

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

/** Nodes that take nothing until somebody decides about what was changed there. */
export async function undecidedDrifts(db: Reader): Promise<ReadonlySet<string>> {
  const rows = await driftedNodes(db)
  return new Set(rows.filter((row) => decisionOf(row) === null).map(({ id }) => id))
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
    await setDriftColumns(unit.trx, nodeId, { drift: null, drift_decision: null })
    await deleteDriftText(unit.trx, nodeId)
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
  await setDriftColumns(unit.trx, nodeId, {
    drift: JSON.stringify(drift),
    ...(isNewText && { drift_decision: null }),
  })
  await setDriftText(unit.trx, nodeId, text)
  await unit.emit({
    kind: 'node',
    id: nodeId,
    action: 'drift',
    actor: nodeId,
    data: { digest, isServed, errors: drift.errors.length },
  })
}

const errorsOf = ({ errors }: WireDrift) => (errors ?? []).map(wholeError)

/** As far as we know; null: not yet, or nothing was changed there. */
export async function knownDrift(db: Reader, nodeId: string): Promise<Drift | null> {
  const row = await driftColumns(db, nodeId)
  return row ? driftOf(row) : null
}

/** What the next assignment may replace; null: no operator said so. */
export async function knownDecision(db: Reader, nodeId: string): Promise<DriftDecision | null> {
  const row = await driftColumns(db, nodeId)
  return row ? decisionOf(row) : null
}

export const storeDecision = ({ trx }: Unit, nodeId: string, decision: DriftDecision) =>
  setDriftColumns(trx, nodeId, { drift_decision: JSON.stringify(decision) })
