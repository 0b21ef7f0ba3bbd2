// SPDX-License-Identifier: MIT
// What rollouts ask of the nodes: who there is, what each should run, and what it was well with.
import { type Selectable, sql } from 'kysely'
import { driftOf } from '../../../assignments/drift.ts'
import type { AssignmentsTable, Reader, Trx } from '../../../db/database.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'

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

export const activeNodes = (db: Reader): Promise<FleetNode[]> =>
  db
    .selectFrom('nodes')
    .leftJoin('node_policies', 'node_policies.node_id', 'nodes.id')
    .select(FLEET_COLUMNS)
    .select('node_policies.rules_id as policy_rules')
    .where('decommissioned_at_ms', 'is', null)
    .orderBy('name')
    .execute()

export type LatestAssignment = Pick<
  Selectable<AssignmentsTable>,
  'generation' | 'config' | 'digest' | 'state'
> & {
  /** It was released, or came to the node in a rollout that succeeded. What was frozen proves nothing. */
  isProven: boolean
}

/** What each node should run, by node. */
export async function latestAssignments(
  db: Reader,
): Promise<ReadonlyMap<string, LatestAssignment>> {
  const rows = await db
    .selectFrom('assignments as a')
    .select(['node_id', 'generation', 'config', 'digest', 'state'])
    .select((eb) =>
      eb
        .or([
          eb.exists(
            eb
              .selectFrom('releases')
              .select('releases.id')
              .whereRef('releases.config', '=', 'a.config')
              .whereRef('releases.version', '=', 'a.version'),
          ),
          eb.exists(
            eb
              .selectFrom('node_tasks as t')
              .innerJoin('rollouts as r', 'r.id', 't.rollout_id')
              .select('t.node_id')
              .whereRef('t.node_id', '=', 'a.node_id')
              .whereRef('t.digest', '=', 'a.digest')
              .whereRef('r.config', '=', 'a.config')
              .where('t.state', '=', 'done')
              .where('r.state', '=', 'succeeded'),
          ),
        ])
        .as('is_proven'),
    )
    .where('generation', '=', (eb) =>
      eb
        .selectFrom('assignments as b')
        .select(({ fn }) => fn.max('b.generation').as('generation'))
        .whereRef('b.node_id', '=', 'a.node_id')
        .where('b.state', '!=', 'withdrawn'),
    )
    .execute()
  return new Map(
    rows.map(({ node_id, is_proven, ...row }) => [
      node_id,
      { ...row, isProven: Boolean(is_proven) },
    ]),
  )
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

type Targeted = { name: string; labels: string; merge_patch: string }

export const targetColumns = (trx: Trx, nodeId: string): Promise<Targeted | undefined> =>
  trx
    .selectFrom('nodes')
    .select(['name', 'labels', 'merge_patch'])
    .where('id', '=', nodeId)
    .executeTakeFirst()

/** Of what was changed on its machine, as far as we know; null: not yet, or nothing was. */
export async function localDigest(trx: Trx, nodeId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('nodes')
    .select('drift')
    .where('id', '=', nodeId)
    .executeTakeFirst()
  return (row && driftOf(row)?.digest) ?? null
}

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

/** Nodes that joined after the plan was made: no rollout has had them, and they were told something. Not the cordoned. */
export const newcomers = (trx: Trx, rollout: RolloutRow) =>
  trx
    .selectFrom('nodes')
    .select(['id', 'name', 'labels', 'merge_patch'])
    .where('decommissioned_at_ms', 'is', null)
    .where('cordon', 'is', null)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('node_tasks').select('node_id').where('rollout_id', '=', rollout.id),
    )
    .where('id', 'in', (eb) => eb.selectFrom('assignments').select('node_id'))
    .where('id', 'not in', (eb) =>
      eb.selectFrom('assignments').select('node_id').where('rollout_id', 'is not', null),
    )
    .execute()

/** The rollout's nodes that can fetch paths from themselves. */
export async function nodesThatProbe(db: Reader, rolloutId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('node_tasks')
    .innerJoin('nodes', 'nodes.id', 'node_tasks.node_id')
    .select('nodes.id')
    .where('rollout_id', '=', rolloutId)
    .where(
      sql<boolean>`exists (select 1 from json_each(nodes.capabilities) where value = 'probes')`,
    )
    .execute()
  return new Set(rows.map((row) => row.id))
}
