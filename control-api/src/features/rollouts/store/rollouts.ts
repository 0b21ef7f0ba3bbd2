// SPDX-License-Identifier: MIT
// Rollouts in control.db. Their tasks: tasks.ts; their leases: leases.ts; those that wait:
// queue/store.ts; the nodes: nodes.ts.
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Scope } from '../../../access/scope.ts'
import type { RolloutState } from '../../../api-shapes/states.ts'
import { certificatesOfTexts, givenWith, releasesOfTexts } from '../../../assignments/store.ts'
import { nextTurn } from '../../../base/slices.ts'
import type { Database, Reader, Trx } from '../../../db/database.ts'
import { eachOf } from '../../../db/each-of.ts'
import { labelsWithin } from '../../../db/labels.ts'
import { lowered } from '../../../db/lowered.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import type { Connected } from '../../../fleet/connections.ts'
import type { RolloutRules } from '../../rollout-rules/schema.ts'
import { readFarmRules } from '../../rollout-rules/store.ts'
import { AT_ONCE, type Policy, type Rollout, type Task } from '../reducer/model.ts'
import type { Reason } from '../shapes/reason.ts'
import { cordonsNow, seenNow } from './seen.ts'
import { loadTasks, textIdsOf, unprovenBeside } from './tasks.ts'

export async function insertRollout(trx: Trx, row: RolloutRow): Promise<void> {
  await trx.insertInto('rollouts').values(row).execute()
}

/** All its tasks are there: it is an order from now on. */
export async function completeDraft(trx: Trx, row: RolloutRow): Promise<void> {
  await trx.updateTable('rollouts').set(row).where('id', '=', row.id).execute()
}

/** All there are, or this one, if it is one. */
export async function removeDrafts(trx: Trx, id?: string): Promise<void> {
  const drafts = trx
    .selectFrom('rollouts')
    .select('id')
    .where('state', '=', 'draft')
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
  await trx.deleteFrom('node_tasks').where('rollout_id', 'in', drafts).execute()
  await trx.deleteFrom('rollouts').where('id', 'in', drafts).execute()
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
  state?: RolloutState
  config?: string
  author?: string
  ids?: readonly string[]
  /** Words, each of which it has. */
  q?: string
}

/** To see that one touches nobody within the scope takes a look at each of its nodes: ten thousand in some milliseconds. */
const JUDGED_AT_ONCE = 5

/** Newest first; ids sort by time. Those that touch a node within the scope: others have their turn in between. */
export async function listRollouts(
  db: Kysely<Database>,
  { scope, ...page }: Page & { scope: Scope },
): Promise<RolloutRow[]> {
  if (scope === null) return await pageQuery(db, page).execute()
  const found: RolloutRow[] = []
  for (let { before } = page; found.length < page.limit; await nextTurn()) {
    const rows = await pageQuery(db, { ...page, before, limit: JUDGED_AT_ONCE }).execute()
    const touching = await touchingOf(db, rows, scope)
    found.push(...rows.filter(({ id }) => touching.has(id)))
    before = rows.at(-1)?.id
    if (rows.length < JUDGED_AT_ONCE) break
  }
  return found.slice(0, page.limit)
}

async function touchingOf(
  db: Reader,
  rows: readonly RolloutRow[],
  scope: Scope,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const ids = rows.map(({ id }) => id)
  const touching = await db
    .selectFrom('rollouts')
    .select('id')
    .where('id', 'in', ids)
    .where((eb) => touches(eb, scope))
    .execute()
  return new Set(touching.map(({ id }) => id))
}

const wordsIn = (q: string) => lowered(q).split(/\s+/).filter(Boolean)

const hasWord = (word: string) =>
  sql<boolean>`(instr(config, ${word}) > 0 or instr(lower(author), ${word}) > 0
    or instr(lower(message), ${word}) > 0 or 'v' || version = ${word} or cast(version as text) = ${word})`

/** Each filter has an index that ends with the id; words are looked for from the newest on. */
const pageQuery = (db: Reader, { before, limit, state, config, author, ids, q = '' }: Page) =>
  db
    .selectFrom('rollouts')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(ids !== undefined, (query) => query.where('id', 'in', eachOf(ids ?? [])))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'draft'))
    .$if(config !== undefined, (query) => query.where('config', '=', config ?? ''))
    .$if(author !== undefined, (query) => query.where('author', '=', author ?? ''))
    .$if(q !== '', (query) => query.where((eb) => eb.and(wordsIn(q).map(hasWord))))
    .orderBy('id', 'desc')
    .limit(limit)

export type Loaded = { row: RolloutRow; rollout: Rollout }
/** With the farm's rules, as of the same moment. */
type LoadedByRules = Loaded & { rules: RolloutRules }

/** What was not asked when it was made is as it was then for all. */
export const policyOf = ({ policy }: Pick<RolloutRow, 'policy'>): Policy => ({
  ...AT_ONCE,
  ...JSON.parse(policy),
})

export const reasonOf = ({ reason }: Pick<RolloutRow, 'reason'>): Reason => JSON.parse(reason)

/**
 * Who is connected is known in memory only: after a restart nobody is until they speak. Whether a change
 * window is open and the disk full the engine knows.
 */
export async function loadRollout(
  trx: Reader,
  id: string,
  connected: Connected,
  /** As somebody remembers them; left out: they are read. */
  known?: readonly Task[],
): Promise<LoadedByRules | null> {
  const row = await findRollout(trx, id)
  if (!row) return null
  const tasks = seenNow(known ?? (await loadTasks(trx, id)), {
    connected,
    cordons: await cordonsNow(trx),
  })
  const { state } = row
  const reason = reasonOf(row)
  const frozen = { policy: policyOf(row), progress: JSON.parse(row.progress) }
  const { rules } = await readFarmRules(trx)
  const { blastBudget: budget } = rules
  const beside = budget === null ? [] : await unprovenBeside(trx, id)
  const room = budget === null ? null : beside.reduce((left, { nodes }) => left - nodes, budget)
  const roomHeldBy = beside.map((one) => one.rollout_id)
  const ofNow = { room, roomHeldBy, closed: null, isStorageFull: false }
  return { row, rollout: { state, reason, ...frozen, tasks, ...ofNow }, rules }
}

/** Whether nodes are to get back what they had. */
export async function isGoingBack(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('rollouts')
    .select(sql<string | null>`progress ->> 'goesBack'`.as('why'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined && row.why !== null
}

export async function saveRollout(trx: Trx, row: RolloutRow): Promise<void> {
  const { id, state, state_version, reason, ended_at_ms, progress, evidence } = row
  const { counts, tasks_version } = row
  await trx
    .updateTable('rollouts')
    .set({ state, state_version, reason, ended_at_ms, progress, evidence, counts, tasks_version })
    .where('id', '=', id)
    .execute()
}

/** Under way, and with a time of its own that passes. */
export async function timedRollouts(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where('state', 'in', ['running', 'paused'])
    .where(
      sql<boolean>`(progress ->> 'progressLeftMs' is not null or progress ->> 'phase' in ('files', 'soaking', 'waiting'))`,
    )
    .execute()
  return rows.map((row) => row.id)
}

/** Under way, and not on its way back. */
export async function rolloutsUnderWay(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where('state', 'in', ['running', 'paused'])
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** What was decided for their nodes is not yet done for all of them. */
export async function rolloutsToGoOn(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where(
      sql<boolean>`(progress ->> 'unfinished' is not null or progress ->> 'newcomersTo' is not null)`,
    )
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** They share the farm's budget, if there is one. Who goes back comes first. */
export async function sharingRollouts(db: Reader): Promise<string[]> {
  if ((await readFarmRules(db)).rules.blastBudget === null) return []
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['running', 'reverting']),
        // Its stragglers may have come back. The state is said in full for the index.
        eb.and([
          eb('state', '=', 'succeeded'),
          sql<boolean>`id in (select rollout_id from node_tasks where state = 'unreachable')`,
        ]),
      ]),
    )
    .orderBy((eb) => eb.case().when('state', '=', 'reverting').then(0).else(1).end())
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Under way, with gates. */
export async function gatedRollouts(
  db: Reader,
  connected: Connected,
  known: (rolloutId: string) => readonly Task[] | undefined,
): Promise<Loaded[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where('state', 'in', ['running', 'paused'])
    .where(sql<boolean>`json_array_length(policy, '$.gates') > 0`)
    .execute()
  const loaded = await Promise.all(
    rows.map((row) => loadRollout(db, row.id, connected, known(row.id))),
  )
  return loaded.filter((one) => one !== null)
}

/** Rollouts of which a node's next step is awaited, ended ones too, and those that let time pass. */
export async function awaitingRollouts(trx: Reader): Promise<string[]> {
  const rows = await trx
    .selectFrom('node_tasks')
    .select('rollout_id')
    .distinct()
    .where('deadline_remaining_ms', '>', 0)
    .execute()
  return [...new Set([...rows.map((row) => row.rollout_id), ...(await unfinishedRollouts(trx))])]
}

export async function unfinishedRollouts(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select('id')
    .where('ended_at_ms', 'is', null)
    .where('state', '!=', 'draft')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Not over, and of a node within the scope, the oldest first. */
export const unfinishedWithin = (
  db: Reader,
  scope: Scope,
): Promise<Pick<RolloutRow, 'id' | 'config' | 'version' | 'state' | 'counts'>[]> =>
  db
    .selectFrom('rollouts')
    .select(['id', 'config', 'version', 'state', 'counts'])
    .where('ended_at_ms', 'is', null)
    .$if(scope !== null, (query) => query.where((eb) => touches(eb, scope)))
    .orderBy('id')
    .execute()

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

/** Rollouts that are not over and will give nodes this certificate, in words for who would delete it. */
export async function rolloutsBringing(db: Reader, certificate: string): Promise<string[]> {
  const uses: string[] = []
  for (const id of await unfinishedRollouts(db)) {
    const certificates = await certificatesOfTexts(db, await textIdsOf(db, id))
    if (certificates.some(({ name }) => name === certificate))
      uses.push(`the rollout ${id} brings it`)
  }
  return uses
}

/** Rollouts that are not over and bring this version of a release, or may go back to it, in words for who would delete it. */
export async function rolloutsNeeding(
  db: Reader,
  { name, number }: { name: string; number: number },
): Promise<string[]> {
  const uses: string[] = []
  for (const id of await unfinishedRollouts(db)) {
    const before = await givenWith(db, await givenBefore(db, id))
    const textIds = [...(await textIdsOf(db, id)), ...before.map(({ text_id }) => text_id)]
    const releases = await releasesOfTexts(db, [...new Set(textIds)])
    if (releases.some((one) => one.name === name && one.number === number))
      uses.push(`the rollout ${id} needs it`)
  }
  return uses
}

/** What its nodes had, and go back to. */
const givenBefore = (db: Reader, rolloutId: string) =>
  db
    .selectFrom('node_tasks')
    .select(['node_id as nodeId', 'previous_generation as generation'])
    .where('rollout_id', '=', rolloutId)
    .where('previous_generation', 'is not', null)
    .$narrowType<{ generation: number }>()
    .execute()
