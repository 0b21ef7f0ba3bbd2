// SPDX-License-Identifier: MIT
// One run of one seed: a farm, what people order, and everything that goes wrong meanwhile; then peace,
// in which every rollout has to end or to say what it waits for.

import {
  isTerminal,
  NODES_AT_ONCE,
  type Rollout,
} from '../../src/features/rollouts/reducer/model.ts'
import { isUnproven } from '../../src/features/rollouts/reducer/tasks.ts'
import { tellReason } from '../../src/features/rollouts/words/reasons.ts'
import { ControlPlane } from './control-plane.ts'
import { latestOffer } from './database.ts'
import { Evaluator } from './evaluator.ts'
import { Faults } from './faults.ts'
import { Watch } from './invariants.ts'
import { kindOf, nameOf } from './kinds.ts'
import type { Answer, Message } from './messages.ts'
import { Network } from './network.ts'
import { type Change, type Flaw, SimNode } from './node.ts'
import { People } from './people.ts'
import { Chance, Scheduler } from './scheduler.ts'
import type { Tape } from './tape.ts'

/** What may happen, and for how long: a shrinker takes away what is not needed. */
export type Scope = {
  nodes: number
  /** How many nodes one transaction may change beside its own: with two, whatever a rollout does is cut. */
  nodesAtOnce: number
  unrestMs: number
  without: ReadonlySet<string>
}
export const ALL: Scope = {
  nodes: 8,
  nodesAtOnce: NODES_AT_ONCE,
  unrestMs: 8 * 60_000,
  without: new Set(),
}
export const CUT: Scope = { ...ALL, nodesAtOnce: 2 }
/** Between the parts of what is cut. */
const NEXT_PART_MS = 50

/** Twenty may stand in line, each with its waves, and every soak takes its time. */
const PEACE_MS = 8 * 3_600_000
/** Nothing happens for so long: nothing will. */
const REST_MS = 150_000
const TICK_MS = 1_000
/** A Tuesday. */
const START_MS = Date.UTC(2030, 0, 1)
const DAY_MS = 86_400_000
/** So many seeds, one whose verdicts are measured. */
const MEASURED_OF = 4
const FLAWS: Flaw[] = ['nack', 'busy', 'crash', 'stuck', 'slow']

export type Summary = { steps: number; rollouts: number; ends: Record<string, number> }

const mayRest = (state: Rollout['state']) =>
  isTerminal(state) || ['paused', 'revert_incomplete', 'queued'].includes(state)

export class World {
  readonly scheduler = new Scheduler()
  readonly chance: Chance
  readonly network: Network
  readonly watch = new Watch()
  readonly plane: ControlPlane
  readonly scope: Scope
  /** Else verdicts are drawn. */
  readonly isMeasured: boolean
  readonly #faults: Faults
  readonly #people: People
  readonly #evaluator: Evaluator | null
  readonly #flaws = new Map<string, Flaw>()
  #clones = 0
  isPeace = false
  /** By how much the wall clock is wrong. */
  wrongMs = 0
  /** The last time that it was moved into the past. */
  setBackAtMs: number | null = null
  /** Nodes whose messages reach another control plane. */
  readonly astray = new Map<string, ControlPlane>()
  /** A database has forgotten, or two processes disagree: what it says of nodes may be wrong. */
  isMuddled = false

  constructor(seed: number, { scope = ALL, tape }: { scope?: Scope; tape?: Tape } = {}) {
    this.chance = new Chance(seed)
    this.scope = scope
    this.network = new Network(this.scheduler, this.chance)
    this.watch.nowMs = () => this.scheduler.nowMs
    const crashes = () => !this.isPeace && this.chance.is(0.003) && this.#faults.planeFails()
    this.plane = new ControlPlane({
      watch: this.watch,
      crashes,
      nodesAtOnce: scope.nodesAtOnce,
      onUnfinished: (id) =>
        this.scheduler.after(this.chance.between(0, NEXT_PART_MS), () => this.plane.goOn(id)),
      onTimePassing: () =>
        this.scheduler.after(this.chance.between(0, NEXT_PART_MS), () => this.plane.letMorePass()),
      wallMs: () => START_MS + this.scheduler.nowMs + this.wrongMs,
      ...(tape && { tape }),
    })
    this.#faults = new Faults(this)
    this.#people = new People(this)
    this.isMeasured = seed % MEASURED_OF === 0
    this.#evaluator = this.isMeasured ? new Evaluator(this, seed) : null
  }

  /** Each node by the process that is there for it, clones last. */
  get nodes(): SimNode[] {
    return [...this.watch.nodes.values()].flat()
  }

  run(): Summary {
    const { faults } = this.network
    faults.loss = this.chance.of([0, 0.05, 0.2])
    faults.repeat = this.chance.of([0, 0.1])
    faults.longestMs = this.chance.of([100, 8_000])
    this.plane.start()
    const count = Math.min(this.scope.nodes, this.chance.between(1, 8))
    for (let i = 0; i < count; i++) this.join()
    this.#tick()
    if (this.#evaluator) {
      this.#people.orderFirst()
      this.#evaluator.begin()
    }
    this.#unrest()
    while (this.scheduler.step(this.scope.unrestMs));
    this.#makePeace()
    while (!this.#isAtRest() && this.scheduler.step(this.scope.unrestMs + PEACE_MS));
    return this.#atRest()
  }

  join(): void {
    const id = nameOf(this.watch.nodes.size)
    const node = this.makeNode(id)
    this.watch.nodes.set(id, [node])
    this.plane.enrol(id)
    node.boot()
  }

  makeNode(id: string, copyOf?: SimNode): SimNode {
    const deps = {
      scheduler: this.scheduler,
      chance: this.chance,
      network: this.network,
      send: (from: SimNode, message: Message, answer: (answer: Answer) => void) =>
        (this.astray.get(from.id) ?? this.plane).receive(from.id, message, answer),
      flawOf: (nodeId: string, digest: string) => this.flawOf(nodeId, digest),
      onRuns: (one: SimNode, change: Change) => {
        this.watch.onRuns(one, change)
        this.#evaluator?.onRuns(one, change)
      },
      fails: (node: SimNode) =>
        !this.isPeace && this.chance.is(0.01) && this.#faults.powerCut(node),
      pollMs: () => (this.isPeace ? 60_000 : 10_000),
    }
    const label = copyOf ? `${id}-${++this.#clones}` : id
    return new SimNode(id, label, deps, copyOf)
  }

  /** A version is bad for all nodes, for one, for a kind, or for none. */
  flawOf(nodeId: string, digest: string): Flaw {
    const ofKind = this.#flaw(`${digest} ${kindOf(nodeId)}`, 0.05, ['unfit'])
    const ofAll = this.#flaw(digest, 0.15, FLAWS)
    const ofOne = this.#flaw(`${digest} ${nodeId}`, 0.05, FLAWS)
    return ofKind ?? ofAll ?? ofOne
  }

  #flaw(key: string, share: number, flaws: readonly Flaw[]): Flaw {
    const known = this.#flaws.get(key)
    if (known !== undefined) return known
    const drawn = this.chance.is(share) ? this.chance.of(flaws) : null
    this.#flaws.set(key, drawn)
    return drawn
  }

  moveClock(ms: number): void {
    this.wrongMs += ms
    if (ms < 0) this.setBackAtMs = this.scheduler.nowMs
  }

  #isAtRest(): boolean {
    if (this.watch.movedAtMs + REST_MS > this.scheduler.nowMs) return false
    return [...this.plane.db.rollouts.values()].every(({ state }) => mayRest(state))
  }

  #tick(): void {
    const ms = this.isPeace ? 5 * TICK_MS : TICK_MS
    this.plane.tick(ms)
    if (this.plane.isUp && !this.#evaluator) this.#people.measure()
    this.scheduler.after(ms, () => this.#tick())
  }

  #unrest(): void {
    if (this.isPeace) return
    const kind = this.chance.between(0, 99)
    if (kind < 50) this.#people.act(kind)
    else this.#faults.happen(kind - 50)
    this.scheduler.after(this.chance.between(100, 15_000), () => this.#unrest())
  }

  #makePeace(): void {
    this.isPeace = true
    // What was held up until now has its time to come through.
    this.watch.movedAtMs = this.scheduler.nowMs
    this.network.faults = { loss: 0, repeat: 0, longestMs: 100 }
    this.network.cut.clear()
    this.#faults.end()
    // Past every hour that anybody named.
    this.wrongMs = DAY_MS
    this.plane.setRules({ ...this.plane.db.rules, windows: [] })
    this.#people.decideClones()
  }

  #atRest(): Summary {
    const ends: Record<string, number> = {}
    const { db } = this.plane
    for (const [id, rollout] of db.rollouts) {
      const { state, reason } = rollout
      if (state === 'reverted' && !this.isMuddled) this.watch.onReverted(id, rollout, db)
      ends[state] = (ends[state] ?? 0) + 1
      if (!mayRest(state) && !this.#waitsForRoom(id, rollout))
        this.watch.fail('rest', `${id} is still ${state}: ${tellReason(reason)}`)
      if (state === 'queued') this.#blocked(id)
      const { unfinished, newcomersTo, marking } = rollout.progress
      if (unfinished) this.watch.fail('rest', `${id} never did all of: ${unfinished.cause}`)
      if (marking)
        this.watch.fail('rest', `${id} still says ${marking.verdict} of wave ${marking.wave}`)
      if (newcomersTo !== undefined)
        this.watch.fail('rest', `${id} left out who joined behind ${newcomersTo}`)
    }
    if (!this.isMuddled)
      for (const [node] of this.watch.nodes.values()) if (node) this.#settled(node)
    return { steps: this.watch.steps, rollouts: db.rollouts.size, ends }
  }

  /** Another is paused with nodes between two configs, which fill the farm's budget: somebody has to decide about that one. */
  #waitsForRoom(own: string, { state, reason }: Rollout): boolean {
    const isWithoutRoom = reason.code === 'waiting_for_nodes' && reason.withoutRoomNodes > 0
    if (state !== 'running' || !isWithoutRoom) return false
    const holds = ([id, other]: [string, Rollout]) =>
      id !== own && other.state === 'paused' && other.tasks.some(isUnproven)
    return [...this.plane.db.rollouts].some(holds)
  }

  /** Somebody has to decide about one of those it names. */
  #blocked(id: string): void {
    const { asked, rollouts } = this.plane.db
    const blockedBy = asked.get(id)?.blockedBy ?? []
    const isTrue = blockedBy.some((other) => {
      const state = rollouts.get(other)?.state
      return state !== undefined && !isTerminal(state)
    })
    if (!isTrue) this.watch.fail('rest', `${id} waits for ${blockedBy.join()}, which are over`)
  }

  /** What a rollout says of a node in peace is what the node runs. */
  #settled({ id, running, disk }: SimNode): void {
    if (this.plane.db.nodes.get(id)?.isDecommissioned) return
    this.watch.onNewcomer(this.plane.db, id)
    const latest = latestOffer(this.plane.db, id)
    const isOther = running?.digest !== latest?.digest && disk.edited === null
    if (latest?.state === 'confirmed' && isOther) {
      this.watch.fail(
        'I11',
        `${id} runs ${running?.digest}, and was confirmed with ${latest.digest}`,
      )
    }
  }
}
