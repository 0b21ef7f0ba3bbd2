// SPDX-License-Identifier: MIT
// Rollouts, tasks and leases in control.db, and what the planner needs to know of the nodes.
import { type ExpressionBuilder, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'
import type { Scope } from '../../scope.ts'
import { type Rollout, type Task, WAITING } from './model.ts'
import type { RolloutState, TaskState } from './schema.ts'
import type { RolloutTables } from './tables.ts'

export type Reader = Kysely<Database> | Transaction<Database>
type Trx = Transaction<Database>
export type RolloutRow = Selectable<RolloutTables['rollouts']>
export type TaskRow = Selectable<RolloutTables['node_tasks']>
export type TaskWithName = TaskRow & { node_name: string }
export type NewTask = Pick<TaskRow, 'node_id' | 'digest' | 'group_name' | 'wave'> & {
  text: string
  textId: string
}

export async function insertRollout(
  trx: Trx,
  row: RolloutRow,
  tasks: readonly NewTask[],
): Promise<void> {
  await trx.insertInto('rollouts').values(row).execute()
  for (const { text, textId, ...task } of tasks) {
    await trx
      .insertInto('rendered_texts')
      .values({ id: textId, text })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    await trx
      .insertInto('node_tasks')
      .values({
        ...task,
        state: 'pending',
        generation: null,
        rollout_id: row.id,
        text_id: textId,
        code: null,
        message: '',
        errors: '[]',
        deadline_remaining_ms: null,
        updated_at_ms: row.created_at_ms,
      })
      .execute()
  }
}

export const findRollout = (db: Reader, id: string): Promise<RolloutRow | undefined> =>
  db.selectFrom('rollouts').selectAll().where('id', '=', id).executeTakeFirst()

const touches = (eb: ExpressionBuilder<Database, 'rollouts'>, scope: Scope) =>
  eb.exists(
    eb
      .selectFrom('node_tasks')
      .innerJoin('nodes', 'nodes.id', 'node_tasks.node_id')
      .select('node_tasks.node_id')
      .whereRef('node_tasks.rollout_id', '=', 'rollouts.id')
      .where(labelsWithin('nodes.labels', scope)),
  )

/** Does it concern a node within the scope? */
export async function rolloutTouches(db: Reader, id: string, scope: Scope): Promise<boolean> {
  const row = await db
    .selectFrom('rollouts')
    .select('id')
    .where('id', '=', id)
    .where((eb) => touches(eb, scope))
    .executeTakeFirst()
  return row !== undefined
}

type Page = {
  before: string | undefined
  limit: number
  scope: Scope
  state?: RolloutState
  config?: string
  author?: string
}

/** Newest first; ids sort by time. Those that touch a node within the scope. */
export const listRollouts = (db: Reader, page: Page): Promise<RolloutRow[]> =>
  pageQuery(db, page).execute()

/** Each filter has an index that ends with the id. */
const pageQuery = (db: Reader, { before, limit, scope, state, config, author }: Page) =>
  db
    .selectFrom('rollouts')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(scope !== null, (query) => query.where((eb) => touches(eb, scope)))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'draft'))
    .$if(config !== undefined, (query) => query.where('config', '=', config ?? ''))
    .$if(author !== undefined, (query) => query.where('author', '=', author ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)

export const tasksOf = (
  db: Reader,
  rolloutIds: readonly string[],
  scope: Scope,
): Promise<TaskWithName[]> =>
  db
    .selectFrom('node_tasks')
    .innerJoin('nodes', 'nodes.id', 'node_tasks.node_id')
    .selectAll('node_tasks')
    .select('nodes.name as node_name')
    .where('rollout_id', 'in', rolloutIds)
    .where(labelsWithin('nodes.labels', scope))
    .orderBy('nodes.name')
    .execute()

export type Loaded = { row: RolloutRow; rollout: Rollout }

/**
 * Who is connected is known in memory only: after a restart nobody is until they speak. Whether a change
 * window is open the engine knows.
 */
export async function loadRollout(
  trx: Reader,
  id: string,
  isConnected: (nodeId: string) => boolean,
): Promise<Loaded | null> {
  const row = await findRollout(trx, id)
  if (!row) return null
  const rows = await tasksOf(trx, [id], null)
  const tasks = rows.map((task) => toTask(task, isConnected(task.node_id)))
  const { state, reason } = row
  const frozen = { policy: JSON.parse(row.policy), progress: JSON.parse(row.progress) }
  return { row, rollout: { state, reason, ...frozen, tasks, closed: null } }
}

const toTask = (row: TaskWithName, isConnected: boolean): Task => ({
  nodeId: row.node_id,
  nodeName: row.node_name,
  wave: row.wave,
  state: row.state,
  generation: row.generation,
  digest: row.digest,
  code: row.code,
  message: row.message,
  errors: JSON.parse(row.errors),
  deadlineMs: row.deadline_remaining_ms,
  previous:
    row.previous_generation === null || row.previous_digest === null
      ? null
      : { generation: row.previous_generation, digest: row.previous_digest },
  offers: row.offers,
  flaps: row.flaps,
  isExcused: row.excused === 1,
  isConnected,
})

export async function saveRollout(trx: Trx, row: RolloutRow): Promise<void> {
  const { id, state, state_version, reason, ended_at_ms, progress, evidence } = row
  await trx
    .updateTable('rollouts')
    .set({ state, state_version, reason, ended_at_ms, progress, evidence })
    .where('id', '=', id)
    .execute()
}

export async function saveTask(
  trx: Trx,
  rolloutId: string,
  task: Task,
  nowMs: number,
): Promise<void> {
  await trx
    .updateTable('node_tasks')
    .set({
      state: task.state,
      wave: task.wave,
      generation: task.generation,
      code: task.code,
      message: task.message,
      errors: JSON.stringify(task.errors),
      deadline_remaining_ms: task.deadlineMs,
      offers: task.offers,
      flaps: task.flaps,
      excused: Number(task.isExcused),
      previous_generation: task.previous?.generation ?? null,
      previous_digest: task.previous?.digest ?? null,
      updated_at_ms: nowMs,
    })
    .where('rollout_id', '=', rolloutId)
    .where('node_id', '=', task.nodeId)
    .execute()
}

type TaskText = { text: string; group_name: string }

export const taskText = (trx: Trx, rolloutId: string, nodeId: string): Promise<TaskText> =>
  trx
    .selectFrom('node_tasks')
    .innerJoin('rendered_texts', 'rendered_texts.id', 'node_tasks.text_id')
    .select(['rendered_texts.text', 'group_name'])
    .where('rollout_id', '=', rolloutId)
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()

const OPEN: TaskState[] = [
  'pending',
  'offered',
  'unreachable',
  'acked',
  'applying',
  'applied',
  'confirmed',
  'reverting',
  'revert_failed',
]

/** Tasks of this node that are not over, whatever became of their rollouts, or are being watched. */
export const openTasksOf = (trx: Trx, nodeId: string): Promise<{ rollout_id: string }[]> =>
  trx
    .selectFrom('node_tasks')
    .select('rollout_id')
    .where('node_id', '=', nodeId)
    .where('state', 'in', [...OPEN, 'healthy'])
    .execute()

/** Tasks of this rollout's nodes that are not over in rollouts before it. */
export const openTasksBefore = (trx: Trx, rolloutId: string) =>
  trx
    .selectFrom('node_tasks')
    .innerJoin('rollouts', 'rollouts.id', 'node_tasks.rollout_id')
    .select(['rollout_id', 'node_id'])
    .where('node_tasks.state', 'in', OPEN)
    .where('rollouts.state', 'not in', WAITING)
    .where('rollout_id', '!=', rolloutId)
    .where('node_id', 'in', (eb) =>
      eb
        .selectFrom('node_tasks as own')
        .select('own.node_id')
        .where('own.rollout_id', '=', rolloutId),
    )
    .execute()

/** Under way, and with a time of its own that passes. */
export async function timedRollouts(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where('state', 'in', ['running', 'paused'])
    .where(
      sql<boolean>`(progress ->> 'progressLeftMs' is not null or progress ->> 'phase' in ('soaking', 'waiting'))`,
    )
    .execute()
  return rows.map((row) => row.id)
}

/** Under way, with gates. */
export async function gatedRollouts(
  db: Reader,
  isConnected: (nodeId: string) => boolean,
): Promise<Loaded[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where('state', 'in', ['running', 'paused'])
    .where(sql<boolean>`json_array_length(policy, '$.gates') > 0`)
    .execute()
  const loaded = await Promise.all(rows.map((row) => loadRollout(db, row.id, isConnected)))
  return loaded.filter((one) => one !== null)
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

/** Rollouts of which a node's next step is awaited, ended ones too, and those that let time pass. */
export async function awaitingRollouts(trx: Trx): Promise<string[]> {
  const rows = await trx
    .selectFrom('node_tasks')
    .select('rollout_id')
    .distinct()
    .where('deadline_remaining_ms', '>', 0)
    .execute()
  return [...new Set([...rows.map((row) => row.rollout_id), ...(await unfinishedRollouts(trx))])]
}

export async function unfinishedRollouts(trx: Trx): Promise<string[]> {
  const rows = await trx
    .selectFrom('rollouts')
    .select('id')
    .where('ended_at_ms', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Lets time pass for what is awaited; returns the tasks whose time is over now. */
export async function spendTime(
  trx: Trx,
  elapsedMs: number,
): Promise<{ rollout_id: string; node_id: string }[]> {
  const overrun = await trx
    .selectFrom('node_tasks')
    .select(['rollout_id', 'node_id'])
    .where('deadline_remaining_ms', 'is not', null)
    .where('deadline_remaining_ms', '>', 0)
    .where('deadline_remaining_ms', '<=', elapsedMs)
    .execute()
  await trx
    .updateTable('node_tasks')
    .set({ deadline_remaining_ms: sql`deadline_remaining_ms - ${elapsedMs}` })
    .where('deadline_remaining_ms', 'is not', null)
    .where('deadline_remaining_ms', '>', elapsedMs)
    .execute()
  return overrun
}

export type RolloutMark = {
  id: string
  config: string
  version: number
  state: string
  started_at_ms: number
  ended_at_ms: number | null
}

/** Rollouts that touched one of these nodes and began or ended in that time; not those that never began. */
export const marksBetween = (
  db: Reader,
  nodeIds: readonly string[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<RolloutMark[]> =>
  db
    .selectFrom('rollouts')
    .select(['id', 'config', 'version', 'state', 'started_at_ms', 'ended_at_ms'])
    .where((eb) =>
      eb.or([eb.between('started_at_ms', fromMs, toMs), eb.between('ended_at_ms', fromMs, toMs)]),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('node_tasks')
          .select('node_id')
          .whereRef('rollout_id', '=', 'rollouts.id')
          .where('node_id', 'in', nodeIds),
      ),
    )
    .where('started_at_ms', 'is not', null)
    .orderBy('started_at_ms')
    .limit(200)
    .$narrowType<{ started_at_ms: number }>()
    .execute()
