// SPDX-License-Identifier: MIT
// How many nodes of each wave stand how: kept in the rollout's row and written with its tasks, so that nobody counts ten
// thousand rows to show one. Pure but for the query that counts some of them, for who sees only those.
import { sql } from 'kysely'
import type { Scope } from '../../../access/scope.ts'
import type { TaskStanding } from '../../../api-shapes/states.ts'
import { inSlices, nextTurn } from '../../../base/slices.ts'
import type { Reader } from '../../../db/database.ts'
import { labelsWithin } from '../../../db/labels.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import { CORDONED } from '../../../fleet/cordon.ts'
import type { Task } from '../reducer/model.ts'
import { failsGate, GATE_FAILED } from '../reducer/task-states.ts'
import { wasPassedBy } from '../reducer/tasks.ts'

/** How many stand so; none: it is absent. */
export type Standings = Partial<Record<TaskStanding, number>>
/** By wave. */
export type TaskCounts = Record<string, Standings>
type Counted = Pick<Task, 'wave' | 'state' | 'code'>

export function standingOf(task: Counted): TaskStanding {
  if (failsGate(task)) return 'gate_failed'
  return wasPassedBy(task) ? 'cordoned' : task.state
}
/** The same in SQL, of node_tasks t. */
export const standingIn = sql<TaskStanding>`case
  when t.state = 'healthy' and t.code = ${sql.lit(GATE_FAILED)} then ${sql.lit(GATE_FAILED)}
  when t.state = 'skipped' and t.code = ${sql.lit(CORDONED)} then ${sql.lit(CORDONED)} else t.state end`

export const countsOf = ({ counts }: Pick<RolloutRow, 'counts'>): TaskCounts => JSON.parse(counts)

export function countTasksByWave(tasks: readonly Counted[]): TaskCounts {
  const counts: TaskCounts = {}
  for (const task of tasks) {
    counts[task.wave] ??= {}
    const standings = counts[task.wave] ?? {}
    const standing = standingOf(task)
    standings[standing] = (standings[standing] ?? 0) + 1
  }
  return counts
}

type Change = { before: Counted | undefined; after: Counted }

/** What the rollout's row says of its tasks after these changes. */
export function countedAfter(
  row: Pick<RolloutRow, 'counts' | 'tasks_version'>,
  changes: readonly Change[],
  tasks: readonly Counted[],
) {
  if (changes.length === 0) return {}
  const counts = recount(countsOf(row), changes) ?? countTasksByWave(tasks)
  return { counts: JSON.stringify(counts), tasks_version: row.tasks_version + 1 }
}

/** null: it was not counted what has changed now, so all are to be counted. */
export function recount(counts: TaskCounts, changes: readonly Change[]): TaskCounts | null {
  const after = { ...counts }
  for (const { before, after: now } of changes) {
    if (before && !add(after, before, -1)) return null
    add(after, now, 1)
  }
  return after
}

/** False: there would be less than none. */
function add(counts: TaskCounts, task: Counted, by: 1 | -1): boolean {
  const standing = standingOf(task)
  const { [standing]: was = 0, ...others } = counts[task.wave] ?? {}
  const nodes = was + by
  const standings: Standings = nodes > 0 ? { ...others, [standing]: nodes } : others
  counts[task.wave] = standings
  if (Object.keys(standings).length === 0) delete counts[task.wave]
  return nodes >= 0
}

/** Of all waves together. */
export function totalStandings(counts: TaskCounts): Standings {
  const total: Standings = {}
  for (const standings of Object.values(counts)) {
    for (const [standing, nodes] of Object.entries(standings) as [TaskStanding, number][])
      total[standing] = (total[standing] ?? 0) + nodes
  }
  return total
}

/** As one reads them off it: sums of what stands alike. */
export type TaskTotals = {
  nodes: number
  /** Well with the version. */
  done: number
  /** Of those, past their gates. */
  settled: number
  /** Out of reach. */
  pending: number
  /** Passed by, as they were cordoned. */
  cordoned: number
}

export function totalsOf(standings: Standings): TaskTotals {
  const { done = 0, healthy = 0, unreachable = 0, cordoned = 0 } = standings
  const nodes = Object.values(standings).reduce((sum, count) => sum + count, 0)
  return { nodes, done: done + healthy, settled: done, pending: unreachable, cordoned }
}

/** In all waves. */
export const nodeCount = (counts: TaskCounts): number => totalsOf(totalStandings(counts)).nodes

/** So many rollouts are counted in one statement: others have their turn between. */
const COUNTED_AT_ONCE = 4

/** By rollout: of its nodes within the scope. Of one without such nodes there is nothing. */
export async function countsWithin(
  db: Reader,
  rollouts: readonly Pick<RolloutRow, 'id' | 'counts'>[],
  scope: Scope,
): Promise<ReadonlyMap<string, TaskCounts>> {
  if (scope === null) return new Map(rollouts.map((row) => [row.id, countsOf(row)]))
  const found = new Map<string, TaskCounts>()
  for (const some of inSlices(rollouts, COUNTED_AT_ONCE)) {
    await nextTurn()
    const ids = some.map(({ id }) => id)
    for (const { rollout_id, wave, standing, nodes } of await countQuery(
      db,
      ids,
      scope,
    ).execute()) {
      const counts = found.get(rollout_id) ?? {}
      counts[wave] = { ...counts[wave], [standing]: nodes }
      found.set(rollout_id, counts)
    }
  }
  return found
}

const countQuery = (db: Reader, rolloutIds: readonly string[], scope: Scope) =>
  db
    .selectFrom('node_tasks as t')
    .innerJoin('nodes', 'nodes.id', 't.node_id')
    .where('t.rollout_id', 'in', rolloutIds)
    .where(labelsWithin('nodes.labels', scope))
    .select(({ fn }) => [
      't.rollout_id',
      't.wave',
      standingIn.as('standing'),
      fn.countAll<number>().as('nodes'),
    ])
    .groupBy(['t.rollout_id', 't.wave', standingIn])
