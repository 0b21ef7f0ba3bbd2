// SPDX-License-Identifier: MIT
// Rollouts, tasks and leases in control.db, and what the planner needs to know of the nodes.
import { type ExpressionBuilder, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'
import type { Scope } from '../../scope.ts'
import type { Rollout, Task } from './model.ts'
import type { RolloutState, TaskState } from './schema.ts'
import type { RolloutTables } from './tables.ts'

export type Reader = Kysely<Database> | Transaction<Database>
type Trx = Transaction<Database>
export type RolloutRow = Selectable<RolloutTables['rollouts']>
export type TaskRow = Selectable<RolloutTables['node_tasks']>
export type TaskWithName = TaskRow & { node_name: string }
export type NewTask = Pick<
  TaskRow,
  | 'node_id'
  | 'state'
  | 'digest'
  | 'generation'
  | 'group_name'
  | 'wave'
  | 'previous_generation'
  | 'previous_digest'
> & {
  text: string
  textId: string
}

/** What the plan is made from; the revision tells whether it still holds. */
export type FleetNode = {
  id: string
  name: string
  labels: string
  revision: number
  merge_patch: string
  effective: string | null
  os: string
  version: string
  capabilities: string
}

const FLEET_COLUMNS = [
  'id',
  'name',
  'labels',
  'revision',
  'merge_patch',
  'effective',
  'os',
  'version',
  'capabilities',
] as const

export const activeNodes = (db: Reader): Promise<FleetNode[]> =>
  db
    .selectFrom('nodes')
    .select(FLEET_COLUMNS)
    .where('decommissioned_at_ms', 'is', null)
    .orderBy('name')
    .execute()

/** What each node should run, by node. */
export async function latestAssignments(db: Reader) {
  const rows = await db
    .selectFrom('assignments as a')
    .select(['node_id', 'generation', 'config', 'digest', 'state'])
    .where('generation', '=', (eb) =>
      eb
        .selectFrom('assignments as b')
        .select(({ fn }) => fn.max('b.generation').as('generation'))
        .whereRef('b.node_id', '=', 'a.node_id')
        .where('b.state', '!=', 'withdrawn'),
    )
    .execute()
  return new Map(rows.map((row) => [row.node_id, row]))
}

/** Which version of the config came to the node under this digest last. */
export async function versionOfDigest(
  db: Reader,
  nodeId: string,
  digest: string,
  config: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('assignments')
    .select('version')
    .where('node_id', '=', nodeId)
    .where('digest', '=', digest)
    .where('config', '=', config)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.version ?? null
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

/** Who is connected is known in memory only: after a restart nobody is until they speak. */
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
  return { row, rollout: { state, reason, ...frozen, tasks } }
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

type Targeted = { name: string; labels: string; merge_patch: string }

export const targetColumns = (trx: Trx, nodeId: string): Promise<Targeted | undefined> =>
  trx
    .selectFrom('nodes')
    .select(['name', 'labels', 'merge_patch'])
    .where('id', '=', nodeId)
    .executeTakeFirst()

/** The rollouts that own any of these nodes. */
export const leaseHolders = (trx: Trx, nodeIds: readonly string[]): Promise<RolloutRow[]> =>
  trx
    .selectFrom('rollouts')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('node_leases').select('rollout_id').where('node_id', 'in', nodeIds),
    )
    .orderBy('id')
    .execute()

export async function takeLeases(
  trx: Trx,
  rolloutId: string,
  nodeIds: readonly string[],
): Promise<void> {
  for (const node_id of nodeIds) {
    await trx.insertInto('node_leases').values({ node_id, rollout_id: rolloutId }).execute()
  }
}

export async function freeLeases(trx: Trx, rolloutId: string): Promise<void> {
  await trx.deleteFrom('node_leases').where('rollout_id', '=', rolloutId).execute()
}

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

/** Of the assignments the node was confirmed with, the newest that no rollout has found bad. */
export const lastGood = (trx: Trx, { nodeId, notDigest }: { nodeId: string; notDigest: string }) =>
  trx
    .selectFrom('assignments as a')
    .leftJoin('node_tasks as t', (join) =>
      join.onRef('t.rollout_id', '=', 'a.rollout_id').onRef('t.node_id', '=', 'a.node_id'),
    )
    .select(['a.generation', 'a.digest'])
    .where('a.node_id', '=', nodeId)
    .where('a.state', '=', 'confirmed')
    .where('a.digest', '!=', notDigest)
    .where((eb) =>
      eb.or([
        eb('t.node_id', 'is', null),
        eb.and([
          eb('t.generation', '=', eb.ref('a.generation')),
          eb('t.state', 'in', ['healthy', 'done', 'reverted']),
        ]),
      ]),
    )
    .orderBy('a.generation', 'desc')
    .limit(1)
    .executeTakeFirst()

/** What the node was given with that generation. */
export const givenWith = (trx: Trx, nodeId: string, generation: number) =>
  trx
    .selectFrom('assignments')
    .innerJoin('rendered_texts', 'rendered_texts.id', 'assignments.text_id')
    .select(['config', 'version', 'digest', 'group_name', 'rendered_texts.text'])
    .where('node_id', '=', nodeId)
    .where('generation', '=', generation)
    .executeTakeFirstOrThrow()

/** Tasks of this rollout's nodes that are not over in rollouts before it. */
export const openTasksBefore = (trx: Trx, rolloutId: string) =>
  trx
    .selectFrom('node_tasks')
    .select(['rollout_id', 'node_id'])
    .where('state', 'in', OPEN)
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
      sql<boolean>`(progress ->> 'progressLeftMs' is not null or progress ->> 'phase' = 'soaking')`,
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

/** Nodes that joined after the plan was made: no rollout has had them, and they were told something. */
export const newcomers = (trx: Trx, rollout: RolloutRow) =>
  trx
    .selectFrom('nodes')
    .select(['id', 'name', 'labels', 'merge_patch'])
    .where('decommissioned_at_ms', 'is', null)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('node_tasks').select('node_id').where('rollout_id', '=', rollout.id),
    )
    .where('id', 'in', (eb) => eb.selectFrom('assignments').select('node_id'))
    .where('id', 'not in', (eb) =>
      eb.selectFrom('assignments').select('node_id').where('rollout_id', 'is not', null),
    )
    .execute()

export type RolloutMark = {
  id: string
  config: string
  version: number
  state: string
  created_at_ms: number
  ended_at_ms: number | null
}

/** Rollouts that touched one of these nodes and began or ended in that time. */
export const marksBetween = (
  db: Reader,
  nodeIds: readonly string[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<RolloutMark[]> =>
  db
    .selectFrom('rollouts')
    .select(['id', 'config', 'version', 'state', 'created_at_ms', 'ended_at_ms'])
    .where((eb) =>
      eb.or([eb.between('created_at_ms', fromMs, toMs), eb.between('ended_at_ms', fromMs, toMs)]),
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
    .orderBy('created_at_ms')
    .limit(200)
    .execute()
