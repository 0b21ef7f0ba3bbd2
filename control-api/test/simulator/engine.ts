// SPDX-License-Identifier: MIT
// What engine.ts does over SQL, over maps: the service's own reducer, its effects and what follows from them.
import {
  type Command,
  type Effect,
  type Evaluated,
  firstProgress,
  type Policy,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../src/features/rollouts/model.ts'
import { overlap, reduce, whyNot } from '../../src/features/rollouts/rules.ts'
import { isDeferred } from '../../src/features/rollouts/tasks.ts'
import {
  type Database,
  findOffer,
  lastGood,
  latestOffer,
  nodeOf,
  type Offer,
  offersOf,
  setOfferState,
} from './database.ts'
import type { Watch } from './invariants.ts'

export type Order = {
  id: string
  digest: string
  policy: Policy
  waves: string[][]
  /** Of all nodes there are: what it proves is released. */
  isForAll: boolean
  onOverlap: 'refuse' | 'supersede'
}

/** The process it runs in: what is known there, and what happens after the commit. */
export type Host = {
  readonly db: Database
  readonly connected: ReadonlySet<string>
  readonly isRecovering: boolean
  newOfferId(): string
  wake(nodeId: string): void
}

export class Engine {
  readonly #host: Host
  readonly #watch: Watch
  /** Of orders that were for all nodes, what they were of. */
  readonly #forAll = new Map<string, string>()

  constructor(host: Host, watch: Watch) {
    this.#host = host
    this.#watch = watch
  }

  get #db(): Database {
    return this.#host.db
  }

  mayOrder({ waves, onOverlap }: Order): boolean {
    return overlap(this.#holders(waves.flat()), onOverlap).refusedBy === null
  }

  #holders = (nodeIds: readonly string[]) =>
    nodeIds.flatMap((nodeId) => this.#db.leases.get(nodeId) ?? [])

  order({ id, digest, policy, waves, onOverlap, isForAll }: Order): void {
    const nodeIds = waves.flat()
    // The plan is made before anything gives way to it.
    const settled = new Map(nodeIds.map((nodeId) => [nodeId, this.#settled(nodeId, digest)]))
    for (const holder of overlap(this.#holders(nodeIds), onOverlap).giveWay) {
      this.dispatch(holder, { kind: 'freeze', actor: `rollout ${id}` })
    }
    const tasks = waves.flatMap((wave, i) =>
      wave.map((nodeId) => this.#task(nodeId, digest, i, settled.get(nodeId) ?? null)),
    )
    for (const nodeId of nodeIds) this.#lease(nodeId, id)
    if (isForAll) this.#forAll.set(id, digest)
    this.#supersede(id, nodeIds)
    const progress = firstProgress(waves.length, policy)
    const byName = tasks.toSorted((a, b) => (a.nodeName < b.nodeName ? -1 : 1))
    const planned = { state: 'planned' as const, reason: 'Planned.', policy, progress }
    this.#db.rollouts.set(id, { ...planned, tasks: byName })
    this.dispatch(id, { kind: 'started' })
  }

  /** False: it means nothing now. */
  obey(id: string, command: Command): boolean {
    const rollout = this.#db.rollouts.get(id)
    if (!rollout || whyNot(rollout, command.kind) !== null) return false
    this.dispatch(id, command)
    return true
  }

  evaluated = (id: string, event: Evaluated): void => this.dispatch(id, event)

  ill(id: string, nodeId: string): void {
    this.dispatch(id, { kind: 'ill', nodeId, gate: 'errors5xx', message: 'answers 5xx' })
  }

  tick(ms: number): void {
    const overrun = [...this.#db.rollouts].flatMap(([id, rollout]) => this.#spend(id, rollout, ms))
    const timed = [...this.#db.rollouts].filter(([, rollout]) => isTimed(rollout))
    for (const [id, nodeId] of overrun) this.dispatch(id, { kind: 'deadline', nodeId })
    for (const [id] of timed) this.dispatch(id, { kind: 'elapsed', ms })
  }

  /** Whose time is over. */
  #spend(id: string, rollout: Rollout, ms: number): [string, string][] {
    const isOver = ({ deadlineMs }: Task) => deadlineMs !== null && deadlineMs <= ms
    const waiting = rollout.tasks.filter(({ deadlineMs }) => deadlineMs)
    if (waiting.length === 0) return []
    const tasks = rollout.tasks.map((task) =>
      task.deadlineMs && !isOver(task) ? { ...task, deadlineMs: task.deadlineMs - ms } : task,
    )
    this.#db.rollouts.set(id, { ...rollout, tasks })
    return waiting.filter(isOver).map(({ nodeId }) => [id, nodeId])
  }

  offerHeld(): void {
    for (const [id, { tasks }] of this.#db.rollouts) {
      if (tasks.some(isDeferred)) this.dispatch(id, { kind: 'elapsed', ms: 0 })
    }
  }

  heardAgain(): void {
    for (const id of this.#db.rollouts.keys()) this.dispatch(id, { kind: 'heard-again' })
  }

  toAllOf(nodeId: string, event: RolloutEvent): void {
    for (const [id, { tasks }] of this.#db.rollouts) {
      const task = tasks.find((one) => one.nodeId === nodeId)
      if (task && task.state !== 'skipped' && task.state !== 'done') this.dispatch(id, event)
    }
  }

  dispatch(id: string, event: RolloutEvent): void {
    const stored = this.#db.rollouts.get(id)
    if (!stored) return
    const before = { ...stored, tasks: stored.tasks.map((task) => this.#seen(task)) }
    const { rollout, effects, transitions } = reduce(before, event)
    this.#watch.onReduced(id, before, event, { rollout, effects, transitions })
    this.#db.rollouts.set(id, rollout)
    for (const effect of effects) this.#act(id, effect)
  }

  #seen(task: Task): Task {
    const isConnected = this.#host.connected.has(task.nodeId)
    return task.isConnected === isConnected ? task : { ...task, isConnected }
  }

  #act(id: string, effect: Effect): void {
    const db = this.#db
    switch (effect.kind) {
      case 'offer': {
        const { nodeId } = effect
        const task = db.rollouts.get(id)?.tasks.find((one) => one.nodeId === nodeId)
        this.#offer(id, nodeId, task?.digest ?? '')
        break
      }
      case 'give-back': {
        const { nodeId, generation } = effect
        const earlier = offersOf(db, nodeId).find((one) => one.generation === generation)
        this.#watch.onGiveBack(id, nodeId, earlier)
        this.#offer(id, nodeId, earlier?.digest ?? '')
        break
      }
      case 'withdraw': {
        const { nodeId, generation } = effect
        const offer = offersOf(db, nodeId).find((one) => one.generation === generation)
        if (offer?.state === 'offered') setOfferState(db, offer, 'withdrawn')
        break
      }
      case 'release-leases':
        for (const [nodeId, holder] of db.leases) if (holder === id) db.leases.delete(nodeId)
        break
      case 'release':
        this.#release(id)
        break
    }
  }

  /** Who joined meanwhile got what was released before, never a candidate. */
  #release(id: string): void {
    const db = this.#db
    const rollout = db.rollouts.get(id)
    const digest = this.#forAll.get(id)
    if (!rollout || digest === undefined) return
    if (rollout.state !== 'succeeded') this.#watch.fail('I3', `${id} is released, ${rollout.state}`)
    db.released = digest
    for (const [nodeId, { isDecommissioned }] of db.nodes) {
      const offers = offersOf(db, nodeId)
      const isPlanned = rollout.tasks.some((task) => task.nodeId === nodeId)
      const wasInOne = offers.some(({ rolloutId }) => rolloutId !== null)
      const isNew = !isDecommissioned && !isPlanned && offers.length > 0 && !wasInOne
      if (isNew && !this.#host.isRecovering && latestOffer(db, nodeId)?.digest !== digest)
        this.assign(null, nodeId, digest)
    }
  }

  #offer(rolloutId: string, nodeId: string, digest: string): void {
    // Its turn comes when the recovery is confirmed.
    if (this.#host.isRecovering) return
    const offer = this.assign(rolloutId, nodeId, digest)
    this.dispatch(rolloutId, { kind: 'offered', nodeId, generation: offer.generation })
    this.#watch.onOffered(this.#db, offer)
  }

  assign(rolloutId: string | null, nodeId: string, digest: string): Offer {
    if (this.#host.isRecovering) throw new Error(`${nodeId} is assigned something in recovery`)
    const db = this.#db
    const offers = offersOf(db, nodeId)
    const { maxGeneration } = nodeOf(db, nodeId).fences
    const generation = Math.max(maxGeneration, offers.at(-1)?.generation ?? 0) + 1
    const offerId = this.#host.newOfferId()
    const offer: Offer = { nodeId, generation, offerId, digest, rolloutId, state: 'offered' }
    this.#watch.onAssign(db, offer)
    db.offers.set(nodeId, [...offers, offer])
    this.#host.wake(nodeId)
    return findOffer(db, nodeId, offer) ?? offer
  }

  /** An operator lets the local change go: it gets the newest once more, unless that is under way. */
  giveAgain(nodeId: string): void {
    const latest = latestOffer(this.#db, nodeId)
    if (!latest || ['offered', 'acked', 'applied'].includes(latest.state)) return
    this.assign(null, nodeId, latest.digest)
  }

  #lease(nodeId: string, rolloutId: string): void {
    const holder = this.#db.leases.get(nodeId)
    if (holder !== undefined) this.#watch.fail('I2', `${nodeId} belongs to ${holder}`)
    this.#db.leases.set(nodeId, rolloutId)
  }

  #supersede(by: string, nodeIds: readonly string[]): void {
    for (const id of [...this.#db.rollouts.keys()]) {
      this.dispatch(id, { kind: 'superseded', nodeIds, by })
    }
  }

  /** The generation that brought what it runs, when nothing is to be changed on it. */
  #settled(nodeId: string, digest: string): number | null {
    const latest = latestOffer(this.#db, nodeId)
    const runs = nodeOf(this.#db, nodeId).effective?.digest
    const isIt = latest?.state === 'confirmed' && latest.digest === digest && runs === digest
    return isIt ? latest.generation : null
  }

  #task(nodeId: string, digest: string, wave: number, settled: number | null): Task {
    const previous = lastGood(this.#db, nodeId, digest)
    return {
      nodeId,
      nodeName: nodeId,
      wave: settled === null ? wave : 0,
      state: settled === null ? 'pending' : 'done',
      generation: settled,
      digest,
      previous: previous ? { generation: previous.generation, digest: previous.digest } : null,
      code: null,
      message: '',
      errors: [],
      deadlineMs: null,
      offers: 0,
      flaps: 0,
      isExcused: false,
      isConnected: this.#host.connected.has(nodeId),
    }
  }
}

const isTimed = ({ progress, state }: Rollout) =>
  (progress.progressLeftMs !== null || progress.phase === 'soaking') &&
  (state === 'running' || state === 'paused')
