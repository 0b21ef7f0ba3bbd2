// SPDX-License-Identifier: MIT
// What rollouts ask of the nodes: who there is, what each should run, and what it was well with.
import { sql } from 'kysely'
import type { Parts } from '../../../agent-protocol/content.ts'
import {
  type Assignment,
  givenOutsideRollouts,
  latestAssignments,
  partsByText,
  renderedTexts,
  type Standing,
} from '../../../assignments/store.ts'
import { nextTurn } from '../../../base/slices.ts'
import { releasedVersions } from '../../../certificates/store.ts'
import type { Reader, Trx } from '../../../db/database.ts'
import { releasedNumbers } from '../../../releases/given-store.ts'

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
  cordon: string | null
  /** Of its machine's owner: nodes with the same refuse the same. null: not known. */
  policy_rules: string | null
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
  'cordon',
] as const

/** Between two turns of the loop. */
const READ_AT_A_TIME = 500

/** By name. Read in parts: whether all of it still holds, fleetText says. */
export async function activeNodes(db: Reader): Promise<FleetNode[]> {
  const nodes: FleetNode[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const some = await activeNodesAfter(db, after)
    nodes.push(...some)
    after = some.length < READ_AT_A_TIME ? undefined : some.at(-1)?.id
    if (after !== undefined) await nextTurn()
  }
  return nodes.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const activeNodesAfter = (db: Reader, id: string): Promise<FleetNode[]> =>
  db
    .selectFrom('nodes')
    .leftJoin('node_policies', 'node_policies.node_id', 'nodes.id')
    .select(FLEET_COLUMNS)
    .select('node_policies.rules_id as policy_rules')
    .where('id', '>', id)
    .where('decommissioned_at_ms', 'is', null)
    .orderBy('id')
    .limit(READ_AT_A_TIME)
    .execute()

/** Of nodes that are not decommissioned: stands for which there are, and in which revisions. */
export const fleetTextOf = (nodes: readonly { id: string; revision: number }[]): string =>
  nodes
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, revision }) => `${id} ${revision}`)
    .join()

/** Of all there are: as one text, for a row of each takes five times as long. */
export async function fleetText(trx: Trx): Promise<string> {
  const { rows } = await sql<{ fleet: string | null }>`
    select string_agg(id || ' ' || revision, ',' order by id) as fleet from (
      select id, revision from nodes where decommissioned_at_ms is null
    ) as ids`.execute(trx)
  return rows[0]?.fleet ?? ''
}

export type LatestAssignment = Assignment &
  Standing & {
    /** It was released, with all that goes with it, or came to the node in a rollout that succeeded. What was frozen proves nothing. */
    isProven: boolean
  }

/** What each should run, by node. */
export async function latestProven(
  db: Reader,
  nodeIds: readonly string[],
): Promise<ReadonlyMap<string, LatestAssignment>> {
  const latest = await latestAssignments(db, nodeIds)
  const proven = await provenAmong(db, [...latest.values()])
  return new Map(
    [...latest].map(([nodeId, given]) => [nodeId, { ...given, isProven: proven.has(nodeId) }]),
  )
}

/**
 * Which nodes are well with what they were given. A release is of a version of a config, and says nothing of the
 * certificates and releases that came to the node with it: those must have gone to all themselves, as for who is new (`givenVersions`).
 */
async function provenAmong(db: Reader, latest: readonly Assignment[]): Promise<Set<string>> {
  const given = latest.map(({ node_id: id, config, version, digest }) => ({
    ...{ id, config, version, digest },
  }))
  const { rows } = await sql<{ id: string; isReleased: number; hasSucceeded: number }>`
    select given.value ->> 'id' as id, exists (
      select 1 from releases
      where config = given.value ->> 'config' and version = cast(given.value ->> 'version' as bigint)
    ) as "isReleased", exists (
      select 1 from node_tasks t join rollouts r on r.id = t.rollout_id
      where t.node_id = given.value ->> 'id' and t.digest = given.value ->> 'digest'
        and t.state = 'done' and r.config = given.value ->> 'config' and r.state = 'succeeded'
    ) as "hasSucceeded"
    from json_each(${JSON.stringify(given)}) given`.execute(db)
  const unproven = await textsWithUnproven(db, latest)
  const textOf = new Map(latest.map(({ node_id, text_id }) => [node_id, text_id]))
  const isProven = ({ id, isReleased, hasSucceeded }: (typeof rows)[number]) =>
    hasSucceeded === 1 || (isReleased === 1 && !unproven.has(textOf.get(id) ?? ''))
  return new Set(rows.filter(isProven).map(({ id }) => id))
}

/** Of what these nodes were given the texts with certificates or releases in versions that no rollout brought to all. */
async function textsWithUnproven(db: Reader, latest: readonly Assignment[]): Promise<Set<string>> {
  const byText = await partsByText(
    db,
    latest.map(({ text_id }) => text_id),
  )
  const parts = [...byText.values()]
  const released = await releasedVersions(
    db,
    parts.flatMap(({ certificates }) => certificates.map(({ name }) => name)),
  )
  const numbers = await releasedNumbers(
    db,
    parts.flatMap(({ releases }) => releases.map(({ name }) => name)),
  )
  const isUnproven = ([, { certificates, releases }]: [string, Parts]) =>
    certificates.some(({ name, version }) => released.get(name) !== version) ||
    releases.some(({ name, number }) => numbers.get(name) !== number)
  return new Set([...byText].filter(isUnproven).map(([id]) => id))
}

type Good = { node_id: string; generation: number; digest: string }

/** By node: of the assignments it was confirmed with, the newest that no rollout has found bad. */
export async function lastGood(
  trx: Trx,
  wanted: readonly { nodeId: string; notDigest: string }[],
): Promise<Map<string, Good>> {
  const { rows } = await sql<Good>`
    select a.node_id, a.generation, a.digest from json_each(${JSON.stringify(wanted)}) wanted
    cross join assignments a where a.node_id = wanted.value ->> 'nodeId' and a.generation = (
      select b.generation from assignments b
      left join node_tasks t on t.rollout_id = b.rollout_id and t.node_id = b.node_id
      where b.node_id = wanted.value ->> 'nodeId' and b.state = 'confirmed'
        and b.digest <> wanted.value ->> 'notDigest'
        and (t.node_id is null
          or (t.generation = b.generation and t.state in ('healthy', 'done', 'reverted')))
      order by b.generation desc limit 1
    )`.execute(trx)
  return new Map(rows.map((row) => [row.node_id, row]))
}

export type JoinedNode = Pick<FleetNode, 'id' | 'name' | 'labels' | 'merge_patch'>

/** Of all that the plan does not have the next, by id. Not the cordoned. */
export const joinedAfter = (
  trx: Trx,
  rolloutId: string,
  after: string,
  most: number,
): Promise<JoinedNode[]> =>
  trx
    .selectFrom('nodes')
    .select(['id', 'name', 'labels', 'merge_patch'])
    .where('id', '>', after)
    .where('decommissioned_at_ms', 'is', null)
    .where('cordon', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('node_tasks')
            .select('node_id')
            .where('rollout_id', '=', rolloutId)
            .whereRef('node_id', '=', 'nodes.id'),
        ),
      ),
    )
    .orderBy('id')
    .limit(most)
    .execute()

/** They were told something, but by no rollout. */
export async function whoNeverHadARollout(trx: Trx, nodes: readonly JoinedNode[]) {
  const outside = await givenOutsideRollouts(
    trx,
    nodes.map(({ id }) => id),
  )
  return nodes.filter(({ id }) => outside.has(id))
}

type Ability = 'probes' | 'probeAnswers' | 'pathWatch'

/** The rollout's nodes that said that they can. */
export async function nodesThatCan(
  db: Reader,
  rolloutId: string,
  ability: Ability,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('node_tasks')
    .innerJoin('nodes', 'nodes.id', 'node_tasks.node_id')
    .select('nodes.id')
    .where('rollout_id', '=', rolloutId)
    .where(
      sql<boolean>`exists (select 1 from json_each(nodes.capabilities) where value = ${ability})`,
    )
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** What these of its nodes are to run, their texts by id. */
export async function textsOfNodes(
  db: Reader,
  rolloutId: string,
  nodeIds: readonly string[],
): Promise<{ textOf: Map<string, string>; texts: Map<string, string> }> {
  const rows = await db
    .selectFrom('node_tasks')
    .select(['node_id', 'text_id'])
    .where('rollout_id', '=', rolloutId)
    .where('node_id', 'in', [...nodeIds])
    .execute()
  const textOf = new Map(rows.map((row) => [row.node_id, row.text_id]))
  return { textOf, texts: await renderedTexts(db, [...new Set(textOf.values())]) }
}
