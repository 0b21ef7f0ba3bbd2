// SPDX-License-Identifier: MIT
// Nodes at rest: which there are, and what people say of them. A decommissioned node stays for the histories that
// name it. Who may speak for one: speakers.ts; what it said: said.ts.
import { type Selectable, sql } from 'kysely'
import type { Labels, Scope } from '../../access/scope.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import type { Unit } from '../../audit/write.ts'
import { nextTurn } from '../../base/slices.ts'
import type { NodesTable, Reader, Trx } from '../../db/database.ts'
import { eachOf } from '../../db/each-of.ts'
import { labelsWithin } from '../../db/labels.ts'
import type { Cordon } from '../../fleet/cordon.ts'
import { revokeCertificates } from './certificates.ts'
import { deleteTokensOfNodes } from './tokens.ts'

export type NodeRow = Selectable<NodesTable>

/** Not a decommissioned one. */
export const findNode = (db: Reader, id: string): Promise<NodeRow | undefined> =>
  db
    .selectFrom('nodes')
    .selectAll()
    .where('id', '=', id)
    .where('decommissioned_at_ms', 'is', null)
    .executeTakeFirst()

/** Throws NodeNotFound. */
export async function activeNode(db: Reader, id: string): Promise<NodeRow> {
  const node = await findNode(db, id)
  if (!node) throw new NodeNotFound(id)
  return node
}

/** Of decommissioned ones too: their past is still shown. null: there never was one. */
export async function labelsOfNode(db: Reader, id: string): Promise<Labels | null> {
  const row = await db.selectFrom('nodes').select('labels').where('id', '=', id).executeTakeFirst()
  return row ? JSON.parse(row.labels) : null
}

/** Which of these are nodes within the scope. */
export async function nodeIdsWithin(
  db: Reader,
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

/** Between two turns of the loop. */
const LABELS_AT_A_TIME = 500

/** Of all nodes within the scope, some at a time, with everybody else's turn between. */
export async function* labelsOfNodes(db: Reader, scope: Scope): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows = await labelsAfter(db, after, scope)
    yield rows.map(({ labels }) => labels)
    after = rows.length < LABELS_AT_A_TIME ? undefined : rows.at(-1)?.id
    if (after !== undefined) await nextTurn()
  }
}

const labelsAfter = (
  db: Reader,
  id: string,
  scope: Scope,
): Promise<{ id: string; labels: string }[]> =>
  db
    .selectFrom('nodes')
    .select(['id', 'labels'])
    .where('id', '>', id)
    .where('decommissioned_at_ms', 'is', null)
    .where(labelsWithin('labels', scope))
    .orderBy('id')
    .limit(LABELS_AT_A_TIME)
    .execute()

/** By name; decommissioned ones only when asked for by id: their past is still worth a look. */
export const namesOfNodes = (
  db: Reader,
  ids: readonly string[] | null,
  { limit, scope }: { limit: number; scope: Scope },
): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('nodes')
    .select(['id', 'name'])
    .$if(ids === null, (query) => query.where('decommissioned_at_ms', 'is', null))
    .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
    .where(labelsWithin('labels', scope))
    .orderBy('name')
    .limit(limit)
    .execute()

/** Of those of them that are within the scope, by id. */
export async function nodeNames(
  db: Reader,
  nodeIds: Iterable<string>,
  scope: Scope,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(nodeIds)]
  if (ids.length === 0) return new Map()
  const found = await namesOfNodes(db, ids, { limit: ids.length, scope })
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** What each of them can do, by its last hello. */
export async function capabilitiesOf(
  db: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'capabilities'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, capabilities }) => [id, JSON.parse(capabilities)]))
}

/** The last first. */
export const nodesEnrolledWith = (
  db: Reader,
  tokenId: string,
  scope: Scope,
): Promise<{ nodeId: string; nodeName: string }[]> =>
  db
    .selectFrom('nodes')
    .select(['id as nodeId', 'name as nodeName'])
    .where('enrolled_with', '=', tokenId)
    .where('decommissioned_at_ms', 'is', null)
    .where(labelsWithin('labels', scope))
    .orderBy('enrolled_at_ms', 'desc')
    .execute()

/** What a text is rendered for. */
export const targetColumns = (
  db: Reader,
  id: string,
): Promise<Pick<NodeRow, 'name' | 'labels' | 'merge_patch'> | undefined> =>
  db
    .selectFrom('nodes')
    .select(['name', 'labels', 'merge_patch'])
    .where('id', '=', id)
    .executeTakeFirst()

/** By version: nodes within the scope that run it. Both ends are looked at. */
export async function nodesByVersion(
  db: Reader,
  { config, from, to, scope }: { config: string; from: number; to: number; scope: Scope },
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('nodes')
    .select(({ fn }) => ['running_version as version', fn.countAll<number>().as('nodes')])
    .where('decommissioned_at_ms', 'is', null)
    .where('running_config', '=', config)
    .where('running_version', '>=', from)
    .where('running_version', '<=', to)
    .where(labelsWithin('labels', scope))
    .groupBy('running_version')
    .$narrowType<{ version: number }>()
    .execute()
  return new Map(rows.map(({ version, nodes }) => [version, nodes]))
}

/** Of the config, those that some node runs. */
export async function versionsRun(db: Reader, config: string): Promise<number[]> {
  const rows = await db
    .selectFrom('nodes')
    .select('running_version as version')
    .distinct()
    .where('decommissioned_at_ms', 'is', null)
    .where('running_config', '=', config)
    .$narrowType<{ version: number }>()
    .execute()
  return rows.map(({ version }) => version)
}

export async function nameIsTaken(db: Reader, name: string, byOtherThan = ''): Promise<boolean> {
  const other = await db
    .selectFrom('nodes')
    .select('id')
    .where('name', '=', name)
    .where('id', '!=', byOtherThan)
    .where('decommissioned_at_ms', 'is', null)
    .executeTakeFirst()
  return other !== undefined
}

type Facts = Pick<NodeRow, 'enrolled_with' | 'hostname' | 'version' | 'os' | 'arch'>
type NewNode = Facts &
  Pick<NodeRow, 'id' | 'name' | 'labels' | 'merge_patch' | 'forget_after_hours' | 'enrolled_at_ms'>

export async function insertNode(trx: Trx, node: NewNode): Promise<void> {
  const nothingSaid = { capabilities: '[]', max_epoch: 0, max_generation: 0 }
  await trx
    .insertInto('nodes')
    .values({ ...node, ...nothingSaid, revision: 1 })
    .execute()
}

/** It is known, and joins anew. */
export async function setFacts(trx: Trx, id: string, facts: Facts): Promise<void> {
  await trx.updateTable('nodes').set(facts).where('id', '=', id).execute()
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

/** Of many, in one statement; of each the revision is another. */
export async function relabelNodes(
  { trx }: Unit,
  nodes: readonly { id: string; labels: Labels }[],
): Promise<void> {
  await sql`
    update nodes set revision = revision + 1, labels = node.value ->> 'labels'
    from json_each(${JSON.stringify(nodes)}) node where nodes.id = node.value ->> 'id'`.execute(trx)
}

export async function setCordon(
  { trx }: Unit,
  ids: readonly string[],
  cordon: Cordon | null,
): Promise<void> {
  await trx
    .updateTable('nodes')
    .set({ cordon: cordon && JSON.stringify(cordon) })
    .where('id', 'in', eachOf(ids))
    .execute()
}

/** Whatever they were known by is worth nothing from the commit on; so are tokens for their way back. */
export async function decommission(
  { trx }: Unit,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  await revokeCertificates(trx, ids)
  await deleteTokensOfNodes(trx, ids)
  await trx
    .updateTable('nodes')
    .set({ decommissioned_at_ms: nowMs, credential_digest: null })
    .where('id', 'in', eachOf(ids))
    .execute()
}
