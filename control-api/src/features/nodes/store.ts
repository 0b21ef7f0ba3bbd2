// SPDX-License-Identifier: MIT
// Lists of nodes. Nodes themselves are of node-identity/.
import { type Kysely, sql } from 'kysely'
import type { Labels, Scope } from '../../access/scope.ts'
import type { Database } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'
import type { Grouping } from '../../labels/grouping.ts'
import type { Selector } from '../../labels/selector.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'

export type NodeFilter = {
  name: string | undefined
  /** Part of the name. */
  q: string | undefined
  cordoned: boolean | undefined
  /** Only these, or all but these; each must hold. */
  among: readonly { ids: readonly string[]; isIn: boolean }[]
}
type Page = NodeFilter & {
  after: string | undefined
  limit: number
  scope: Scope
  selector: Selector
}

/** Up to so many nodes are rather sorted by name than looked for among all. */
const FEW = 500
/** Nodes whose labels are looked at in one go: a page of a common label takes one or two. */
const WALKED_AT_ONCE = 500

/** By name; names are what people look for. */
export async function nodesPage(db: Kysely<Database>, page: Page): Promise<NodeRow[]> {
  const query = pageQuery(db, page)
  const ids = await fewWithLabels(db, [...(page.scope ?? []), ...page.selector])
  return (ids ? query.where('id', 'in', jsonValues(ids)) : query).execute()
}

/** A group's selector is not all of it: the groups before it come first. */
export async function nodesPageOfGroup(
  db: Kysely<Database>,
  page: Page,
  { group, grouping }: { group: string; grouping: Grouping },
): Promise<NodeRow[]> {
  const ids = await walk(db, page, (labels) => grouping.of(labels).name === group)
  if (ids.length === 0) return []
  const rows = await db.selectFrom('nodes').selectAll().where('id', 'in', ids).execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** All nodes with one of the labels that are asked for; null: many have each. */
async function fewWithLabels(db: Kysely<Database>, selector: Selector): Promise<string[] | null> {
  for (const requirement of selector) {
    if (requirement.kind !== 'in') continue
    const rows = await db
      .selectFrom('node_labels')
      .select('node_id')
      .where('key', '=', requirement.key)
      .where('value', 'in', requirement.values)
      .limit(FEW + 1)
      .execute()
    if (rows.length <= FEW) return rows.map((row) => row.node_id)
  }
  return null
}

/** Walks the index of names, so a page costs the same wherever it begins. */
function pageQuery(db: Kysely<Database>, page: Page) {
  const { after, limit, scope, selector, name, q, cordoned, among } = page
  const found = db
    .selectFrom('nodes')
    .selectAll()
    .where('decommissioned_at_ms', 'is', null)
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .$if(q !== undefined, (query) => query.where(sql`instr(name, ${q?.toLowerCase()})`, '>', 0))
    .$if(cordoned !== undefined, (query) => query.where('cordon', cordoned ? 'is not' : 'is', null))
    .where(labelsWithin('labels', scope))
    .where(labelsWithin('labels', selector))
    .orderBy('name')
    .limit(limit)
  return among.reduce(
    (query, { ids, isIn }) =>
      query.where(
        // With the plus not by the index of ids: all nodes may be among them, and would be sorted.
        sql<string>`+id`,
        isIn ? 'in' : 'not in',
        jsonValues(ids),
      ),
    found,
  )
}

const jsonValues = (ids: readonly string[]) =>
  sql<string>`(select value from json_each(${JSON.stringify(ids)}))`

/** The ids of a page of those that are wanted; looks no further than to where it is full. */
async function walk(db: Kysely<Database>, page: Page, isWanted: (labels: Labels) => boolean) {
  const ids: string[] = []
  for (let { after } = page; ; ) {
    const rows = await pageQuery(db, { ...page, after, limit: WALKED_AT_ONCE })
      .clearSelect()
      .select(['id', 'name', 'labels'])
      .execute()
    for (const { id, labels } of rows) if (isWanted(JSON.parse(labels))) ids.push(id)
    if (ids.length >= page.limit || rows.length < WALKED_AT_ONCE) return ids.slice(0, page.limit)
    after = rows.at(-1)?.name
  }
}

export type Silent = Pick<
  NodeRow,
  | 'id'
  | 'name'
  | 'labels'
  | 'merge_patch'
  | 'forget_after_hours'
  | 'last_seen_at_ms'
  | 'enrolled_at_ms'
>
const SILENT_COLUMNS = [
  'id',
  'name',
  'labels',
  'merge_patch',
  'forget_after_hours',
  'last_seen_at_ms',
  'enrolled_at_ms',
] as const satisfies readonly (keyof Silent)[]

type SilentSince = {
  heardBeforeMs: number
  /** Of those that are heard nothing is written for as long as they are. */
  connectedIds: readonly string[]
  /** Only those whose own token says that they may be forgotten. */
  isByTokenOnly: boolean
}

/** Walks the index of when nodes were heard of last: what it costs is one row for each that is away or connected. */
export const silentNodes = (db: Kysely<Database>, since: SilentSince): Promise<Silent[]> =>
  db
    .selectFrom('nodes')
    .select(SILENT_COLUMNS)
    .where('decommissioned_at_ms', 'is', null)
    .where(sql<number>`ifnull(last_seen_at_ms, enrolled_at_ms)`, '<=', since.heardBeforeMs)
    .$if(since.isByTokenOnly, (query) => query.where('forget_after_hours', 'is not', null))
    .where('id', 'not in', jsonValues(since.connectedIds))
    .execute()

export type PassedBy = { node_id: string; config: string; version: number; at_ms: number }

/** By node: the newest version that succeeded elsewhere while it was cordoned. The index holds only those. */
export async function passedBy(
  db: Kysely<Database>,
  nodeIds: readonly string[],
): Promise<Map<string, PassedBy>> {
  const { rows } = await sql<PassedBy>`
    select t.node_id, r.config, r.version, t.updated_at_ms as at_ms
    from json_each(${JSON.stringify(nodeIds)}) wanted
    cross join node_tasks t on t.node_id = wanted.value and t.rollout_id = (
      select s.rollout_id from node_tasks s cross join rollouts o on o.id = s.rollout_id
      where s.node_id = wanted.value and s.state = 'skipped' and s.code = 'cordoned'
        and o.state = 'succeeded'
      order by s.rollout_id desc limit 1
    )
    join rollouts r on r.id = t.rollout_id`.execute(db)
  return new Map(rows.map((row) => [row.node_id, row]))
}
