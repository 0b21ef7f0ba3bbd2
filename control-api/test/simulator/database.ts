// SPDX-License-Identifier: MIT
// What a crash of the control plane does not take: a few maps. Values are never changed, only replaced, so a
// copy of the maps is a backup.
import type { AssignmentState } from '../../src/db/database.ts'
import type { RolloutRules } from '../../src/features/rollout-rules/schema.ts'
import { isTerminal, type Rollout } from '../../src/features/rollouts/reducer/model.ts'
import type { Cordon } from '../../src/fleet/cordon.ts'
import type { Incarnation, Standing } from '../../src/node-identity/clones.ts'
import type { Effective, Fences, Given } from './messages.ts'
import type { Asked } from './queue.ts'

export type Offer = {
  nodeId: string
  generation: number
  offerId: string
  digest: string
  /** null: what a new node got of what was released. */
  rolloutId: string | null
  state: AssignmentState
  /** Why it was refused. */
  code: string | null
}
export type NodeRow = {
  fences: Fences
  standing: Standing
  /** Of its last hello. */
  said: Incarnation | null
  effective: Effective | null
  drift: string | null
  /** The local change that an operator lets go. */
  discarded: string | null
  isDecommissioned: boolean
  cordon: Cordon | null
}
/** What the farm's rules ask of every order. */
export type Rules = Omit<RolloutRules, 'approvalHours'>
export type Database = {
  epoch: number
  rules: Rules
  rollouts: Map<string, Rollout>
  /** Of each rollout: what was asked before it may begin. */
  asked: Map<string, Asked>
  offers: Map<string, readonly Offer[]>
  leases: Map<string, string>
  nodes: Map<string, NodeRow>
  /** What new nodes get. */
  released: string | null
  /** All that ever was, newest last. */
  releases: readonly string[]
}

export const emptyDatabase = (): Database => ({
  epoch: 0,
  rules: { approvals: 0, windows: [], timeZone: 'UTC', blastBudget: null },
  rollouts: new Map(),
  asked: new Map(),
  offers: new Map(),
  leases: new Map(),
  nodes: new Map(),
  released: null,
  releases: [],
})

export const copyOf = (db: Database): Database => ({
  ...db,
  rollouts: new Map(db.rollouts),
  asked: new Map(db.asked),
  offers: new Map(db.offers),
  leases: new Map(db.leases),
  nodes: new Map(db.nodes),
})

export function addNode(db: Database, id: string): void {
  db.offers.set(id, [])
  db.nodes.set(id, {
    fences: { maxGeneration: 0, maxEpoch: 0 },
    standing: { current: null, past: [], clone: null },
    said: null,
    effective: null,
    drift: null,
    discarded: null,
    isDecommissioned: false,
    cordon: null,
  })
}

export function nodeOf(db: Database, id: string): NodeRow {
  const row = db.nodes.get(id)
  if (!row) throw new Error(`there is no ${id}`)
  return row
}

export const setNode = (db: Database, id: string, change: Partial<NodeRow>): void => {
  db.nodes.set(id, { ...nodeOf(db, id), ...change })
}

export const offersOf = (db: Database, nodeId: string): readonly Offer[] =>
  db.offers.get(nodeId) ?? []

export const latestOffer = (db: Database, nodeId: string): Offer | undefined =>
  offersOf(db, nodeId).findLast(({ state }) => state !== 'withdrawn')

export const findOffer = (
  db: Database,
  nodeId: string,
  { generation, offerId }: Pick<Given, 'generation' | 'offerId'>,
): Offer | undefined =>
  offersOf(db, nodeId).find((one) => one.generation === generation && one.offerId === offerId)

export const isCurrent = (db: Database, { nodeId, generation }: Offer): boolean =>
  latestOffer(db, nodeId)?.generation === generation

export function setOfferState(
  db: Database,
  { nodeId, generation }: Offer,
  state: AssignmentState,
  code: string | null = null,
): void {
  const offers = offersOf(db, nodeId)
  db.offers.set(
    nodeId,
    offers.map((offer) => (offer.generation === generation ? { ...offer, state, code } : offer)),
  )
}

/** The newest that the node was confirmed with and no rollout has found bad, as store.ts asks for it in SQL. */
export const lastGood = (db: Database, nodeId: string, notDigest: string): Offer | undefined =>
  offersOf(db, nodeId).findLast((offer) => offer.digest !== notDigest && isGood(db, offer))

function isGood(db: Database, { state, rolloutId, nodeId, generation }: Offer): boolean {
  const rollout = rolloutId === null ? undefined : db.rollouts.get(rolloutId)
  const task = rollout?.tasks.find((one) => one.nodeId === nodeId)
  if (state !== 'confirmed') return false
  const isProven = task && ['healthy', 'done', 'reverted'].includes(task.state)
  return !task || (task.generation === generation && isProven === true)
}

/** What was released and a node was well with, newest first, each once, as configs/store.ts asks for it in SQL. */
export function provenReleases(db: Database): string[] {
  const all = [...new Set(db.releases.toReversed())]
  const offers = [...db.offers.values()].flat()
  return all.filter((digest) => offers.some((one) => one.digest === digest && isKept(db, one)))
}

function isKept({ rollouts }: Database, { state, rolloutId, nodeId }: Offer): boolean {
  const tasks = rolloutId === null ? undefined : rollouts.get(rolloutId)?.tasks
  const task = tasks?.find((one) => one.nodeId === nodeId)
  return state === 'confirmed' && (!task || task.state === 'healthy' || task.state === 'done')
}

/** It was released, or came to the node in a rollout that succeeded, as store/nodes.ts asks for it in SQL. */
export const wasProven = ({ releases, rollouts }: Database, nodeId: string, digest: string) =>
  releases.includes(digest) ||
  [...rollouts.values()].some(
    ({ state, tasks }) =>
      state === 'succeeded' &&
      tasks.some(
        (task) => task.nodeId === nodeId && task.digest === digest && task.state === 'done',
      ),
  )

export const unfinished = (db: Database): string[] =>
  [...db.rollouts].filter(([, { state }]) => !isTerminal(state)).map(([id]) => id)
