// SPDX-License-Identifier: MIT
// The control plane of the simulation: the service's own reducer and its own table of messages, over a
// database that is a few maps. Each message is one transaction; what leaves the process happens after it,
// and is what a crash takes.

import { judge, type Said } from '../../src/agents/offers.ts'
import type { AssignmentState } from '../../src/db/database.ts'
import {
  type Command,
  type Effect,
  type Evaluated,
  firstProgress,
  isTerminal,
  isWaiting,
  type Policy,
  type Rollout,
  type RolloutEvent,
  type StartNode,
  type Task,
} from '../../src/features/rollouts/model.ts'
import { mayKeep, reduce, whyNot } from '../../src/features/rollouts/rules.ts'
import { isOnItsWayBack, isUnproven } from '../../src/features/rollouts/tasks.ts'
import type { Watch } from './invariants.ts'
import { type Asked, takeTurns } from './line.ts'
import type { Answer } from './network.ts'
import type { Given, Message, Result } from './node.ts'

export type Offer = {
  nodeId: string
  generation: number
  digest: string
  rolloutId: string
  state: AssignmentState
  /** Why it was refused. */
  code: string | null
}
export type Order = {
  id: string
  digest: string
  policy: Policy
  waves: string[][]
  asked: Asked
}
/** What a crash does not take. Values are never changed, only replaced, so a copy of the maps is a backup. */
export type Database = {
  epoch: number
  rollouts: Map<string, Rollout>
  /** Of each rollout: what was asked before it may begin. */
  asked: Map<string, Asked>
  offers: Map<string, readonly Offer[]>
  leases: Map<string, string>
  fences: Map<string, { maxGeneration: number; maxEpoch: number }>
}
type Told = {
  kind: Said
  nodeId: string
  generation: number
  digest: string
  reason: string | null
}

const copyOf = (db: Database): Database => ({
  epoch: db.epoch,
  rollouts: new Map(db.rollouts),
  asked: new Map(db.asked),
  offers: new Map(db.offers),
  leases: new Map(db.leases),
  fences: new Map(db.fences),
})

export class ControlPlane {
  db: Database
  readonly #watch: Watch
  /** A crash between commit and what follows it. */
  readonly #crashes: () => boolean
  readonly connected = new Set<string>()
  readonly #polls = new Map<string, { have: number; answer: (answer: Answer) => void }>()
  #wakes: string[] = []
  isUp = true
  isRecovering = false
  /** Why no change window is open; null: one is. */
  closed: string | null = null
  /** Jumps. */
  wallMs: () => number = () => 0

  /** Of the whole farm; null: no limit. */
  readonly farmBudget: number | null

  constructor(
    nodeIds: readonly string[],
    watch: Watch,
    { crashes, farmBudget }: { crashes: () => boolean; farmBudget: number | null },
  ) {
    this.#watch = watch
    this.farmBudget = farmBudget
    this.#crashes = crashes
    this.db = {
      epoch: 1,
      rollouts: new Map(),
      asked: new Map(),
      offers: new Map(nodeIds.map((id) => [id, []])),
      leases: new Map(),
      fences: new Map(nodeIds.map((id) => [id, { maxGeneration: 0, maxEpoch: 0 }])),
    }
  }

  crash(): void {
    this.isUp = false
    this.connected.clear()
    this.#polls.clear()
    this.#wakes = []
  }

  start(): void {
    this.isUp = true
    this.#write(() => {
      this.db.epoch++
      for (const id of this.#unsettled()) this.#dispatch(id, { kind: 'heard-again' })
    })
  }

  backup = (): Database => copyOf(this.db)

  /** From then on it listens, and offers nothing until somebody says that it is to go on. */
  restore(backup: Database): void {
    this.crash()
    this.db = copyOf(backup)
    this.isRecovering = true
    this.isUp = true
    this.#write(() => {
      for (const [id, rollout] of this.db.rollouts) {
        const kind = isWaiting(rollout.state) ? 'cancel' : 'freeze'
        if (!isTerminal(rollout.state)) this.#dispatch(id, { kind, actor: 'the restore' })
      }
    })
  }

  confirmRecovery(): void {
    const epochs = [...this.db.fences.values()].map(({ maxEpoch }) => maxEpoch)
    this.db.epoch = Math.max(this.db.epoch, ...epochs) + 1
    this.isRecovering = false
  }

  presence(nodeId: string, kind: 'connected' | 'disconnected'): void {
    if (!this.isUp || this.connected.has(nodeId) === (kind === 'connected')) return
    if (kind === 'connected') this.connected.add(nodeId)
    else this.connected.delete(nodeId)
    this.#write(() => this.#toAllOf(nodeId, { kind, nodeId }))
  }

  receive(nodeId: string, message: Message, answer: (answer: Answer) => void): void {
    if (!this.isUp) return
    this.presence(nodeId, 'connected')
    if (message.kind === 'desired') {
      this.#wait(nodeId, message.have, answer)
      return
    }
    const reply = this.#write(() => this.#take(nodeId, message))
    if (reply) answer(reply)
  }

  order({ id, digest, policy, waves, asked }: Order): void {
    if (this.isRecovering) return
    this.#write(() => {
      const tasks = waves.flatMap((wave, i) => wave.map((nodeId) => this.#task(nodeId, digest, i)))
      const progress = firstProgress(waves.length, policy)
      const planned = { state: 'planned' as const, reason: 'Planned.', closed: null, room: null }
      this.db.rollouts.set(id, { ...planned, policy, progress, tasks })
      this.db.asked.set(id, asked)
    })
  }

  approve(id: string): void {
    const asked = this.db.asked.get(id)
    if (!asked || this.db.rollouts.get(id)?.state !== 'awaiting_approval') return
    this.#write(() => {
      const { approvals } = asked
      const given = approvals.given + 1
      this.db.asked.set(id, { ...asked, approvals: { ...approvals, given } })
    })
  }

  command(id: string, command: Command): void {
    const rollout = this.db.rollouts.get(id)
    if (!rollout || whyNot(rollout, command.kind) !== null) return
    this.#write(() => this.#dispatch(id, command))
  }

  evaluated(id: string, event: Evaluated): void {
    this.#write(() => this.#dispatch(id, event))
  }

  ill(id: string, nodeId: string): void {
    this.#write(() => {
      this.#dispatch(id, { kind: 'ill', nodeId, gate: 'errors5xx', message: 'answers 5xx' })
    })
  }

  tick(ms: number): void {
    if (!this.isUp) return
    this.#write(() => {
      for (const [id, rollout] of this.db.rollouts) this.#spend(id, rollout, ms)
      if (this.farmBudget !== null) this.#shareRoom()
    })
  }

  #shareRoom(): void {
    for (const state of ['reverting', 'running', 'succeeded']) {
      for (const [id, rollout] of this.db.rollouts) {
        if (rollout.state === state) this.#dispatch(id, { kind: 'room' })
      }
    }
  }

  /** As task-store.ts asks for it in SQL. */
  #roomOf(own: string): number | null {
    if (this.farmBudget === null) return null
    let room = this.farmBudget
    for (const [id, { tasks }] of this.db.rollouts) {
      if (id === own) continue
      for (const task of tasks) {
        const isOwned = this.db.leases.get(task.nodeId) === id
        const isMoving = task.deadlineMs !== null && task.deadlineMs > 0
        if (isOnItsWayBack(task) || (isUnproven(task) && (isOwned || isMoving))) room--
      }
    }
    return room
  }

  #spend(id: string, rollout: Rollout, ms: number): void {
    const overrun: string[] = []
    const tasks = rollout.tasks.map((task) => {
      if (!task.deadlineMs) return task
      if (task.deadlineMs <= ms) overrun.push(task.nodeId)
      return task.deadlineMs <= ms ? task : { ...task, deadlineMs: task.deadlineMs - ms }
    })
    if (tasks.some((task, i) => task !== rollout.tasks[i])) {
      this.db.rollouts.set(id, { ...rollout, tasks })
    }
    for (const nodeId of overrun) this.#dispatch(id, { kind: 'deadline', nodeId })
    const { progress, state } = rollout
    const isTimed = progress.progressLeftMs !== null || progress.phase !== 'dispatching'
    if (isTimed && (state === 'running' || state === 'paused')) {
      this.#dispatch(id, { kind: 'elapsed', ms })
    }
  }

  /** null: it crashed after the commit. */
  #write<T>(work: () => T): T | null {
    const result = work()
    this.#takeTurns()
    const wakes = this.#wakes
    this.#wakes = []
    this.#watch.afterCommit(this)
    if (this.#crashes()) {
      this.crash()
      return null
    }
    for (const nodeId of wakes) {
      const poll = this.#polls.get(nodeId)
      if (poll) this.#wait(nodeId, poll.have, poll.answer)
    }
    return result
  }

  #wait(nodeId: string, have: number, answer: (answer: Answer) => void): void {
    const latest = this.db.offers.get(nodeId)?.findLast(({ state }) => state !== 'withdrawn')
    const isNews =
      latest && latest.generation > have && latest.state !== 'nacked' && !this.isRecovering
    if (!isNews) {
      this.#polls.set(nodeId, { have, answer })
      return
    }
    this.#polls.delete(nodeId)
    const { generation, digest } = latest
    answer({ status: 200, body: { generation, digest, epoch: this.db.epoch } satisfies Given })
  }

  #take(nodeId: string, message: Exclude<Message, { kind: 'desired' }>): Answer {
    switch (message.kind) {
      case 'hello': {
        this.#fence(nodeId, message)
        if (message.lastResult) this.#result(nodeId, message.lastResult)
        if (message.run > 1) this.#toAllOf(nodeId, { kind: 'restarted', nodeId })
        if (message.local !== null) this.#drifted(nodeId, message.local)
        return { status: 200 }
      }
      case 'nack': {
        this.#fence(nodeId, message)
        return this.#said(nodeId, 'nacked', message.given, message.code)
      }
      case 'local':
        this.#drifted(nodeId, message.digest)
        return { status: 200 }
      case 'ack':
        return this.#said(nodeId, 'acked', message.given, null)
      case 'result':
        return { status: this.#result(nodeId, message.result) ? 200 : 409 }
      case 'confirm':
        return this.#confirm(nodeId, message.given)
    }
  }

  #drifted = (nodeId: string, digest: string) =>
    this.#toAllOf(nodeId, { kind: 'drifted', nodeId, generation: null, digest })

  #fence(nodeId: string, said: { maxGeneration: number; maxEpoch: number }): void {
    const known = this.db.fences.get(nodeId) ?? { maxGeneration: 0, maxEpoch: 0 }
    this.db.fences.set(nodeId, {
      maxGeneration: Math.max(known.maxGeneration, said.maxGeneration),
      maxEpoch: Math.max(known.maxEpoch, said.maxEpoch),
    })
  }

  #find = (nodeId: string, { generation, digest }: Given) =>
    this.db.offers.get(nodeId)?.find((o) => o.generation === generation && o.digest === digest)

  #isCurrent(offer: Offer): boolean {
    const latest = this.db.offers.get(offer.nodeId)?.findLast(({ state }) => state !== 'withdrawn')
    return latest?.generation === offer.generation
  }

  #said(nodeId: string, kind: 'acked' | 'nacked', given: Given, reason: string | null): Answer {
    const offer = this.#find(nodeId, given)
    if (!offer || !this.#isCurrent(offer)) return { status: 409 }
    this.#advance(offer, kind, reason)
    return { status: 200 }
  }

  #result(nodeId: string, { given, outcome, reason }: Result): boolean {
    const offer = this.#find(nodeId, given)
    if (offer) this.#advance(offer, outcome, reason)
    return offer !== undefined
  }

  #confirm(nodeId: string, given: Given): Answer {
    const offer = this.#find(nodeId, given)
    if (offer?.state === 'confirmed') return { status: 200, body: true }
    if (!offer || !this.#isCurrent(offer)) return { status: 409 }
    this.#advance(offer, 'applied', null)
    const applied = this.#find(nodeId, given)
    const rollout = this.db.rollouts.get(offer.rolloutId)
    const keep =
      applied &&
      judge('confirmed', applied.state) === 'take' &&
      (!rollout || mayKeep(rollout, { nodeId, generation: given.generation }))
    if (keep) this.#watch.onKept(rollout, applied)
    if (keep) this.#advance(applied, 'confirmed', null)
    return { status: 200, body: keep === true }
  }

  #advance(offer: Offer, kind: Said, reason: string | null): void {
    if (judge(kind, offer.state) !== 'take') return
    this.#setState(offer, kind, reason)
    const { nodeId, generation, digest } = offer
    this.#dispatch(offer.rolloutId, eventOf({ kind, nodeId, generation, digest, reason }))
  }

  #setState(
    { nodeId, generation }: Offer,
    state: AssignmentState,
    code: string | null = null,
  ): void {
    const offers = this.db.offers.get(nodeId) ?? []
    this.db.offers.set(
      nodeId,
      offers.map((offer) => (offer.generation === generation ? { ...offer, state, code } : offer)),
    )
  }

  #unsettled = () => [...this.db.rollouts.keys()]

  #toAllOf(nodeId: string, event: RolloutEvent): void {
    for (const [id, { tasks }] of this.db.rollouts) {
      const task = tasks.find((one) => one.nodeId === nodeId)
      const isOver = task?.state === 'done' && this.db.leases.get(nodeId) !== id
      if (task && task.state !== 'skipped' && !isOver) this.#dispatch(id, event)
    }
  }

  #dispatch(id: string, event: RolloutEvent): void {
    const stored = this.db.rollouts.get(id)
    if (!stored) return
    const tasks = stored.tasks.map((task) => this.#seen(task))
    const closed = this.db.asked.get(id)?.isEmergency ? null : this.closed
    const before = { ...stored, closed, tasks, room: this.#roomOf(id) }
    const { rollout, effects, transitions } = reduce(before, event)
    this.#watch.onReduced(id, before, event, { rollout, effects, transitions })
    this.db.rollouts.set(id, rollout)
    for (const effect of effects) this.#act(id, effect)
  }

  #seen(task: Task): Task {
    const isConnected = this.connected.has(task.nodeId)
    return task.isConnected === isConnected ? task : { ...task, isConnected }
  }

  #act(id: string, effect: Effect): void {
    switch (effect.kind) {
      case 'offer': {
        const { nodeId } = effect
        const task = this.db.rollouts.get(id)?.tasks.find((one) => one.nodeId === nodeId)
        this.#assign(id, nodeId, task?.digest ?? '')
        break
      }
      case 'give-back': {
        const { nodeId, generation } = effect
        const earlier = this.db.offers.get(nodeId)?.find((o) => o.generation === generation)
        this.#watch.onGiveBack(id, nodeId, earlier)
        this.#assign(id, nodeId, earlier?.digest ?? '')
        break
      }
      case 'withdraw': {
        const offer = this.db.offers
          .get(effect.nodeId)
          ?.find((o) => o.generation === effect.generation)
        if (offer?.state === 'offered') this.#setState(offer, 'withdrawn')
        break
      }
      case 'release-leases':
        for (const [nodeId, holder] of this.db.leases) {
          if (holder === id) this.db.leases.delete(nodeId)
        }
        break
      case 'release':
        break
    }
  }

  #assign(rolloutId: string, nodeId: string, digest: string): void {
    if (this.isRecovering) return
    const offers = this.db.offers.get(nodeId) ?? []
    const { maxGeneration = 0 } = this.db.fences.get(nodeId) ?? {}
    const generation = Math.max(maxGeneration, offers.at(-1)?.generation ?? 0) + 1
    const offer: Offer = { nodeId, generation, digest, rolloutId, state: 'offered', code: null }
    this.#watch.onAssign(this, offer)
    this.db.offers.set(nodeId, [...offers, offer])
    this.#wakes.push(nodeId)
    this.#dispatch(rolloutId, { kind: 'offered', nodeId, generation })
    this.#watch.onOffered(this, offer)
  }

  #lease(nodeId: string, rolloutId: string): void {
    const holder = this.db.leases.get(nodeId)
    if (holder !== undefined) throw new Error(`I2: ${nodeId} belongs to ${holder}`)
    this.db.leases.set(nodeId, rolloutId)
  }

  #supersede(by: string, nodeIds: readonly string[]): void {
    for (const id of [...this.db.rollouts.keys()]) {
      this.#dispatch(id, { kind: 'superseded', nodeIds, by })
    }
  }

  /** Whose turn it is begins in the same transaction. */
  #takeTurns(): void {
    if (this.isRecovering) return
    const now = { nowMs: this.wallMs(), closed: this.closed }
    takeTurns(this.db, now, {
      dispatch: (id, event) => this.#dispatch(id, event),
      begin: (id) => this.#begin(id),
    })
  }

  #begin(id: string): void {
    this.#watch.onBegin(this, id)
    const tasks = this.db.rollouts.get(id)?.tasks ?? []
    const nodes = tasks.map(({ nodeId, digest }) => this.#startNode(nodeId, digest))
    const nodeIds = nodes.map(({ nodeId }) => nodeId)
    for (const nodeId of nodeIds) this.#lease(nodeId, id)
    this.#supersede(id, nodeIds)
    this.#dispatch(id, { kind: 'started', nodes })
  }

  #startNode(nodeId: string, digest: string): StartNode {
    const offers = this.db.offers.get(nodeId) ?? []
    const latest = offers.findLast(({ state }) => state !== 'withdrawn')
    const isSettled = latest?.state === 'confirmed' && latest.digest === digest
    const previous = offers.findLast((offer) => offer.digest !== digest && this.#isGood(offer))
    return {
      nodeId,
      settledGeneration: isSettled ? latest.generation : null,
      previous: previous ? { generation: previous.generation, digest: previous.digest } : null,
    }
  }

  #task(nodeId: string, digest: string, wave: number): Task {
    return {
      nodeId,
      nodeName: nodeId,
      wave,
      state: 'pending',
      generation: null,
      digest,
      previous: null,
      code: null,
      message: '',
      errors: [],
      deadlineMs: null,
      offers: 0,
      flaps: 0,
      refusals: 0,
      kind: '',
      isExcused: false,
      isConnected: this.connected.has(nodeId),
    }
  }

  /** As store.ts asks for it in SQL. */
  #isGood({ state, rolloutId, nodeId, generation }: Offer): boolean {
    const rollout = this.db.rollouts.get(rolloutId)
    const task = rollout?.tasks.find((one) => one.nodeId === nodeId)
    if (state !== 'confirmed') return false
    const isProven = task && ['healthy', 'done', 'reverted'].includes(task.state)
    return !task || (task.generation === generation && isProven === true)
  }
}

function eventOf({ kind, nodeId, generation, digest, reason }: Told): RolloutEvent {
  switch (kind) {
    case 'acked':
    case 'confirmed':
      return { kind, nodeId, generation }
    case 'nacked':
      return reason === 'local_change'
        ? { kind: 'drifted', nodeId, generation, digest: null }
        : { kind, nodeId, generation, code: reason ?? '', message: 'it refused', errors: [] }
    case 'applied':
      return { kind, nodeId, generation, digest }
    case 'reverted':
    case 'stuck':
      return { kind, nodeId, generation, reason, message: 'it said so' }
  }
}
