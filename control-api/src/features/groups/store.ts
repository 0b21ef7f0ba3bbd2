// SPDX-License-Identifier: MIT
// Groups in control.db, and what is needed of the nodes to say what a change of them does.
import type { Selectable } from 'kysely'
import { nextTurn } from '../../base/slices.ts'
import type { Reader, Trx } from '../../db/database.ts'
import type { GroupTables } from '../../db/tables/groups.ts'
import { DEFAULT_GROUP, type Grouping, groupingOf } from '../../labels/grouping.ts'
import { parseSelector, type Selector } from '../../labels/selector.ts'

export type GroupRow = Selectable<GroupTables['node_groups']>

/** In order, the default group last. */
export const allGroups = (db: Reader): Promise<GroupRow[]> =>
  db
    .selectFrom('node_groups')
    .selectAll()
    .orderBy((eb) => eb('name', '=', DEFAULT_GROUP))
    .orderBy('position')
    .orderBy('name')
    .execute()

export const readGrouping = async (db: Reader): Promise<Grouping> => toGrouping(await allGroups(db))

export const toGrouping = (rows: readonly GroupRow[]): Grouping =>
  groupingOf(
    rows.map(({ name, config, merge_patch, selector, revision, forget_after_hours }) => ({
      name,
      config,
      mergePatch: JSON.parse(merge_patch),
      selector: stored(selector),
      revision,
      forgetAfterHours: forget_after_hours,
    })),
  )

function stored(selector: string): Selector {
  const parsed = parseSelector(selector)
  if (!parsed.ok) throw new Error('a stored selector cannot be read: control.db is damaged')
  return parsed.selector
}

export const insertGroup = async (trx: Trx, row: GroupRow): Promise<void> => {
  await trx.insertInto('node_groups').values(row).execute()
}

export const saveGroup = async (trx: Trx, { name, ...row }: GroupRow): Promise<void> => {
  await trx.updateTable('node_groups').set(row).where('name', '=', name).execute()
}

export const deleteGroup = async (trx: Trx, name: string): Promise<void> => {
  await trx.deleteFrom('node_groups').where('name', '=', name).execute()
}

/** Those that give it to their nodes, in order. */
export const groupsGiving = async (db: Reader, config: string): Promise<string[]> =>
  (await allGroups(db)).filter((group) => group.config === config).map(({ name }) => name)

export const configExists = async (db: Reader, name: string): Promise<boolean> => {
  const row = await db
    .selectFrom('configs')
    .select('name')
    .where('name', '=', name)
    .executeTakeFirst()
  return row !== undefined
}

export type GroupedNode = {
  id: string
  name: string
  labels: string
  merge_patch: string
  /** Of its machine's owner; null: not known. */
  policy_rules: string | null
  /** As its token said. */
  forget_after_hours: number | null
  last_seen_at_ms: number | null
  enrolled_at_ms: number
}

/** Between two turns of the loop. */
const READ_AT_A_TIME = 500

/** By name; `ids`: of these alone. */
export async function groupedNodes(db: Reader, ids?: readonly string[]): Promise<GroupedNode[]> {
  const nodes: GroupedNode[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const some = await groupedNodesAfter(db, after, ids)
    nodes.push(...some)
    after = some.length < READ_AT_A_TIME ? undefined : some.at(-1)?.id
    if (after !== undefined) await nextTurn()
  }
  return nodes.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const groupedNodesAfter = (
  db: Reader,
  after: string,
  ids: readonly string[] | undefined,
): Promise<GroupedNode[]> =>
  db
    .selectFrom('nodes')
    .leftJoin('node_policies', 'node_policies.node_id', 'nodes.id')
    .select(['id', 'name', 'labels', 'merge_patch', 'rules_id as policy_rules'])
    .select(['forget_after_hours', 'last_seen_at_ms', 'enrolled_at_ms'])
    .where('decommissioned_at_ms', 'is', null)
    .where('id', '>', after)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('id')
    .limit(READ_AT_A_TIME)
    .execute()
