// SPDX-License-Identifier: MIT
// What engine.ts does over SQL, over maps: the service's own reducer, its effects and what follows from them.

import { type Closed, closedAt } from '../../src/features/rollout-rules/windows.ts'
import { whyNot } from '../../src/features/rollouts/reducer/commands.ts'
import { countFiles, type FilesOf } from '../../src/features/rollouts/reducer/files-first.ts'
import {
  type Command,
  type Effect,
  type Evaluated,
  firstProgress,
  isWaiting,
  type Policy,
  type Rollout,
  type RolloutEvent,
  type StartNode,
  type Task,
} from '../../src/features/rollouts/reducer/model.ts'
import { reduce } from '../../src/features/rollouts/reducer/rules.ts'
import {
  isDeferred,
  isOnItsWayBack,
  isToBeLeft,
  isUnproven,
} from '../../src/features/rollouts/reducer/tasks.ts'
import {
  copyOf,
  type Database,
  findOffer,
  lastGood,
  latestOffer,
  type NodeRow,
  nodeOf,
  type Offer,
  offersOf,
  type Rules,
  setOfferState,
  unfinished,
  wasProven,
} from './database.ts'
import type { Watch } from './invariants.ts'
import { kindOf } from './kinds.ts'
import { type Asked, advanceQueue, isDue, isSettled, type Now } from './queue.ts'

export type Order = {
  id: string
  digest: string
  policy: Policy
  waves: string[][]
  /** Of all nodes there are: what it proves is released. */
  isForAll: boolean
  asked: Asked
}

/** The process it runs in: what is known there, and what happens after the commit. */
export type Host = {
  db: Database
  readonly connected: ReadonlySet<string>
  readonly isRecovering: boolean
  readonly isStorageFull: boolean
  /** Jumps. */
  readonly wallMs: number
  readonly nodesAtOnce: number
  /** Of files that go first; null: it is not known. */
  filesOf(rolloutId: string): FilesOf | null
  newOfferId(): string
  wake(nodeId: string): void
}

/** A task: its rollout and its node. */
type Place = readonly [rolloutId: string, nodeId: string]
type Pass = { ms: number; after: Place | null; late: readonly Place[] }

const MINUTE_MS = 60_000

export class Engine {
  readonly #host: Host
  readonly #watch: Watch
  /** Of orders that were for all nodes, what they were of. */
  readonly #forAll = new Map<string, string>()
  #pass: Pass | null = null
  /** Windows open and close with a minute, and are looked at with every event. */
  #known: { rules: Rules; minute: number; closed: Closed | null } | null = null

  constructor(host: Host, watch: Watch) {
    this.#host = host
    this.#watch = watch
  }

  get #db(): Database {
    return this.#host.db
  }

  /** No change window is open; null: one is. */
  get #closed(): Closed | null {
    const { rules } = this.#db
    const minute = Math.floor(this.#host.wallMs / MINUTE_MS)
    if (this.#known?.rules !== rules || this.#known.minute !== minute) {
      this.#known = { rules, minute, closed: closedAt(rules, minute * MINUTE_MS) }
    }
    return this.#known.closed
  }

  get #clock(): Now {
    return { nowMs: this.#host.wallMs, closed: this.#closed }
  }

  /** Whoever could begin has begun, and the others say what they wait for. */
  get isSettled(): boolean {
    return isSettled(this.#db, this.#clock)
  }

  /** False: it was refused, and nothing of it stays. */
  order({ id, digest, policy, waves, isForAll, asked }: Order): boolean {
    const before = copyOf(this.#db)
    const tasks = waves.flatMap((wave, i) => wave.map((nodeId) => newTask(nodeId, digest, i)))
    const progress = firstProgress(waves.length, policy)
    const byName = tasks.toSorted((a, b) => (a.nodeName < b.nodeName ? -1 : 1))
    const planned = { state: 'planned' as const, reason: { code: 'planned' as const }, ...OF_NOW }
    if (isForAll) this.#forAll.set(id, digest)
    this.#db.rollouts.set(id, { ...planned, policy, progress, tasks: byName })
    this.#db.asked.set(id, asked)
    this.advanceQueue()
    const isInTheWay = (this.#db.asked.get(id)?.blockedBy.length ?? 0) > 0
    const isRefused = this.#db.rollouts.get(id)?.state === 'cancelled' && isInTheWay
    if (isRefused) this.#host.db = before
    return !isRefused
  }

  approve(id: string): boolean {
    const asked = this.#db.asked.get(id)
    if (!asked || this.#db.rollouts.get(id)?.state !== 'awaiting_approval') return false
    const { approvals } = asked
    const given = approvals.given + 1
    this.#db.asked.set(id, { ...asked, approvals: { ...approvals, given } })
    this.advanceQueue()
    return true
  }

  /** Whose turn it is begins in the same transaction. */
  advanceQueue(): void {
    if (this.#host.isRecovering) return
    let most = this.#host.nodesAtOnce
    advanceQueue(this.#db, this.#clock, {
      dispatch: (id, event) => this.#apply(id, event),
      begin: (id) => {
        most -= this.#begin(id, most)
      },
    })
  }

  /** Returns how many of its nodes began, of which there may be so many more in this transaction. */
  #begin(id: string, most: number): number {
    const { wallMs } = this.#host
    this.#watch.onBegin(this.#db, id, { wallMs, closed: this.#closed })
    for (const { nodeId, state } of this.#db.rollouts.get(id)?.tasks ?? [])
      if (state !== 'skipped' && !this.#isGone(nodeId)) this.#lease(nodeId, id)
    const isLarge = (this.#db.rollouts.get(id)?.tasks.length ?? 0) > most
    const begun = isLarge ? { nodes: [], begunTo: '' } : this.#beginSome(id, '')
    this.#apply(id, { kind: 'started', ...begun })
    return begun.nodes.length
  }

  /** The next of its nodes, by id. */
  #beginSome(id: string, after: string): { nodes: StartNode[]; begunTo?: string } {
    const { nodesAtOnce } = this.#host
    const tasks = (this.#db.rollouts.get(id)?.tasks ?? [])
      .filter(({ nodeId, state }) => state !== 'skipped' && nodeId > after)
      .toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
    const some = tasks.slice(0, nodesAtOnce)
    const nodes = some
      .filter(({ nodeId }) => !this.#isGone(nodeId))
      .map(({ nodeId, digest }) => this.#startNode(nodeId, digest))
    this.#supersede(
      id,
      nodes.map(({ nodeId }) => nodeId),
    )
    const last = some.at(-1)
    return { nodes, ...(tasks.length > nodesAtOnce && last && { begunTo: last.nodeId }) }
  }

  /** Of what was decided for many nodes the next part. */
  goOn(id: string): void {
    const { begunTo, newcomersTo, unfinished: left } = this.#db.rollouts.get(id)?.progress ?? {}
    const released = this.#forAll.get(id)
    if (newcomersTo !== undefined && released !== undefined && !this.#host.isRecovering) {
      this.#giveNewcomers(id, released, newcomersTo)
      return
    }
    if (!left) return
    this.dispatch(
      id,
      begunTo === undefined
        ? { kind: 'goes-on' }
        : { kind: 'begun', ...this.#beginSome(id, begunTo) },
    )
  }

  #isGone = (nodeId: string) => nodeOf(this.#db, nodeId).isDecommissioned

  #startNode(nodeId: string, digest: string): StartNode {
    const latest = latestOffer(this.#db, nodeId)
    const runs = nodeOf(this.#db, nodeId).effective?.digest
    const isSettled = latest?.state === 'confirmed' && latest.digest === digest && runs === digest
    const previous = lastGood(this.#db, nodeId, digest)
    return {
      nodeId,
      settledGeneration: isSettled ? latest.generation : null,
      isProven: wasProven(this.#db, nodeId, digest),
      previous: previous ? { generation: previous.generation, digest: previous.digest } : null,
    }
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
    this.#pass = { ms, after: null, late: [] }
    this.letMorePass()
  }

  /** Not all of those whose next step is awaited have spent the time yet. */
  get isTimePassing(): boolean {
    return this.#pass !== null
  }

  /** Of them the next part. */
  letMorePass(): void {
    if (!this.#pass) return
    const { ms, after, late } = this.#pass
    const found = this.#awaitedAfter(after).slice(0, this.#host.nodesAtOnce)
    const over = found.filter(([id, nodeId]) => !this.#spend(id, nodeId, ms))
    const all = [...late, ...over]
    const isLast = found.length < this.#host.nodesAtOnce
    this.#pass = isLast ? null : { ms, after: found.at(-1) ?? null, late: all }
    if (isLast) this.#timeHasPassed(ms, all)
  }

  /** The process is gone. */
  forgetTime(): void {
    this.#pass = null
  }

  #timeHasPassed(ms: number, late: readonly Place[]): void {
    const timed = [...this.#db.rollouts].filter(([, rollout]) => isTimed(rollout))
    const sharing = this.#sharing()
    const isTurn = !this.#host.isRecovering && isDue(this.#db, this.#clock)
    for (const [id, nodeId] of late) {
      const deadlineMs = this.#task(id, nodeId)?.deadlineMs
      if (deadlineMs && deadlineMs <= ms) this.dispatch(id, { kind: 'deadline', nodeId })
    }
    for (const [id] of timed) this.dispatch(id, { kind: 'elapsed', ms })
    for (const id of sharing) this.dispatch(id, { kind: 'room' })
    if (isTurn) this.advanceQueue()
  }

  /** Who goes back has its share first; of one that succeeded, stragglers may have come back. */
  #sharing(): string[] {
    if (this.#db.rules.blastBudget === null) return []
    const all = [...this.#db.rollouts]
    const isAway = ({ state }: Task) => state === 'unreachable'
    const goBack = all.filter(([, { state }]) => state === 'reverting')
    const others = all.filter(
      ([, { state, tasks }]) =>
        state === 'running' || (state === 'succeeded' && tasks.some(isAway)),
    )
    return [...goBack, ...others].map(([id]) => id)
  }

  /** What the others leave of the farm's budget, as store/tasks.ts asks for it in SQL; null: no limit. */
  #roomFor(own: string): Pick<Rollout, 'room' | 'roomHeldBy'> {
    const { blastBudget } = this.#db.rules
    if (blastBudget === null) return { room: null, roomHeldBy: [] }
    const isTaking = (id: string, task: Task) => {
      const isOwned = this.#db.leases.get(task.nodeId) === id
      const isMoving = task.deadlineMs !== null && task.deadlineMs > 0
      return isOnItsWayBack(task) || (isUnproven(task) && (isOwned || isMoving))
    }
    const others = [...this.#db.rollouts].filter(([id]) => id !== own)
    const taken = others
      .map(([id, { tasks }]) => ({ id, n: tasks.filter((task) => isTaking(id, task)).length }))
      .filter(({ n }) => n > 0)
    const room = taken.reduce((left, { n }) => left - n, blastBudget)
    return { room, roomHeldBy: taken.map(({ id }) => id) }
  }

  #task = (id: string, nodeId: string) =>
    this.#db.rollouts.get(id)?.tasks.find((task) => task.nodeId === nodeId)

  /** By rollout and node. */
  #awaitedAfter(after: Place | null): Place[] {
    const ids = [...this.#db.rollouts.keys()]
    const from = after ? ids.indexOf(after[0]) : 0
    return ids.slice(from).flatMap((id) => {
      const tasks = this.#db.rollouts.get(id)?.tasks ?? []
      const isBehind = (nodeId: string) => after?.[0] !== id || nodeId > after[1]
      return tasks
        .filter(({ nodeId, deadlineMs }) => deadlineMs && isBehind(nodeId))
        .map(({ nodeId }): Place => [id, nodeId])
        .sort(([, a], [, b]) => (a < b ? -1 : 1))
    })
  }

  /** False: its time is over. */
  #spend(id: string, nodeId: string, ms: number): boolean {
    const rollout = this.#db.rollouts.get(id)
    const deadlineMs = this.#task(id, nodeId)?.deadlineMs ?? 0
    if (!rollout || deadlineMs <= ms) return false
    const tasks = rollout.tasks.map((task) =>
      task.nodeId === nodeId ? { ...task, deadlineMs: deadlineMs - ms } : task,
    )
    this.#db.rollouts.set(id, { ...rollout, tasks })
    return true
  }

  offerHeld(): void {
    for (const [id, { tasks }] of this.#db.rollouts) {
      if (tasks.some(isDeferred)) this.dispatch(id, { kind: 'elapsed', ms: 0 })
    }
  }

  storageFull(): void {
    const underWay = [...this.#db.rollouts].filter(
      ([, { state }]) => state === 'running' || state === 'paused',
    )
    for (const [id] of underWay) this.dispatch(id, { kind: 'storage-full' })
  }

  heardAgain(): void {
    for (const id of this.#db.rollouts.keys()) this.dispatch(id, { kind: 'heard-again' })
  }

  toAllOf(nodeId: string, event: RolloutEvent): void {
    const isOpen = (id: string, { state }: Task) =>
      isBeingWatched(state) || this.#db.leases.get(nodeId) === id
    const concerned = [...this.#db.rollouts].filter(([id, { tasks }]) =>
      tasks.some((task) => task.nodeId === nodeId && isOpen(id, task)),
    )
    for (const [id] of concerned) this.dispatch(id, event)
  }

  /** What people did to some at once. */
  nodesChanged(kind: 'decommissioned' | 'cordoned', all: readonly string[]): void {
    const concerned = [...this.#db.rollouts].map(([id, { tasks }]) => {
      const isOpen = ({ nodeId, state }: Task) =>
        all.includes(nodeId) && (isBeingWatched(state) || this.#db.leases.get(nodeId) === id)
      return { id, nodeIds: tasks.filter(isOpen).map(({ nodeId }) => nodeId) }
    })
    for (const { id, nodeIds } of concerned)
      if (nodeIds.length > 0) this.dispatch(id, { kind, nodeIds })
    if (kind === 'decommissioned') this.advanceQueue()
  }

  /** What is over for one may be the turn of another. */
  dispatch(id: string, event: RolloutEvent): void {
    const before = this.#db.rollouts.get(id)?.state
    this.#apply(id, event)
    if (this.#db.rollouts.get(id)?.state !== before) this.advanceQueue()
  }

  /** A restore: nobody's turn comes, they all end. */
  freezeAll(): void {
    for (const id of unfinished(this.#db)) {
      const state = this.#db.rollouts.get(id)?.state
      const kind = state && isWaiting(state) ? 'cancel' : 'freeze'
      this.#apply(id, { kind, actor: 'the restore' })
    }
  }

  #apply(id: string, event: RolloutEvent): void {
    const stored = this.#db.rollouts.get(id)
    if (!stored) return
    const closed = this.#db.asked.get(id)?.isEmergency ? null : this.#closed
    const tasks = stored.tasks.map((task) => this.#seen(task))
    const { isStorageFull, nodesAtOnce } = this.#host
    const isLooked = event.kind === 'elapsed' && stored.progress.phase === 'files'
    const filesOf = isLooked ? this.#host.filesOf(id) : null
    const filesNow = filesOf && countFiles(tasks, filesOf)
    const ofNow = { closed, tasks, filesNow, isStorageFull, nodesAtOnce }
    const before = { ...stored, ...ofNow, ...this.#roomFor(id) }
    const { rollout, effects, transitions } = reduce(before, event)
    this.#watch.onReduced(id, before, event, { rollout, effects, transitions })
    this.#db.rollouts.set(id, rollout)
    for (const effect of effects) this.#act(id, effect)
  }

  #seen(task: Task): Task {
    const isConnected = this.#host.connected.has(task.nodeId)
    const { cordon } = nodeOf(this.#db, task.nodeId)
    const isSame = task.isConnected === isConnected && task.cordon === cordon
    return isSame ? task : { ...task, isConnected, cordon }
  }

  #act(id: string, effect: Effect): void {
    const db = this.#db
    switch (effect.kind) {
      case 'offer': {
        const { nodeId } = effect
        this.#offer(id, nodeId, this.#task(id, nodeId)?.digest ?? '')
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
    this.#watch.onReleased(digest)
    if (digest !== db.released) db.releases = [...db.releases, digest]
    db.released = digest
    if (!this.#host.isRecovering) this.#giveNewcomers(id, digest, '')
  }

  /** To the next of those who joined meanwhile, by id. */
  #giveNewcomers(id: string, digest: string, after: string): void {
    const db = this.#db
    const rollout = db.rollouts.get(id)
    if (!rollout) return
    const planned = new Set(rollout.tasks.map(({ nodeId }) => nodeId))
    const isJoined = ([nodeId, { isDecommissioned, cordon }]: [string, NodeRow]) =>
      !isDecommissioned && cordon === null && !planned.has(nodeId)
    const joined = [...db.nodes].filter(isJoined).map(([nodeId]) => nodeId)
    const behind = joined.filter((nodeId) => nodeId > after).toSorted()
    const isOld = db.released !== digest
    const some = isOld ? [] : behind.slice(0, this.#host.nodesAtOnce)
    for (const nodeId of some) {
      const offers = offersOf(db, nodeId)
      const wasInOne = offers.some(({ rolloutId }) => rolloutId !== null)
      const isNew = offers.length > 0 && !wasInOne
      if (isNew && latestOffer(db, nodeId)?.digest !== digest) this.assign(null, nodeId, digest)
    }
    const { newcomersTo: _, ...progress } = rollout.progress
    const last = some.length < this.#host.nodesAtOnce ? undefined : some.at(-1)
    const noted = { ...progress, ...(last !== undefined && { newcomersTo: last }) }
    db.rollouts.set(id, { ...rollout, progress: noted })
  }

  #offer(rolloutId: string, nodeId: string, digest: string): void {
    // Its turn comes when the recovery is confirmed.
    if (this.#host.isRecovering) return
    // A later rollout owns it, and is about to say so.
    const owner = this.#db.leases.get(nodeId)
    if (owner !== undefined && owner !== rolloutId) return
    const offer = this.assign(rolloutId, nodeId, digest)
    this.#apply(rolloutId, { kind: 'offered', nodeId, generation: offer.generation })
    this.#watch.onOffered(this.#db, offer)
  }

  assign(rolloutId: string | null, nodeId: string, digest: string): Offer {
    if (this.#host.isRecovering) throw new Error(`${nodeId} is assigned something in recovery`)
    const db = this.#db
    const offers = offersOf(db, nodeId)
    const { maxGeneration } = nodeOf(db, nodeId).fences
    const generation = Math.max(maxGeneration, offers.at(-1)?.generation ?? 0) + 1
    const offerId = this.#host.newOfferId()
    const offered = { state: 'offered' as const, code: null }
    const offer: Offer = { nodeId, generation, offerId, digest, rolloutId, ...offered }
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

  /** What earlier rollouts still had to do with its nodes is over. */
  #supersede(by: string, nodeIds: readonly string[]): void {
    for (const [id, { tasks, state }] of [...this.#db.rollouts]) {
      if (isWaiting(state)) continue
      const isConcerned = tasks.some((task) => nodeIds.includes(task.nodeId) && isToBeLeft(task))
      if (id !== by && isConcerned) this.#apply(id, { kind: 'superseded', nodeIds, by })
    }
  }
}

/** Of now; not stored. */
const OF_NOW = { closed: null, room: null, roomHeldBy: [], isStorageFull: false }

const OVER: readonly Task['state'][] = [
  'done',
  'nacked',
  'unhealthy',
  'apply_reverted',
  'apply_stuck',
  'reverted',
  'skipped',
]
const isBeingWatched = (state: Task['state']) => !OVER.includes(state)

const newTask = (nodeId: string, digest: string, wave: number): Task => ({
  nodeId,
  nodeName: nodeId,
  wave,
  state: 'pending',
  generation: null,
  digest,
  previous: null,
  code: null,
  message: '',
  leftOutFor: null,
  errors: [],
  deadlineMs: null,
  offers: 0,
  flaps: 0,
  refusals: 0,
  kind: kindOf(nodeId),
  policyRules: null,
  isExcused: false,
  isConnected: false,
  cordon: null,
})

const isTimed = ({ progress, state }: Rollout) =>
  (progress.progressLeftMs !== null || progress.phase !== 'dispatching') &&
  (state === 'running' || state === 'paused')
