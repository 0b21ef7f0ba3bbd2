// SPDX-License-Identifier: MIT
// Those that wait, in control.db, and how they begin.
import { type Scope, storedScope } from '../../../access/scope.ts'
import type { Reader, Trx } from '../../../db/database.ts'
import type { RolloutApprovalRow, RolloutRow } from '../../../db/tables/rollouts.ts'
import { settledGeneration } from '../plan/planner.ts'
import { isWaiting, type StartNode, WAITING } from '../reducer/model.ts'
import type { Waiting } from '../reducer/queue.ts'
import { lastGood, latestProven } from '../store/nodes.ts'
import { reasonOf } from '../store/rollouts.ts'
import { countsOf, countsWithin, nodeCount } from '../store/task-counts.ts'

export type WaitingRow = Omit<Waiting, 'nodeIds' | 'outOfReach'> & { scope: Scope }

export async function waitingRows(db: Reader): Promise<WaitingRow[]> {
  const rows = await db
    .selectFrom('rollouts')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('rollout_approvals')
        .select(({ fn }) => fn.countAll<number>().as('given'))
        .whereRef('rollout_id', '=', 'rollouts.id')
        .as('given'),
    )
    .where('state', 'in', WAITING)
    .orderBy('id')
    .execute()
  const contained = await wentBackBelow(db, rows)
  return rows.flatMap((row) =>
    isWaiting(row.state)
      ? [{ ...toWaiting(row, row.state), contains: contained.get(row.id) ?? null }]
      : [],
  )
}

type Contained = NonNullable<Waiting['contains']>

/**
 * Of those that a rollout waited for, the newest that went back and whose version its own is built on. What was
 * restored in between is the text from before.
 */
async function wentBackBelow(
  db: Reader,
  rows: readonly RolloutRow[],
): Promise<Map<string, Contained>> {
  const waitedFor = rows.flatMap((row) => JSON.parse(row.blocked_by) as string[])
  if (waitedFor.length === 0) return new Map()
  const failed = await db
    .selectFrom('rollouts')
    .select(['id', 'config', 'version'])
    .where('id', 'in', waitedFor)
    .where('state', 'in', ['reverted', 'revert_incomplete'])
    .orderBy('version', 'desc')
    .execute()
  const found = new Map<string, Contained>()
  for (const { id, config, version, blocked_by } of rows) {
    const blockers: string[] = JSON.parse(blocked_by)
    const below = failed.find(
      (one) => blockers.includes(one.id) && one.config === config && one.version < version,
    )
    if (!below) continue
    const span = { config, after: below.version, upTo: version }
    if (await wasRestored(db, span)) continue
    found.set(id, { rolloutId: below.id, version: below.version })
  }
  return found
}

type Span = { config: string; after: number; upTo: number }

async function wasRestored(db: Reader, { config, after, upTo }: Span): Promise<boolean> {
  const row = await db
    .selectFrom('config_versions')
    .select('number')
    .where('config', '=', config)
    .where('number', '>', after)
    .where('number', '<=', upTo)
    .where('source', '=', 'revert')
    .executeTakeFirst()
  return row !== undefined
}

const toWaiting = (
  row: RolloutRow & { given: number | null },
  state: Waiting['state'],
): WaitingRow => ({
  id: row.id,
  state,
  reason: reasonOf(row),
  place: row.place,
  onOverlap: row.on_overlap,
  isEmergency: row.emergency !== null,
  approvals: { needed: row.approvals_needed, given: row.given ?? 0, byMs: row.approve_by_ms },
  startAtMs: row.start_at_ms,
  blockedBy: JSON.parse(row.blocked_by),
  scope: storedScope(row.scope),
})

/** In the order in which they were given. */
export const approvalsOf = (db: Reader, rolloutIds: readonly string[]) =>
  db
    .selectFrom('rollout_approvals')
    .selectAll()
    .where('rollout_id', 'in', rolloutIds)
    .orderBy('at_ms')
    .orderBy('user_id')
    .execute()

export async function insertApproval(trx: Trx, row: RolloutApprovalRow): Promise<void> {
  await trx.insertInto('rollout_approvals').values(row).execute()
}

/** The nodes that those which wait are for, by rollout; of nodes that are gone nobody is in the way. */
export async function nodesWaitedFor(db: Reader): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('node_tasks')
    .innerJoin('rollouts', 'rollouts.id', 'node_tasks.rollout_id')
    .select(['rollout_id', 'node_id'])
    .where('rollouts.state', 'in', WAITING)
    .where('node_tasks.state', '!=', 'skipped')
    .execute()
  const byRollout = Map.groupBy(rows, (row) => row.rollout_id)
  return new Map([...byRollout].map(([id, of]) => [id, of.map((row) => row.node_id)]))
}

/** Those of them with nodes outside the scope. */
export async function rolloutsOutside(
  db: Reader,
  rolloutIds: readonly string[],
  scope: Scope,
): Promise<string[]> {
  if (scope === null || rolloutIds.length === 0) return []
  const rows = await db
    .selectFrom('rollouts')
    .select(['id', 'counts'])
    .where('id', 'in', rolloutIds)
    .execute()
  const within = await countsWithin(db, rows, scope)
  const outside = rows.filter(
    (row) => nodeCount(within.get(row.id) ?? {}) < nodeCount(countsOf(row)),
  )
  return outside.map(({ id }) => id)
}

type Some = { after: string; most: number }

/** Some of its nodes, by id, as they are now. upTo: the last of those that were looked at; null: no more follow. */
export async function startNodes(
  trx: Trx,
  { id, config }: RolloutRow,
  { after, most }: Some,
): Promise<{ nodes: StartNode[]; upTo: string | null }> {
  const looked = await trx
    .selectFrom('node_tasks')
    .innerJoin('nodes', 'nodes.id', 'node_tasks.node_id')
    .select(['node_id', 'digest', 'effective', 'decommissioned_at_ms'])
    .where('rollout_id', '=', id)
    .where('node_id', '>', after)
    .where('state', '!=', 'skipped')
    .orderBy('node_id')
    .limit(most + 1)
    .execute()
  const upTo = looked.length > most ? (looked[most - 1]?.node_id ?? null) : null
  const rows = looked.slice(0, most).filter((row) => row.decommissioned_at_ms === null)
  const assigned = await latestProven(
    trx,
    rows.map(({ node_id }) => node_id),
  )
  const good = await lastGood(
    trx,
    rows.map(({ node_id: nodeId, digest: notDigest }) => ({ nodeId, notDigest })),
  )
  const nodes = rows.map(({ node_id: nodeId, digest, effective }) => {
    const before = good.get(nodeId)
    return {
      nodeId,
      settledGeneration: settledGeneration({ config, digest, effective }, assigned.get(nodeId)),
      isProven: assigned.get(nodeId)?.isProven ?? false,
      previous: before ? { generation: before.generation, digest: before.digest } : null,
    }
  })
  return { nodes, upTo }
}

type Started = { startedAtMs: number; previousVersion: number | null }

export async function noteStart(
  trx: Trx,
  id: string,
  { startedAtMs, previousVersion }: Started,
): Promise<void> {
  await trx
    .updateTable('rollouts')
    .set({ started_at_ms: startedAtMs, previous_version: previousVersion, blocked_by: '[]' })
    .where('id', '=', id)
    .execute()
}

/** Whoever is in the queue for the first time is the last of it. */
export async function noteWait(
  trx: Trx,
  id: string,
  { blockedBy, isQueued }: { blockedBy: readonly string[]; isQueued: boolean },
): Promise<void> {
  const blocked_by = JSON.stringify(blockedBy)
  await trx.updateTable('rollouts').set({ blocked_by }).where('id', '=', id).execute()
  if (!isQueued) return
  await trx
    .updateTable('rollouts')
    .set((eb) => ({
      place: eb
        .selectFrom('rollouts as others')
        .select(({ fn, val }) =>
          fn.coalesce(eb(fn.max('others.place'), '+', 1), val(1)).as('place'),
        ),
    }))
    .where('id', '=', id)
    .where('place', 'is', null)
    .execute()
}
