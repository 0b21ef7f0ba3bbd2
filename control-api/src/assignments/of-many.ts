// SPDX-License-Identifier: MIT
// What many nodes should run, and what they run: for lists, a query for all of them and without the texts,
// which may be a megabyte each. The indexes lead to one row per node.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Assignment, Standing } from './assignments.ts'

export type NodeDigest = { nodeId: string; digest: string }
export const keyOf = ({ nodeId, digest }: NodeDigest) => `${nodeId} ${digest}`

/** By node id; a node without one is left out. */
export async function latestAssignments(
  db: Kysely<Database>,
  nodeIds: readonly string[],
): Promise<Map<string, Assignment & Standing>> {
  const { rows } = await sql<Assignment & Standing>`
    select a.* from json_each(${JSON.stringify(nodeIds)}) wanted
    cross join assignments a on a.node_id = wanted.value and a.generation = (
      select b.generation from assignments b
      where b.node_id = wanted.value and b.state <> 'withdrawn'
      order by b.generation desc limit 1
    )`.execute(db)
  return new Map(rows.map((row) => [row.node_id, row]))
}

/** By keyOf: the newest assignment of each node's digest. */
export async function assignmentsByDigest(
  db: Kysely<Database>,
  wanted: readonly NodeDigest[],
): Promise<Map<string, Assignment>> {
  const { rows } = await sql<Assignment>`
    select a.* from json_each(${JSON.stringify(wanted)}) wanted
    cross join assignments a
      on a.node_id = wanted.value ->> 'nodeId' and a.generation = (
        select b.generation from assignments b
        where b.node_id = wanted.value ->> 'nodeId' and b.digest = wanted.value ->> 'digest'
        order by b.generation desc limit 1
      )`.execute(db)
  return new Map(rows.map((row) => [keyOf({ nodeId: row.node_id, digest: row.digest }), row]))
}

export async function renderedTexts(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('rendered_texts').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.text]))
}
