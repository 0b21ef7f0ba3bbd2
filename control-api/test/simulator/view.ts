// SPDX-License-Identifier: MIT
// What of the simulated database must be in the real one too: both in one shape.
import { decisionOf, driftOf } from '../../src/assignments/drift.ts'
import { lastReleaseOf } from '../../src/features/configs/store.ts'
import type { Rollout, Task } from '../../src/features/rollouts/reducer/model.ts'
import { type Cordon, cordonOf } from '../../src/fleet/cordon.ts'
import { cloneOf } from '../../src/node-identity/clones.ts'
import type { Services } from '../../src/process/services.ts'
import type { Database, Offer } from './database.ts'
import { CONFIG } from './real-plane.ts'
import type { StoredRollout } from './stored-rollouts.ts'

export type RolloutView = Pick<Rollout, 'state' | 'reason' | 'policy' | 'progress'> & {
  id: string
  tasks: TaskView[]
}
type TaskView = Omit<Task, 'isConnected' | 'cordon'>
type View = {
  epoch: number
  released: string | null
  rollouts: RolloutView[]
  offers: Omit<Offer, 'code'>[]
  /** Node and rollout. */
  leases: [string, string][]
  nodes: {
    id: string
    maxGeneration: number
    maxEpoch: number
    incarnation: string | null
    keep: string | null
    effective: string | null
    drift: string | null
    discarded: string | null
    isDecommissioned: boolean
    cordon: Cordon | null
  }[]
}

/** Whether a node is connected is known in memory only, and its cordon is the node's. */
export const tasksShown = (tasks: readonly Task[]): TaskView[] =>
  tasks.map(({ isConnected: _, cordon: __, ...task }) => task)

export const shown = (
  id: string,
  { state, reason, policy, progress, tasks }: Rollout,
): RolloutView => ({ id, state, reason, policy, progress, tasks: tasksShown(tasks) })

export function viewOf({ epoch, rollouts, offers, leases, nodes, released }: Database): View {
  return {
    epoch,
    released,
    rollouts: [...rollouts].map(([id, rollout]) => shown(id, rollout)),
    offers: [...offers.values()].flat().map(({ code: _, ...offer }) => offer),
    leases: [...leases].sort(),
    nodes: [...nodes].map(([id, row]) => ({
      id,
      ...row.fences,
      incarnation: row.standing.current,
      keep: row.standing.clone?.keep ?? null,
      effective: row.effective?.digest ?? null,
      drift: row.drift,
      discarded: row.discarded,
      isDecommissioned: row.isDecommissioned,
      cordon: row.cordon,
    })),
  }
}

/** In its own words. */
export async function viewOfReal(
  db: Services['db'],
  rollouts: readonly StoredRollout[],
): Promise<View> {
  const meta = db.selectFrom('meta').select('value').where('key', '=', 'epoch')
  return {
    epoch: Number((await meta.executeTakeFirst())?.value),
    released: await releasedIn(db),
    rollouts: rollouts.map(({ view }) => view),
    offers: await offersIn(db),
    leases: await leasesIn(db),
    nodes: await nodesIn(db),
  }
}

async function releasedIn(db: Services['db']): Promise<string | null> {
  const release = await db.transaction().execute((trx) => lastReleaseOf(trx, CONFIG))
  return release ? `v${release.version}` : null
}

async function offersIn(db: Services['db']): Promise<View['offers']> {
  const rows = await db
    .selectFrom('assignments')
    .select(['node_id', 'generation', 'offer_id', 'digest', 'rollout_id', 'state'])
    .orderBy('node_id')
    .orderBy('generation')
    .execute()
  return rows.map((row) => ({
    nodeId: row.node_id,
    generation: row.generation,
    offerId: row.offer_id,
    digest: row.digest,
    rolloutId: row.rollout_id,
    state: row.state,
  }))
}

async function leasesIn(db: Services['db']): Promise<View['leases']> {
  const rows = await db.selectFrom('node_leases').selectAll().orderBy('node_id').execute()
  return rows.map((row) => [row.node_id, row.rollout_id])
}

async function nodesIn(db: Services['db']): Promise<View['nodes']> {
  const rows = await db.selectFrom('nodes').selectAll().orderBy('id').execute()
  return rows.map((row) => ({
    id: row.id,
    maxGeneration: row.max_generation,
    maxEpoch: row.max_epoch,
    incarnation: row.incarnation,
    keep: cloneOf(row)?.keep ?? null,
    effective: row.effective === null ? null : JSON.parse(row.effective).digest,
    drift: driftOf(row)?.digest ?? null,
    discarded: decisionOf(row)?.digest ?? null,
    isDecommissioned: row.decommissioned_at_ms !== null,
    cordon: cordonOf(row),
  }))
}
