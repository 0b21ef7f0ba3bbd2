// SPDX-License-Identifier: MIT
// Those that wait, in control.db, and how they begin.
import { sql } from 'kysely'
import { type Scope, storedScope } from '../../../access/scope.ts'
import { inSlices, nextTurn } from '../../../base/slices.ts'
import type { Reader, Trx } from '../../../db/database.ts'
import type { RolloutApprovalRow, RolloutRow } from '../../../db/tables/rollouts.ts'
import { settledGeneration } from '../plan/planner.ts'
import { isWaiting, type StartNode, WAITING, type WaitingState } from '../reducer/model.ts'
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

export type Contested = {
  /** By rollout that waits: nodes it is for. */
  wanted: ReadonlyMap<string, readonly string[]>
  /** By node. */
  owners: ReadonlyMap<string, string>
}

/**
 * What those that wait are for. Nodes that the same rollouts want and the same one owns are alike to the queue, so the first
 * of them stands for all: of ten thousand nodes mostly a handful are left. Of nodes that are gone nobody is in the way.
 */
export async function contestedNodes(db: Reader): Promise<Contested> {
  const { rows } = await sql<{ id: string; wantedBy: string; owner: string | null }>`
    select min(node_id) as id, wanted_by as "wantedBy", owner from (
      select t.node_id, string_agg(t.rollout_id, ',' order by t.rollout_id) as wanted_by,
        l.rollout_id as owner
      from rollouts r cross join node_tasks t
      left join node_leases l on l.node_id = t.node_id
      where t.rollout_id = r.id and r.state in (${sql.join(WAITING)}) and t.state <> 'skipped'
      group by t.node_id, l.rollout_id
    ) as contested group by 2, 3 order by 1`.execute(db)
  const wanted = new Map<string, string[]>()
  for (const { id, wantedBy } of rows) {
    for (const rolloutId of wantedBy.split(',')) {
      const nodeIds = wanted.get(rolloutId) ?? []
      wanted.set(rolloutId, nodeIds)
      nodeIds.push(id)
    }
  }
  const owned = rows.flatMap(({ id, owner }) => (owner === null ? [] : [[id, owner] as const]))
  return { wanted, owners: new Map(owned) }
}

/** Between two turns of the loop. */
const CLAIMS_AT_A_TIME = 500

/** Which of these nodes a rollout owns, or waits for in one of the states; and which rollouts those are. */
export async function claimsOn(
  db: Reader,
  nodeIds: readonly string[],
  states: readonly WaitingState[],
): Promise<{ nodeIds: ReadonlySet<string>; rolloutIds: ReadonlySet<string> }> {
  const claimed = { nodeIds: new Set<string>(), rolloutIds: new Set<string>() }
  for (const some of inSlices(nodeIds, CLAIMS_AT_A_TIME)) {
    await nextTurn()
    const ids = JSON.stringify(some)
    const { rows } = await sql<{ nodeId: string; rolloutId: string }>`
      select l.node_id as "nodeId", l.rollout_id as "rolloutId" from json_each(${ids}) wanted
      cross join node_leases l where l.node_id = wanted.value
      union all
      select t.node_id, t.rollout_id from rollouts r cross join json_each(${ids}) wanted
      cross join node_tasks t
      where t.rollout_id = r.id and t.node_id = wanted.value and r.state in (${sql.join(states)}) and t.state <> 'skipped'`.execute(
      db,
    )
    for (const { nodeId, rolloutId } of rows) {
      claimed.nodeIds.add(nodeId)
      claimed.rolloutIds.add(rolloutId)
    }
  }
  return claimed
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
