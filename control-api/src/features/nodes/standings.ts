// SPDX-License-Identifier: MIT
// What nodes should run, have acknowledged and do run, and by that how they stand: all that counting them takes.
import type { Kysely } from 'kysely'
import type { Effective } from '../../agent-protocol/messages.gen.ts'
import { decisionOf, driftOf } from '../../assignments/drift.ts'
import {
  type Assignment,
  assignmentsByDigest,
  keyOf,
  latestAssignments,
  type NodeDigest,
  type Standing as StandingOf,
} from '../../assignments/store.ts'
import type { Database } from '../../db/database.ts'
import type { Presence } from '../../fleet/fleet.ts'
import { cloneOf } from '../../node-identity/clones.ts'
import type { LastResult } from '../../node-identity/last-result.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'
import { type IdentityState, type Sync, syncOf } from './rules.ts'

type Versioned = { config: string; version: number }
export type Digested = { generation: number; digest: string }

export type NodeStanding = {
  row: NodeRow
  effective: Effective | null
  acknowledged: Digested | null
  desired: (Assignment & StandingOf) | undefined
  /** Whose digests it runs, and acknowledged last. */
  running: Assignment | undefined
  accepted: Assignment | undefined
}

/** In the order of the rows. */
export async function readStandings(
  db: Kysely<Database>,
  rows: readonly NodeRow[],
): Promise<NodeStanding[]> {
  const desired = await latestAssignments(
    db,
    rows.map((row) => row.id),
  )
  const read = rows.map((row) => ({
    row,
    effective: fromJson<Effective>(row.effective),
    acknowledged: fromJson<Digested>(row.acknowledged),
  }))
  const versionOf = await versionsOf(db, desired, read)
  return read.map((one) => ({
    ...one,
    desired: desired.get(one.row.id),
    running: versionOf(one.row.id, one.effective),
    accepted: versionOf(one.row.id, one.acknowledged),
  }))
}

type Seen = {
  presence: Presence
  /** Our epoch. */
  epoch: number
  identity: IdentityState
}

export function syncOfStanding(
  { row, effective, desired, running }: NodeStanding,
  { presence, epoch, identity }: Seen,
): Sync {
  const drift = driftOf(row)
  return syncOf({
    connected: presence.connected,
    lastSeenAtMs: seenAtMs(row, presence),
    enrolledAtMs: row.enrolled_at_ms,
    epoch,
    maxEpoch: row.max_epoch,
    desired: desired
      ? {
          generation: desired.generation,
          digest: desired.digest,
          state: desired.state,
          createdAtMs: desired.created_at_ms,
          updatedAtMs: desired.updated_at_ms,
          label: labelOf(desired),
        }
      : null,
    effective,
    effectiveSinceMs: row.effective_since_ms,
    effectiveLabel: running ? labelOf(running) : null,
    lastResult: lastResultOf(row),
    identity,
    isCloned: cloneOf(row)?.keep === null,
    drift: drift && {
      isServed: drift.isServed,
      isGood: drift.errors.length === 0,
      isDecided: decisionOf(row) !== null,
      sinceMs: drift.atMs,
    },
  })
}

export const seenAtMs = (row: NodeRow, { lastSeenAtMs }: Presence): number | null =>
  lastSeenAtMs ?? row.last_seen_at_ms
export const lastResultOf = (row: NodeRow) => fromJson<LastResult>(row.last_result)
export const labelOf = ({ config, version }: Versioned) => `${config} v${version}`
const fromJson = <T>(text: string | null): T | null => (text === null ? null : JSON.parse(text))

type Reported = { row: NodeRow; effective: Digested | null; acknowledged: Digested | null }

/** Which version a digest is on a node. Most run what they should, which is read already. */
async function versionsOf(
  db: Kysely<Database>,
  desired: ReadonlyMap<string, Assignment>,
  all: readonly Reported[],
) {
  const isDesired = ({ nodeId, digest }: NodeDigest) => desired.get(nodeId)?.digest === digest
  const others = all.flatMap(digestsOf).filter((one) => !isDesired(one))
  const found = others.length > 0 ? await assignmentsByDigest(db, others) : new Map()
  return (nodeId: string, digested: Digested | null): Assignment | undefined => {
    if (!digested) return undefined
    const one = { nodeId, digest: digested.digest }
    return isDesired(one) ? desired.get(nodeId) : found.get(keyOf(one))
  }
}

const digestsOf = ({ row, effective, acknowledged }: Reported): NodeDigest[] =>
  [effective, acknowledged].flatMap((one) => (one ? [{ nodeId: row.id, digest: one.digest }] : []))
