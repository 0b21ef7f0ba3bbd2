// SPDX-License-Identifier: MIT
// Nodes at rest. A decommissioned node stays for the histories that name it, and is not found here.
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Labels, Scope } from '../../access/scope.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import type { Unit } from '../../audit/write.ts'
import type { Database, NodesTable } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'
import type { Cordon } from '../../fleet/cordon.ts'
import type { Grouping } from '../../labels/grouping.ts'
import type { Selector } from '../../labels/selector.ts'
import { revokeCertificates } from '../../node-identity/certificates.ts'

export type NodeRow = Selectable<NodesTable>
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

export function createNodeStore(db: Kysely<Database>) {
  return {
    /** By name; names are what people look for. */
    async page(page: Page): Promise<NodeRow[]> {
      const query = pageQuery(db, page)
      const ids = await fewWithLabels(db, [...(page.scope ?? []), ...page.selector])
      return (ids ? query.where('id', 'in', jsonValues(ids)) : query).execute()
    },
    /** A group's selector is not all of it: the groups before it come first. */
    async pageOfGroup(page: Page, group: string, grouping: Grouping): Promise<NodeRow[]> {
      const ids = await walk(db, page, (labels) => grouping.of(labels).name === group)
      if (ids.length === 0) return []
      const rows = await db.selectFrom('nodes').selectAll().where('id', 'in', ids).execute()
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    byId: (id: string): Promise<NodeRow | undefined> => active(db, id),
  }
}

/** Of decommissioned ones too: their past is still shown. null: there never was one. */
export async function labelsOfNode(db: Kysely<Database>, id: string): Promise<Labels | null> {
  const row = await db.selectFrom('nodes').select('labels').where('id', '=', id).executeTakeFirst()
  return row ? JSON.parse(row.labels) : null
}

/** Which of these are nodes within the scope. */
export async function nodeIdsWithin(
  db: Kysely<Database>,
  ids: readonly string[],
  scope: Scope,
): Promise<string[]> {
  const rows = await db
    .selectFrom('nodes')
    .select('id')
    .where('id', 'in', ids)
    .where(labelsWithin('labels', scope))
    .execute()
  return rows.map(({ id }) => id)
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

/** Throws NodeNotFound. */
export async function activeNode({ trx }: Unit, id: string): Promise<NodeRow> {
  const node = await active(trx, id)
  if (!node) throw new NodeNotFound(id)
  return node
}

function active(db: Kysely<Database>, id: string): Promise<NodeRow | undefined> {
  return db
    .selectFrom('nodes')
    .selectAll()
    .where('id', '=', id)
    .where('decommissioned_at_ms', 'is', null)
    .executeTakeFirst()
}

type Change = {
  name?: string
  labels?: Record<string, string>
  mergePatch?: Record<string, unknown>
}

export async function changeNode({ trx }: Unit, node: NodeRow, change: Change): Promise<NodeRow> {
  const { name, labels, mergePatch } = change
  return await trx
    .updateTable('nodes')
    .set({
      revision: node.revision + 1,
      ...(name !== undefined && { name }),
      ...(labels && { labels: JSON.stringify(labels) }),
      ...(mergePatch && { merge_patch: JSON.stringify(mergePatch) }),
    })
    .where('id', '=', node.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function nameIsTaken(db: Kysely<Database>, name: string, byOtherThan: string) {
  const other = await db
    .selectFrom('nodes')
    .select('id')
    .where('name', '=', name)
    .where('id', '!=', byOtherThan)
    .where('decommissioned_at_ms', 'is', null)
    .executeTakeFirst()
  return other !== undefined
}

/** Whatever it was known by is worth nothing from the commit on; so are tokens for its way back. */
export async function decommission({ trx }: Unit, id: string, nowMs: number): Promise<void> {
  await revokeCertificates(trx, id)
  await trx.deleteFrom('enrolment_tokens').where('node_id', '=', id).execute()
  await trx
    .updateTable('nodes')
    .set({ decommissioned_at_ms: nowMs, credential_digest: null })
    .where('id', '=', id)
    .execute()
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

export async function setCordon({ trx }: Unit, id: string, cordon: Cordon | null): Promise<void> {
  await trx
    .updateTable('nodes')
    .set({ cordon: cordon && JSON.stringify(cordon) })
    .where('id', '=', id)
    .execute()
}

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
