// SPDX-License-Identifier: MIT
// Nodes at rest. A decommissioned node stays for the histories that name it, and is not found here.
import { type Kysely, type Selectable, sql } from 'kysely'
import { revokeCertificates } from '../../agents/certificates.ts'
import type { Database, NodesTable } from '../../db/database.ts'
import type { Unit } from '../../db/write.ts'
import { NodeNotFound } from '../../errors.ts'

export type NodeRow = Selectable<NodesTable>
export type NodeStore = ReturnType<typeof createNodeStore>
export type NodeFilter = {
  name: string | undefined
  /** Part of the name. */
  q: string | undefined
  /** Only these, or all but these; each must hold. */
  among: readonly { ids: readonly string[]; isIn: boolean }[]
}
type Page = NodeFilter & { after: string | undefined; limit: number }

export function createNodeStore(db: Kysely<Database>) {
  return {
    /** By name; names are what people look for. */
    page: (page: Page): Promise<NodeRow[]> => pageQuery(db, page).execute(),
    labels: (): Promise<{ id: string; labels: string }[]> =>
      db
        .selectFrom('nodes')
        .select(['id', 'labels'])
        .where('decommissioned_at_ms', 'is', null)
        .execute(),
    byId: (id: string): Promise<NodeRow | undefined> => active(db, id),
  }
}

/** Walks the index of names, so a page costs the same wherever it begins. */
export function pageQuery(db: Kysely<Database>, { after, limit, name, q, among }: Page) {
  const page = db
    .selectFrom('nodes')
    .selectAll()
    .where('decommissioned_at_ms', 'is', null)
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .$if(q !== undefined, (query) => query.where(sql`instr(name, ${q?.toLowerCase()})`, '>', 0))
    .orderBy('name')
    .limit(limit)
  return among.reduce(
    (query, { ids, isIn }) =>
      query.where(
        'id',
        isIn ? 'in' : 'not in',
        sql<string>`(select value from json_each(${JSON.stringify(ids)}))`,
      ),
    page,
  )
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
