// SPDX-License-Identifier: MIT
// The tasks of one rollout for who looks at them: in pages, and all of them in a few columns. A rollout's tasks are found by
// its key, and sorted: of ten thousand that takes a few milliseconds, and no index need be written with each change.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Scope } from '../../../access/scope.ts'
import type { TaskStanding } from '../../../api-shapes/states.ts'
import type { Reader } from '../../../db/database.ts'
import { eachOf } from '../../../db/each-of.ts'
import { labelsWithin } from '../../../db/labels.ts'
import { GATE_FAILED } from '../reducer/task-states.ts'
import { FAILURES, MOVING } from '../reducer/tasks.ts'
import { standingIn } from './task-counts.ts'
import type { TaskWithName } from './tasks.ts'

export type TaskFilter = {
  state?: TaskStanding
  wave?: number
  /** Only those that run what it brings them, now. */
  running?: boolean
  name?: string
  /** Part of the node's name. */
  q?: string
}
type Of = { rolloutId: string; scope: Scope }
type Page<Key> = Of & TaskFilter & { after: Key | undefined; limit: number }

const found = (db: Reader, { rolloutId, scope, state, wave, running, name, q }: Of & TaskFilter) =>
  db
    .selectFrom('node_tasks as t')
    .innerJoin('nodes as n', 'n.id', 't.node_id')
    .where('t.rollout_id', '=', rolloutId)
    .where(labelsWithin('n.labels', scope))
    .$if(wave !== undefined, (query) => query.where('t.wave', '=', wave ?? 0))
    .$if(state !== undefined, (query) => query.where(standingIn, '=', state ?? 'done'))
    .$if(running === true, (query) =>
      query.where(sql`n.effective ->> 'digest'`, '=', sql.ref('t.digest')),
    )
    .$if(name !== undefined, (query) => query.where('n.name', '=', name ?? ''))
    .$if(q !== undefined, (query) => query.where(sql`instr(n.name, ${q?.toLowerCase()})`, '>', 0))

/** Wave, name and id of the last one: a name may be that of a node that is gone, too. */
export type PlaceInWave = readonly [wave: number, name: string, nodeId: string]

/** Of those whose next step is awaited, the one whose time is over first. */
export const soonestAwaited = (db: Reader, of: Of) =>
  found(db, of)
    .select(['t.node_id', 'n.name', 't.state', 't.deadline_remaining_ms as left_ms'])
    .where('t.deadline_remaining_ms', '>', 0)
    .orderBy('t.deadline_remaining_ms')
    .orderBy('n.name')
    .limit(1)
    .executeTakeFirst()

/** By wave and name. */
export const tasksPage = (db: Reader, page: Page<PlaceInWave>): Promise<TaskWithName[]> =>
  found(db, page)
    .selectAll('t')
    .select(['n.name as node_name', 'n.cordon'])
    .$if(page.after !== undefined, (query) =>
      query.where(isAfter(sql`(t.wave, n.name, t.node_id)`, page.after)),
    )
    .orderBy('t.wave')
    .orderBy('n.name')
    .orderBy('t.node_id')
    .limit(page.limit)
    .execute()

/** How bad it is, since when it has been so, and the id of the last one. */
export type PlaceByRank = readonly [rank: number, sinceMs: number, nodeId: string]
export type Exception = TaskWithName & { rank: number }

/** What somebody may have to look at, the worst first, and of those alike what has been so for longest. */
export const exceptionsPage = (db: Reader, page: Page<PlaceByRank>): Promise<Exception[]> =>
  found(db, page)
    .selectAll('t')
    .select(['n.name as node_name', 'n.cordon', rank.as('rank')])
    .where(rank, 'is not', null)
    .$if(page.after !== undefined, (query) =>
      query.where(isAfter(sql`(${rank}, t.updated_at_ms, t.node_id)`, page.after)),
    )
    .orderBy(rank)
    .orderBy('t.updated_at_ms')
    .orderBy('t.node_id')
    .limit(page.limit)
    .execute()

/** null: nobody need look at it. */
const rank = sql<number>`case
  when t.state in (${sql.join([...FAILURES])}) or (t.state = 'healthy' and t.code = ${GATE_FAILED}) then 0
  when t.state in ('reverting', 'reverted') then 1
  when t.deadline_remaining_ms = 0 then 2
  when t.state = 'unreachable' then 3
  when t.state = 'pending' and (t.code is not null or n.cordon is not null) then 4
  when t.state = 'skipped' and t.code is not null then 5
  when t.state in (${sql.join([...MOVING])}) then 6 end`

const isAfter = (place: RawBuilder<unknown>, key: readonly (string | number)[] = []) =>
  sql<SqlBool>`${place} > (${sql.join(key)})`

/** In all pages. */
export async function countTasks(
  db: Reader,
  { exceptions, ...of }: Of & TaskFilter & { exceptions?: boolean },
): Promise<number> {
  const { nodes } = await found(db, of)
    .$if(exceptions === true, (query) => query.where(rank, 'is not', null))
    .select(({ fn }) => fn.countAll<number>().as('nodes'))
    .executeTakeFirstOrThrow()
  return nodes
}

export type Cell = { wave: number; name: string; standing: TaskStanding }

/** All of them, in the order of the pages. */
export const cellsOf = (db: Reader, of: Of): Promise<Cell[]> =>
  found(db, of)
    .select(['t.wave', 'n.name', standingIn.as('standing')])
    .orderBy('t.wave')
    .orderBy('n.name')
    .orderBy('t.node_id')
    .execute()

/** Some of the nodes whose turn has not come, by id, as they are now; not the cordoned, and none that is gone. */
export const nodesToCome = (
  db: Reader,
  { after, limit, ...of }: Of & { after: string; limit: number },
) =>
  found(db, of)
    .select(['t.node_id', 't.wave', 't.digest'])
    .select(['n.name', 'n.labels', 'n.os', 'n.version', 'n.capabilities', 'n.effective'])
    .where('t.state', '=', 'pending')
    .where('t.node_id', '>', after)
    .where('n.cordon', 'is', null)
    .where('n.decommissioned_at_ms', 'is', null)
    .orderBy('t.node_id')
    .limit(limit)
    .execute()

/** The nodes that these rollouts have come to. Two rollouts never share one. */
export const touchedBy = (db: Reader, rolloutIds: readonly string[]) =>
  db
    .selectFrom('node_tasks')
    .select(['node_id as nodeId', 'rollout_id as rolloutId'])
    .where('rollout_id', 'in', eachOf(rolloutIds))
    .where('state', 'not in', ['pending', 'skipped'])
    .execute()

/** Which of these nodes are within the scope. */
export async function whichWithin(
  db: Reader,
  nodeIds: readonly string[],
  scope: Scope,
): Promise<ReadonlySet<string>> {
  if (nodeIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('nodes')
    .select('id')
    .where('id', 'in', eachOf(nodeIds))
    .where(labelsWithin('labels', scope))
    .execute()
  return new Set(rows.map(({ id }) => id))
}
