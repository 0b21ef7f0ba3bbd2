// SPDX-License-Identifier: MIT
// The control plane of the simulation, as a process: who is there and who waits. Each message is one
// transaction; what leaves the process happens after it, and is what a crash takes.
import { isDeepStrictEqual } from 'node:util'
import type { Command, Evaluated, Rollout } from '../../src/features/rollouts/reducer/model.ts'
import { ReleasesAhead, type Wanted } from '../../src/fleet/ahead.ts'
import type { Cordon } from '../../src/fleet/cordon.ts'
import { createLatencyBoard } from '../../src/metrics-store/latency-board.ts'
import { admit } from '../../src/node-identity/clones.ts'
import {
  addNode,
  copyOf,
  type Database,
  emptyDatabase,
  latestOffer,
  nodeOf,
  type Offer,
  provenReleases,
  type Rules,
  setNode,
} from './database.ts'
import { Engine, type Host, type Order } from './engine.ts'
import { Inbox } from './inbox.ts'
import type { Watch } from './invariants.ts'
import type { AheadSaid, Answer, Given, Message } from './messages.ts'
import { contentsOf } from './release-files.ts'
import type { Deed, FilesKnown, Tape } from './tape.ts'

export type Deps = {
  watch: Watch
  /** A crash between commit and what follows it. */
  crashes: () => boolean
  /** What is done to it, for who does it again. */
  tape?: Tape
  wallMs: () => number
  nodesAtOnce: number
  /** There is more to do for a rollout, in transactions of its own. */
  onUnfinished: (id: string) => void
  /** Time has not passed for all yet. */
  onTimePassing: () => void
  /** Tells offers of two control planes apart. */
  name?: string
}
type Waiting = {
  have: number
  incarnation: string
  ahead: AheadSaid | undefined
  answer: (answer: Answer) => void
}
const isToGoOn = ({ progress }: Rollout) =>
  progress.unfinished !== undefined || progress.newcomersTo !== undefined
/** Nothing came of going on. */
const isAsFar = (before: Rollout, after: Rollout | undefined) =>
  isDeepStrictEqual(
    [before.state, before.progress, before.tasks],
    [after?.state, after?.progress, after?.tasks],
  )
/** A node without a config has no mark of what it went back from. */
const isAnswered = ({ state }: Offer) => state === 'nacked' || state === 'reverted'

export class ControlPlane implements Host {
  db: Database = emptyDatabase()
  readonly connected = new Set<string>()
  readonly #deps: Deps
  readonly #engine: Engine
  readonly #inbox: Inbox
  readonly #polls = new Map<string, Waiting>()
  #wakes: string[] = []
  /** Of what goes on in parts: those whose next part is to come. */
  readonly #underWay = new Set<string>()
  readonly #stuck = new Set<string>()
  #offers = 0
  /** While one tick is not through, that of the next waits for the one behind it. */
  #owedMs = 0
  /** What nodes measured, in memory only. */
  board = createLatencyBoard()
  #ahead = this.#newAhead()
  isUp = false
  isRecovering = false
  isStorageFull = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#engine = new Engine(this, deps.watch)
    this.#inbox = new Inbox(this, this.#engine, deps.watch)
  }

  #newAhead(): ReleasesAhead {
    return new ReleasesAhead({ wake: (nodeId) => this.wake(nodeId) })
  }

  filesOf(rolloutId: string) {
    if (!this.#ahead.knows(rolloutId)) return null
    return (nodeId: string) => this.#ahead.stateOf(rolloutId, nodeId)
  }

  filesKnown(): FilesKnown {
    const known = [...this.db.rollouts].filter(([id]) => this.#ahead.knows(id))
    return new Map(
      known.map(([id, { tasks }]) => {
        const states = tasks.map(({ nodeId }) => [nodeId, this.#ahead.stateOf(id, nodeId)] as const)
        return [id, new Map(states)]
      }),
    )
  }

  get wallMs(): number {
    return this.#deps.wallMs()
  }

  get nodesAtOnce(): number {
    return this.#deps.nodesAtOnce
  }

  newOfferId = () => `${this.#deps.name ?? 'o'}${++this.#offers}`
  wake(nodeId: string): void {
    this.#wakes.push(nodeId)
  }

  crash(): void {
    this.isUp = false
    // It finds out anew.
    this.isStorageFull = false
    this.connected.clear()
    this.#polls.clear()
    this.#underWay.clear()
    this.#stuck.clear()
    this.#engine.forgetTime()
    this.#owedMs = 0
    this.#wakes = []
    this.board = createLatencyBoard()
    this.#ahead = this.#newAhead()
    this.#deps.tape?.note({ kind: 'crash' }, null, this)
  }

  start(): void {
    this.isUp = true
    this.#deps.watch.files.onStart(this.#deps.watch.nowMs())
    this.#do({ kind: 'start' }, () => {
      this.db.epoch++
      this.#engine.heardAgain()
    })
    this.#goOnLater()
  }

  /** Of what was decided for many nodes the next part. */
  goOn(id: string): void {
    this.#underWay.delete(id)
    const before = this.db.rollouts.get(id)
    if (!this.isUp || !before || !isToGoOn(before)) return
    this.#do({ kind: 'goes-on', id }, () => {
      this.#engine.goOn(id)
      // What cannot go on now is tried again with something else.
      if (isAsFar(before, this.db.rollouts.get(id))) this.#stuck.add(id)
    })
  }

  #goOnLater(): void {
    for (const [id, rollout] of this.db.rollouts) {
      if (!isToGoOn(rollout) || this.#underWay.has(id) || this.#stuck.has(id)) continue
      this.#underWay.add(id)
      this.#deps.onUnfinished(id)
    }
  }

  enrol(nodeId: string): void {
    this.#do({ kind: 'enrol', nodeId }, () => addNode(this.db, nodeId))
  }

  backup(): Database {
    const copy = copyOf(this.db)
    this.#deps.tape?.note({ kind: 'backup', copy }, null, this)
    return copy
  }

  /** From then on it listens, and offers nothing until somebody says that it is to go on. */
  restore(backup: Database): void {
    this.crash()
    this.db = copyOf(backup)
    this.isRecovering = true
    this.isUp = true
    this.#deps.watch.files.onStart(this.#deps.watch.nowMs())
    this.#do({ kind: 'restore', copy: backup }, () => {
      this.db.epoch++
      this.#engine.freezeAll()
    })
  }

  confirmRecovery(): void {
    if (!this.isUp || !this.isRecovering) return
    this.#do({ kind: 'confirm-recovery' }, () => {
      this.db.epoch = Math.max(this.db.epoch, this.#highestEpoch()) + 1
      this.isRecovering = false
      this.#engine.offerHeld()
    })
  }

  #highestEpoch = () =>
    Math.max(0, ...[...this.db.nodes.values()].map(({ fences }) => fences.maxEpoch))

  get isSettled(): boolean {
    return this.#engine.isSettled
  }

  presence(nodeId: string, change: 'connected' | 'disconnected'): void {
    if (!this.isUp || this.connected.has(nodeId) === (change === 'connected')) return
    if (!this.db.nodes.has(nodeId)) return
    if (change === 'connected') this.connected.add(nodeId)
    else this.connected.delete(nodeId)
    const { isDecommissioned } = nodeOf(this.db, nodeId)
    this.#do({ kind: 'presence', nodeId, change }, () => {
      if (!isDecommissioned) this.#engine.toAllOf(nodeId, { kind: change, nodeId })
    })
  }

  receive(nodeId: string, message: Message, answer: (answer: Answer) => void): void {
    if (!this.isUp) return
    // Unknown: it joined after the backup that this one was restored from.
    if (this.db.nodes.get(nodeId)?.isDecommissioned !== false) {
      answer({ code: 'identity_revoked' })
      return
    }
    this.presence(nodeId, 'connected')
    if (!this.isUp) return
    if (message.kind === 'desired') {
      const { have, incarnation, ahead } = message
      this.#hearAhead(nodeId, message)
      this.#wait(nodeId, { have, incarnation, ahead, answer })
      return
    }
    if (message.kind === 'ahead') {
      this.#hearAhead(nodeId, message)
      answer({ code: 'ok' })
      return
    }
    const reply = this.#do({ kind: 'message', nodeId, message }, () =>
      this.#inbox.take(nodeId, message),
    )
    if (reply && message.kind === 'hello' && reply.code === 'ok') this.#ahead.restarted(nodeId)
    if (reply) answer(reply)
  }

  #hearAhead(nodeId: string, message: Extract<Message, { kind: 'desired' | 'ahead' }>): void {
    const { incarnation, ahead } = message
    if (admit(nodeOf(this.db, nodeId).standing, incarnation) !== 'ok') return
    const { watch } = this.#deps
    watch.files.onHeard(nodeId, ahead, watch.nowMs())
    const said = ahead?.map(({ digest, state }) => ({ manifestSha256: digest, state }))
    this.#ahead.heard(nodeId, said)
    if (message.kind === 'desired') return
    watch.files.onFurther(nodeId, watch.nowMs())
    const counts = {
      files: 0,
      filesDone: message.filesDone,
      bytes: 0,
      bytesDone: message.filesDone,
    }
    this.#ahead.fetching(nodeId, { manifestSha256: ahead?.[0]?.digest ?? '', ...counts })
  }

  order(order: Order): boolean {
    if (!this.isUp || this.isRecovering) return false
    return this.#do({ kind: 'order', order }, () => this.#engine.order(order)) ?? false
  }

  approve(id: string): void {
    this.#do({ kind: 'approve', id }, () => this.#engine.approve(id))
  }

  /** They hold for orders from now on, windows for all. */
  setRules(rules: Rules): void {
    this.#do({ kind: 'rules', rules }, () => {
      this.db.rules = rules
    })
  }

  command(id: string, command: Command): void {
    this.#do({ kind: 'command', id, command }, () => this.#engine.obey(id, command))
  }

  evaluated(id: string, event: Evaluated): void {
    this.#do({ kind: 'evaluated', id, event }, () => this.#engine.evaluated(id, event))
  }

  ill(id: string, nodeId: string): void {
    this.#do({ kind: 'ill', id, nodeId }, () => this.#engine.ill(id, nodeId))
  }

  tick(ms: number): void {
    if (!this.isUp) return
    this.#owedMs += ms
    if (this.#engine.isTimePassing) return
    const owedMs = this.#owedMs
    this.#owedMs = 0
    this.#do({ kind: 'tick', ms: owedMs }, () => this.#engine.tick(owedMs))
    if (this.#engine.isTimePassing) this.#deps.onTimePassing()
  }

  /** For the next part of those whose next step is awaited. */
  letMorePass(): void {
    if (!this.isUp || !this.#engine.isTimePassing) return
    this.#do({ kind: 'more-time-passes' }, () => this.#engine.letMorePass())
    if (this.#engine.isTimePassing) this.#deps.onTimePassing()
  }

  /** With what measurements gave way for, that much can be written still. */
  setStorage(isFull: boolean): void {
    if (!this.isUp || this.isStorageFull === isFull) return
    this.isStorageFull = isFull
    this.#do({ kind: 'storage', isFull }, () => {
      if (isFull) this.#engine.storageFull()
      else this.#engine.offerHeld()
    })
  }

  #thereOf = (nodeIds: readonly string[]) =>
    nodeIds.filter((nodeId) => this.db.nodes.get(nodeId)?.isDecommissioned === false)

  decommission(...asked: readonly string[]): void {
    const nodeIds = this.#thereOf(asked)
    if (nodeIds.length === 0) return
    this.#do({ kind: 'decommission', nodeIds }, () => {
      for (const nodeId of nodeIds) setNode(this.db, nodeId, { isDecommissioned: true })
      this.#engine.nodesChanged('decommissioned', nodeIds)
    })
    for (const nodeId of nodeIds) {
      this.#polls.get(nodeId)?.answer({ code: 'identity_revoked' })
      this.#polls.delete(nodeId)
      this.presence(nodeId, 'disconnected')
    }
  }

  cordon(asked: readonly string[], cordon: Cordon | null): void {
    const nodeIds = this.#thereOf(asked)
    if (nodeIds.length === 0) return
    this.#do({ kind: 'cordon', nodeIds, cordon }, () => {
      for (const nodeId of nodeIds) setNode(this.db, nodeId, { cordon })
      if (cordon) this.#engine.nodesChanged('cordoned', nodeIds)
    })
  }

  /** An operator says which of two processes is the node. */
  keepClone(nodeId: string, keep: string): void {
    const standing = this.db.nodes.get(nodeId)?.standing
    const clone = standing?.clone
    if (!standing || !clone?.incarnations.some(({ incarnation }) => incarnation === keep)) return
    this.#do({ kind: 'keep-clone', nodeId, keep }, () => {
      setNode(this.db, nodeId, {
        standing: { ...standing, current: null, clone: { ...clone, keep } },
      })
    })
  }

  /** An operator lets the local change go. */
  discardDrift(nodeId: string): void {
    const drift = this.db.nodes.get(nodeId)?.drift ?? null
    if (drift === null || this.isRecovering) return
    this.#do({ kind: 'discard-drift', nodeId, drift }, () => {
      setNode(this.db, nodeId, { discarded: drift })
      this.#engine.giveAgain(nodeId)
    })
  }

  /** null: it crashed after the commit. */
  #do<T>(deed: Deed, work: () => T): T | null {
    const result = work()
    const wakes = this.#wakes
    this.#wakes = []
    this.#deps.tape?.note(deed, result, this)
    this.#deps.watch.afterCommit(this)
    if (this.#deps.crashes()) {
      this.crash()
      return null
    }
    if (deed.kind !== 'goes-on') this.#stuck.clear()
    this.#goOnLater()
    this.#ahead.set(wantedIn(this.db))
    wakes.push(...this.#wakes.splice(0))
    for (const nodeId of wakes) {
      const poll = this.#polls.get(nodeId)
      if (poll) this.#wait(nodeId, poll)
    }
    return result
  }

  #wait(nodeId: string, waiting: Waiting): void {
    const { have, incarnation, answer } = waiting
    const said = this.#desired(nodeId, waiting)
    if (!this.isUp) return
    const { ahead, ...told } = { ahead: undefined, ...said }
    this.#deps.tape?.note({ kind: 'desired', nodeId, have, incarnation }, told, this)
    const isNothing = said.code === 'ok' && !said.assignment && ahead === undefined
    if (isNothing) this.#polls.set(nodeId, waiting)
    else this.#polls.delete(nodeId)
    if (!isNothing) answer(said)
  }

  #desired(nodeId: string, { have, incarnation, ahead }: Waiting): Answer {
    const admission = admit(nodeOf(this.db, nodeId).standing, incarnation)
    if (admission === 'refused') return { code: 'clone_detected' }
    if (admission === 'say-hello') return { code: 'say_hello' }
    const assignment = this.#news(nodeId, have)
    const said = ahead?.map(({ digest, state }) => ({ manifestSha256: digest, state }))
    const news = said && !this.isRecovering ? this.#ahead.newsFor(nodeId, said) : null
    const wanted = news?.map(({ manifestSha256 }) => manifestSha256)
    return { code: 'ok', assignment, ...(wanted && { ahead: wanted }) }
  }

  /** null: it has had one, or no rollout has released what it could take. */
  #firstRelease(nodeId: string): string | null {
    const { offers, released, leases } = this.db
    const given = (offers.get(nodeId) ?? []).filter(({ state }) => state !== 'withdrawn')
    const isOver = (offer: Offer) => offer.rolloutId === null && isAnswered(offer)
    if (!given.every(isOver) || leases.has(nodeId)) return null
    if (given.length === 0) return released
    const isNew = (digest: string) => given.every((one) => one.digest !== digest)
    return provenReleases(this.db).find(isNew) ?? null
  }

  /** What the node has not answered yet. */
  #news(nodeId: string, have: number): Given | null {
    if (this.isRecovering) return null
    const first = this.#firstRelease(nodeId)
    if (first !== null) {
      this.#do({ kind: 'first-release', nodeId }, () => {
        this.#engine.assign(null, nodeId, first)
      })
    }
    const latest = latestOffer(this.db, nodeId)
    if (!latest || latest.generation <= have || isAnswered(latest)) return null
    const { generation, offerId, digest } = latest
    const { drift, discarded } = nodeOf(this.db, nodeId)
    const replacesDrift = drift === discarded ? discarded : null
    return { generation, offerId, digest, epoch: this.db.epoch, replacesDrift }
  }
}

const AHEAD: readonly Rollout['state'][] = ['running', 'paused', 'reverting', 'revert_incomplete']

/** As store/ahead.ts asks for it in SQL. */
function wantedIn({ rollouts }: Database): Map<string, Wanted> {
  const underWay = [...rollouts].filter(
    ([, { state, policy }]) => policy.filesFirstMs !== undefined && AHEAD.includes(state),
  )
  return new Map(underWay.map(([id, { tasks }]) => [id, wantedOf(tasks)]))
}

const wantedOf = (tasks: Rollout['tasks']): Wanted =>
  new Map(
    tasks.map(({ nodeId, digest }) => {
      const version = { name: 'www', number: 1, manifestSha256: digest }
      return [nodeId, contentsOf(digest).length > 0 ? [version] : []]
    }),
  )
