// SPDX-License-Identifier: MIT
// The tasks of rollouts in control.db: the plan node by node, and what became of it.

import { type Selectable, sql } from 'kysely'
import type { Parts } from '../../../agent-protocol/content.ts'
import type { TaskState } from '../../../api-shapes/states.ts'
import { keepText, renderedText } from '../../../assignments/store.ts'
import type { Reader, Trx } from '../../../db/database.ts'
import { eachOf } from '../../../db/each-of.ts'
import type { RolloutRow, RolloutTables } from '../../../db/tables/rollouts.ts'
import { type Task, WAITING } from '../reducer/model.ts'
import { copyOf, placeOf, replace } from '../reducer/places.ts'
import { UNPROVEN } from '../reducer/tasks.ts'
import type { LeftOutFor } from '../shapes/reason.ts'

export type TaskRow = Selectable<RolloutTables['node_tasks']>
export type TaskWithName = TaskRow & { node_name: string; cordon: string | null }
type Planned =
  | 'node_id'
  | 'digest'
  | 'config_digest'
  | 'group_name'
  | 'kind'
  | 'policy_rules'
  | 'wave'
export type NewTask = Pick<TaskRow, Planned> & Parts & { text: string; textId: string }

export async function insertTasks(
  trx: Trx,
  { id, created_at_ms }: Pick<RolloutRow, 'id' | 'created_at_ms'>,
  tasks: readonly NewTask[],
): Promise<void> {
  const texts = new Map(tasks.map((task) => [task.textId, task]))
  for (const { textId, text, certificates, releases } of texts.values())
    await keepText(trx, { id: textId, text, certificates, releases })
  const rows = tasks.map(({ text: _, certificates: __, releases: ___, ...task }) => task)
  await sql`
    insert into node_tasks (rollout_id, node_id, wave, state, digest, config_digest, text_id, group_name, kind,
      policy_rules, message, errors, updated_at_ms)
    select ${id}, value ->> 'node_id', cast(value ->> 'wave' as bigint), 'pending', value ->> 'digest',
      value ->> 'config_digest', value ->> 'textId', value ->> 'group_name', value ->> 'kind',
      value ->> 'policy_rules', '', '[]', cast(${created_at_ms} as bigint)
    from json_each(${JSON.stringify(rows)})`.execute(trx)
}

/** Nothing is read but what the reducer needs. */
const TASK_COLUMNS = [
  'node_id',
  'wave',
  'state',
  'generation',
  'digest',
  'code',
  'message',
  'left_out_for',
  'errors',
  'deadline_remaining_ms',
  'previous_generation',
  'previous_digest',
  'offers',
  'flaps',
  'refusals',
  'kind',
  'policy_rules',
  'excused',
] as const
type ReducedRow = Pick<TaskWithName, (typeof TASK_COLUMNS)[number] | 'node_name'>

/** By name. Of now nothing is known of their nodes: seen.ts. */
export async function loadTasks(db: Reader, rolloutId: string): Promise<Task[]> {
  const rows = await db
    .selectFrom('node_tasks')
    .innerJoin('nodes', 'nodes.id', 'node_tasks.node_id')
    .select(TASK_COLUMNS)
    .select('nodes.name as node_name')
    .where('rollout_id', '=', rolloutId)
    .orderBy('nodes.name')
    .execute()
  return rows.map(toTask)
}

export const leftOutForOf = ({ left_out_for }: Pick<TaskRow, 'left_out_for'>): LeftOutFor | null =>
  left_out_for === null ? null : JSON.parse(left_out_for)

const toTask = (row: ReducedRow): Task => ({
  nodeId: row.node_id,
  nodeName: row.node_name,
  wave: row.wave,
  state: row.state,
  generation: row.generation,
  digest: row.digest,
  code: row.code,
  message: row.message,
  leftOutFor: leftOutForOf(row),
  errors: row.errors === '[]' ? [] : JSON.parse(row.errors),
  deadlineMs: row.deadline_remaining_ms,
  previous:
    row.previous_generation === null || row.previous_digest === null
      ? null
      : { generation: row.previous_generation, digest: row.previous_digest },
  offers: row.offers,
  flaps: row.flaps,
  refusals: row.refusals,
  kind: row.kind,
  policyRules: row.policy_rules,
  isExcused: row.excused === 1,
  isConnected: false,
  cordon: null,
})

/** Nodes between two configs, of each other rollout that has some. Of one that has ended: those still on their way in time. */
export async function unprovenBeside(
  db: Reader,
  rolloutId: string,
): Promise<{ rollout_id: string; nodes: number }[]> {
  const beside = db
    .selectFrom('node_tasks as t')
    .select(['t.rollout_id', 't.node_id'])
    .where('t.rollout_id', '!=', rolloutId)
    .where('t.excused', '=', 0)
  const owned = beside
    .innerJoin('node_leases as l', (join) =>
      join.onRef('l.node_id', '=', 't.node_id').onRef('l.rollout_id', '=', 't.rollout_id'),
    )
    .where('t.state', 'in', UNPROVEN)
  const moving = beside
    .where('t.deadline_remaining_ms', 'is not', null)
    .where('t.deadline_remaining_ms', '>', 0)
    .where('t.state', 'in', [...UNPROVEN, 'reverting'])
  return await db
    .selectFrom(owned.union(moving).as('unproven'))
    .select(({ fn }) => ['rollout_id', fn.countAll<number>().as('nodes')])
    .groupBy('rollout_id')
    .orderBy('rollout_id')
    .execute()
}

/** What events change. */
const storedOf = (task: Task) => ({
  state: task.state,
  wave: task.wave,
  generation: task.generation,
  code: task.code,
  message: task.message,
  left_out_for: task.leftOutFor && JSON.stringify(task.leftOutFor),
  errors: JSON.stringify(task.errors),
  deadline_remaining_ms: task.deadlineMs,
  offers: task.offers,
  flaps: task.flaps,
  refusals: task.refusals,
  excused: Number(task.isExcused),
  previous_generation: task.previous?.generation ?? null,
  previous_digest: task.previous?.digest ?? null,
})
type Stored = ReturnType<typeof storedOf>

export type Change = { before: Task | undefined; after: Task }

function changedOf({ before, after }: Change): Partial<Stored> {
  const now = storedOf(after)
  if (!before) return now
  const was = new Map(Object.entries(storedOf(before)))
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => was.get(name) !== value))
}

/** Beyond that, one statement for all of them is cheaper. */
const MOST_ALIKE = 8

/** Of many nodes mostly the same changes, and then nothing else is written. */
export async function saveTasks(
  trx: Trx,
  rolloutId: string,
  changes: readonly Change[],
  nowMs: number,
): Promise<void> {
  const alike = new Map<string, { set: Partial<Stored>; nodeIds: string[] }>()
  for (const change of changes) {
    const set = changedOf(change)
    // Only of now something changed: nothing of it is stored.
    if (Object.keys(set).length === 0) continue
    const key = JSON.stringify(set)
    const same = alike.get(key) ?? { set, nodeIds: [] }
    same.nodeIds.push(change.after.nodeId)
    alike.set(key, same)
  }
  if (alike.size > MOST_ALIKE) return await saveEach(trx, rolloutId, changes, nowMs)
  for (const { set, nodeIds } of alike.values()) {
    await trx
      .updateTable('node_tasks')
      .set({ ...set, updated_at_ms: nowMs })
      .where('rollout_id', '=', rolloutId)
      .where('node_id', 'in', eachOf(nodeIds))
      .execute()
  }
}

async function saveEach(
  trx: Trx,
  rolloutId: string,
  changes: readonly Change[],
  nowMs: number,
): Promise<void> {
  // The rollout is said per row: so the list leads to the rows, and not the rows to the list.
  const rows = changes.map(({ after }) => ({
    ...{ rollout_id: rolloutId, node_id: after.nodeId },
    ...storedOf(after),
  }))
  await sql`
    update node_tasks set
      state = task.value ->> 'state', wave = cast(task.value ->> 'wave' as bigint),
      generation = cast(task.value ->> 'generation' as bigint), code = task.value ->> 'code',
      message = task.value ->> 'message', left_out_for = task.value ->> 'left_out_for',
      errors = task.value ->> 'errors', deadline_remaining_ms = cast(task.value ->> 'deadline_remaining_ms' as bigint),
      offers = cast(task.value ->> 'offers' as bigint), flaps = cast(task.value ->> 'flaps' as bigint),
      refusals = cast(task.value ->> 'refusals' as bigint), excused = cast(task.value ->> 'excused' as bigint),
      previous_generation = cast(task.value ->> 'previous_generation' as bigint),
      previous_digest = task.value ->> 'previous_digest', updated_at_ms = ${nowMs}
    from json_each(${JSON.stringify(rows)}) task
    where rollout_id = task.value ->> 'rollout_id' and node_id = task.value ->> 'node_id'`.execute(
    trx,
  )
}

/** What the node got or is to get, as it was rendered when the plan was made. */
export async function givenText(trx: Trx, rolloutId: string, nodeId: string): Promise<string> {
  const { text_id } = await trx
    .selectFrom('node_tasks')
    .select('text_id')
    .where('rollout_id', '=', rolloutId)
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return (await renderedText(trx, text_id)).text
}

/** What the nodes are to get, their texts by id. */
export const keptContents = (trx: Trx, rolloutId: string, nodeIds: readonly string[]) =>
  trx
    .selectFrom('node_tasks')
    .select(['node_id', 'text_id', 'group_name', 'digest', 'config_digest'])
    .where('rollout_id', '=', rolloutId)
    .where('node_id', 'in', eachOf(nodeIds))
    .execute()

/** They are not over; who is being watched among them. */
const OPEN: TaskState[] = [
  'pending',
  'offered',
  'unreachable',
  'acked',
  'applying',
  'applied',
  'confirmed',
  'healthy',
  'reverting',
  'revert_failed',
]

/** Tasks of this node that are not over, whatever became of their rollouts, are being watched, or of the one that owns it. */
export const openTasksOf = (trx: Trx, nodeIds: readonly string[]) =>
  trx
    .selectFrom('node_tasks')
    .select(['rollout_id', 'node_id'])
    .where('node_id', 'in', eachOf(nodeIds))
    .where((eb) =>
      eb.or([
        eb('state', 'in', OPEN),
        eb(
          'rollout_id',
          '=',
          eb
            .selectFrom('node_leases')
            .select('node_leases.rollout_id')
            .whereRef('node_leases.node_id', '=', 'node_tasks.node_id'),
        ),
      ]),
    )
    .orderBy('rollout_id')
    .execute()

/** Tasks of these nodes that are not over in rollouts that began before this one. */
export const openTasksBefore = (trx: Trx, rolloutId: string, nodeIds: readonly string[]) =>
  trx
    .selectFrom('node_tasks')
    .innerJoin('rollouts', 'rollouts.id', 'node_tasks.rollout_id')
    .select(['rollout_id', 'node_id'])
    .where('node_tasks.state', 'in', OPEN)
    .where('rollouts.state', 'not in', WAITING)
    .where('rollout_id', '!=', rolloutId)
    .where('node_id', 'in', eachOf(nodeIds))
    .execute()

/** Rollouts with nodes that were out of reach when their turn came. */
export async function deferringRollouts(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('node_tasks')
    .select('rollout_id')
    .distinct()
    .where('state', '=', 'unreachable')
    .where('generation', 'is', null)
    .orderBy('rollout_id')
    .execute()
  return rows.map((row) => row.rollout_id)
}

export const isAnythingAwaited = async (db: Reader): Promise<boolean> => {
  const row = await db
    .selectFrom('node_tasks')
    .select('node_id')
    .where('deadline_remaining_ms', 'is not', null)
    .where('deadline_remaining_ms', '>', 0)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export type AwaitedTask = { rolloutId: string; nodeId: string; leftMs: number }

/**
 * Tasks whose next step is awaited, by rollout and node, from behind that one on. Their index is named: it holds them in this
 * order, and without those of all the rollouts there ever were.
 */
export async function awaitedAfter(
  trx: Trx,
  after: Pick<AwaitedTask, 'rolloutId' | 'nodeId'> | null,
  most: number,
): Promise<AwaitedTask[]> {
  const { rolloutId, nodeId } = after ?? { rolloutId: '', nodeId: '' }
  const { rows } = await sql<AwaitedTask>`
    select rollout_id as "rolloutId", node_id as "nodeId", deadline_remaining_ms as "leftMs"
    from node_tasks indexed by node_tasks_awaited
    where deadline_remaining_ms is not null and deadline_remaining_ms > 0
      and (rollout_id, node_id) > (${rolloutId}, ${nodeId})
    order by rollout_id, node_id limit ${most}`.execute(trx)
  return rows
}

/** Lets time pass for these. */
export async function spendTime(
  trx: Trx,
  ms: number,
  tasks: readonly AwaitedTask[],
): Promise<void> {
  // The rollout is said per row, as in saveEach.
  await sql`
    update node_tasks set deadline_remaining_ms = deadline_remaining_ms - ${ms}
    from json_each(${JSON.stringify(tasks)}) task
    where rollout_id = task.value ->> 'rolloutId' and node_id = task.value ->> 'nodeId'`.execute(
    trx,
  )
}

/** As spendTime leaves them. */
export function withTimeSpent(tasks: readonly Task[], ms: number, nodeIds: readonly string[]) {
  const after = copyOf(tasks)
  for (const nodeId of nodeIds) {
    const at = placeOf(after, nodeId)
    const task = at === undefined ? undefined : after[at]
    if (at === undefined || !task || task.deadlineMs === null) continue
    replace(after, at, { ...task, deadlineMs: task.deadlineMs - ms })
  }
  return after
}

/** Of all its nodes, each once. */
export async function textIdsOf(db: Reader, rolloutId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('node_tasks')
    .select('text_id')
    .distinct()
    .where('rollout_id', '=', rolloutId)
    .execute()
  return rows.map(({ text_id }) => text_id)
}
