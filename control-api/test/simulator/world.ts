// SPDX-License-Identifier: MIT
// One run of one seed: a farm, what people order, and everything that goes wrong meanwhile; then peace,
// in which every rollout has to end or to say what it waits for.
import { DEADLINES } from '../../src/agents/deadlines.ts'
import {
  AT_ONCE,
  isTerminal,
  isWaiting,
  type Policy,
  type Rollout,
} from '../../src/features/rollouts/model.ts'
import { ControlPlane } from './control-plane.ts'
import { Watch } from './invariants.ts'
import type { Asked } from './line.ts'
import { Network } from './network.ts'
import { type Flaw, SimNode } from './node.ts'
import { Chance, Scheduler } from './scheduler.ts'

const UNREST_MS = 8 * 60_000
const PEACE_MS = 30 * 60_000
/** Nothing happens for so long: nothing will. */
const REST_MS = 150_000
const TICK_MS = 1_000
/** Of silence, until a node counts as gone. */
const STALE_AFTER_MS = 15_000
const DIGESTS = ['v1', 'v2', 'v3', 'v4', 'v5']
const FLAWS: Flaw[] = ['nack', 'busy', 'crash', 'stuck', 'slow']

const DAY_MS = 86_400_000
const CLOSED = 'No change window is open.'
/** As many as wait at most; the API refuses more. */
const MOST_WAIT = 6

export type Summary = { steps: number; rollouts: number; ends: Record<string, number> }

const mayRest = (state: Rollout['state']) =>
  isTerminal(state) || ['paused', 'revert_incomplete', 'queued'].includes(state)

export class World {
  readonly #scheduler = new Scheduler()
  readonly #chance: Chance
  readonly #network: Network
  readonly #watch = new Watch()
  readonly #nodes: SimNode[]
  readonly #plane: ControlPlane
  readonly #flaws = new Map<string, Flaw>()
  #isPeace = false
  #orders = 0
  #backup: ReturnType<ControlPlane['backup']> | null = null
  #wasRestored = false
  /** By how much the wall clock is wrong. */
  #wrongMs = 0

  constructor(seed: number) {
    this.#chance = new Chance(seed)
    this.#network = new Network(this.#scheduler, this.#chance)
    const ids = Array.from({ length: this.#chance.between(1, 8) }, (_, i) => `n${i}`)
    const crashes = () => !this.#isPeace && this.#chance.is(0.003) && this.#planeFails()
    const farmBudget = this.#chance.of([null, null, 1, 3])
    this.#plane = new ControlPlane(ids, this.#watch, { crashes, farmBudget })
    this.#plane.wallMs = () => this.#scheduler.nowMs + this.#wrongMs
    this.#watch.nowMs = () => this.#scheduler.nowMs
    this.#nodes = ids.map((id) => this.#makeNode(id))
  }

  run(): Summary {
    const { faults } = this.#network
    faults.loss = this.#chance.of([0, 0.05, 0.2])
    faults.repeat = this.#chance.of([0, 0.1])
    faults.longestMs = this.#chance.of([100, 8_000])
    for (const node of this.#nodes) node.boot()
    this.#tick()
    this.#unrest()
    while (this.#scheduler.step(UNREST_MS));
    this.#makePeace()
    while (!this.#isAtRest() && this.#scheduler.step(UNREST_MS + PEACE_MS));
    return this.#atRest()
  }

  #isAtRest(): boolean {
    if (this.#watch.movedAtMs + REST_MS > this.#scheduler.nowMs) return false
    const rollouts = [...this.#plane.db.rollouts.values()]
    return rollouts.every(({ state }) => mayRest(state))
  }

  #makeNode(id: string): SimNode {
    const node = new SimNode(id, {
      scheduler: this.#scheduler,
      chance: this.#chance,
      network: this.#network,
      send: (nodeId, message, answer) => this.#plane.receive(nodeId, message, answer),
      flawOf: (nodeId, digest) => this.#flawOf(nodeId, digest),
      onRuns: (changed, change) => this.#watch.onRuns(changed, change),
      pollMs: () => (this.#isPeace ? 60_000 : 10_000),
    })
    this.#watch.nodes.set(id, node)
    return node
  }

  /** A version is bad for all nodes, for one, or for none. */
  #flawOf(nodeId: string, digest: string): Flaw {
    for (const key of [digest, `${digest} ${nodeId}`]) {
      if (!this.#flaws.has(key)) {
        const isBad = this.#chance.is(key === digest ? 0.15 : 0.05)
        this.#flaws.set(key, isBad ? this.#chance.of(FLAWS) : null)
      }
    }
    return this.#flaws.get(digest) ?? this.#flaws.get(`${digest} ${nodeId}`) ?? null
  }

  #tick(): void {
    const ms = this.#isPeace ? 5 * TICK_MS : TICK_MS
    this.#plane.tick(ms)
    if (this.#plane.isUp) this.#measure()
    this.#scheduler.after(ms, () => this.#tick())
  }

  /** What the metrics would say; where few requests are, nothing. */
  #measure(): void {
    for (const [id, rollout] of this.#plane.db.rollouts) {
      // A verdict may come late: the rollout goes back already, or is over.
      if (this.#chance.is(isTerminal(rollout.state) ? 0.001 : 0.2)) this.#judge(id, rollout)
    }
  }

  #judge(id: string, { tasks, progress, policy }: Rollout): void {
    const ill = tasks.find(
      ({ nodeId, state, digest, offers }) =>
        offers > 0 &&
        ['confirmed', 'healthy', 'done'].includes(state) &&
        this.#flawOf(nodeId, digest) === 'slow',
    )
    if (ill && this.#chance.is(0.1)) {
      this.#plane.ill(id, ill.nodeId)
      return
    }
    if (policy.gates.length === 0) return
    const isTooLate = progress.goesBack !== null
    const verdict =
      ill || isTooLate
        ? 'fail'
        : this.#chance.of(['pass', 'pass', 'no_data', 'inconclusive'] as const)
    const wave = this.#chance.is(0.1) ? progress.wave - 1 : progress.wave
    const onFail = this.#chance.of(['revert', 'pause', 'freeze'] as const)
    this.#plane.evaluated(id, {
      kind: 'evaluated',
      wave,
      verdict,
      onFail,
      message: `measured at ${this.#scheduler.nowMs}`,
    })
  }

  #unrest(): void {
    if (this.#isPeace) return
    const kind = this.#chance.between(0, 99)
    if (kind < 25) this.#order()
    else if (kind < 40) this.#command()
    else if (kind < 45) this.#decide()
    else if (kind < 60) this.#nodeFails()
    else if (kind < 75) this.#cutOff()
    else if (kind < 82) this.#planeFails()
    else if (kind < 85) this.#keepOrRestore()
    else if (kind < 88) this.#plane.closed = this.#plane.closed === null ? CLOSED : null
    else if (kind < 90) this.#wrongMs += this.#chance.of([-3_600_000, -5_000, 5_000, 3_600_000])
    else if (kind < 93) this.#edit()
    this.#scheduler.after(this.#chance.between(100, 15_000), () => this.#unrest())
  }

  #order(): void {
    const waiting = [...this.#plane.db.rollouts.values()].filter(({ state }) => isWaiting(state))
    if (!this.#plane.isUp || waiting.length >= MOST_WAIT) return
    const chosen = this.#nodes.filter(() => this.#chance.is(0.8)).map(({ id }) => id)
    const waves: string[][] = []
    const size = this.#chance.between(1, 4)
    for (let i = 0; i < chosen.length; i += size) waves.push(chosen.slice(i, i + size))
    const isAtOnce = this.#chance.is(0.15)
    this.#plane.order({
      // Ids sort by time.
      id: `r${1000 + ++this.#orders}`,
      digest: this.#chance.of(DIGESTS),
      policy: isAtOnce ? AT_ONCE : this.#policy(),
      waves: isAtOnce ? [chosen] : waves,
      asked: this.#asked(),
    })
  }

  #asked(): Asked {
    const chance = this.#chance
    const wallMs = this.#plane.wallMs()
    const needed = chance.of([0, 0, 0, 0, 0, 0, 1, 2])
    return {
      onOverlap: chance.of(['queue', 'queue', 'refuse', 'supersede']),
      isEmergency: chance.is(0.05),
      startAtMs: chance.is(0.1) ? wallMs + chance.between(0, 300_000) : null,
      approvals: { needed, given: 0, byMs: needed > 0 ? wallMs + 240_000 : null },
      place: null,
      blockedBy: [],
    }
  }

  /** Of one that waits. */
  #decide(): void {
    const ids = [...this.#plane.db.rollouts].flatMap(([id, { state }]) =>
      isWaiting(state) ? [id] : [],
    )
    if (!this.#plane.isUp || ids.length === 0) return
    const id = this.#chance.of(ids)
    const kind = this.#chance.of(['approve', 'approve', 'approve', 'cancel', 'reject'] as const)
    if (kind === 'approve') this.#plane.approve(id)
    else this.#plane.command(id, { kind, actor: 'ben', why: 'because' })
  }

  #policy(): Policy {
    const chance = this.#chance
    const maxParallel = chance.between(1, 3)
    return {
      ...DEADLINES,
      ackMs: chance.of([5_000, 10_000]),
      applyMs: chance.of([5_000, 30_000]),
      maxParallel,
      blastBudget: maxParallel + chance.between(0, 2),
      minHealthyMs: chance.of([0, 5_000, 30_000]),
      soakMs: chance.of([0, 10_000, 60_000]),
      maxSoakMs: 120_000,
      progressDeadlineMs: chance.of([null, 120_000, 600_000]),
      maxFailedPercent: chance.of([0, 30]),
      maxUnreachablePercent: chance.of([10, 50, 100]),
      maxFlaps: chance.between(0, 3),
      onFailure: chance.of(['revert', 'revert', 'pause', 'freeze']),
      gates: chance.is(0.4) ? [{ metric: 'errors5xx', max: 0.01, onFail: 'revert' }] : [],
      minSamples: 500,
      isFastPath: false,
      probes: [],
    }
  }

  #command(): void {
    const ids = [...this.#plane.db.rollouts.keys()].slice(-2)
    if (!this.#plane.isUp || ids.length === 0) return
    const kind = this.#chance.of([
      'pause',
      'resume',
      'resume',
      'skip-gate',
      'freeze',
      'revert',
      'revert',
    ] as const)
    this.#plane.command(this.#chance.of(ids), { kind, actor: 'ana', why: 'because' })
  }

  #nodeFails(): void {
    const node = this.#chance.of(this.#nodes)
    if (!node.isUp) return
    node.crash()
    this.#gone(node.id)
    this.#scheduler.after(this.#chance.of([200, 3_000, 60_000, 200_000]), () => {
      if (!node.isUp) node.boot()
    })
  }

  #edit(): void {
    const node = this.#chance.of(this.#nodes)
    node.edit()
    this.#scheduler.after(this.#chance.of([5_000, 60_000, UNREST_MS]), () => node.letGo())
  }

  #cutOff(): void {
    const { id } = this.#chance.of(this.#nodes)
    if (this.#network.cut.has(id)) return
    this.#network.cut.add(id)
    this.#gone(id)
    this.#scheduler.after(this.#chance.of([1_000, 20_000, 90_000, 200_000]), () => {
      this.#network.cut.delete(id)
    })
  }

  /** Silent for that long, it counts as disconnected; its next message says otherwise. */
  #gone(id: string): void {
    this.#scheduler.after(STALE_AFTER_MS, () => {
      const node = this.#watch.nodes.get(id)
      if (!node?.isUp || this.#network.cut.has(id)) this.#plane.presence(id, 'disconnected')
    })
  }

  #planeFails(): true {
    if (!this.#plane.isUp) return true
    this.#plane.crash()
    this.#watch.downSinceMs = this.#scheduler.nowMs
    this.#scheduler.after(this.#chance.of([500, 5_000, 60_000, 150_000]), () => this.#planeStarts())
    return true
  }

  #planeStarts(): void {
    if (this.#plane.isUp) return
    this.#watch.downSinceMs = null
    this.#plane.start()
  }

  #keepOrRestore(): void {
    if (!this.#plane.isUp || this.#plane.isRecovering) return
    if (!this.#backup || this.#chance.is(0.5)) {
      this.#backup = this.#plane.backup()
      return
    }
    this.#plane.restore(this.#backup)
    this.#wasRestored = true
    this.#backup = null
    // Its operator waits until every node has reported.
    this.#scheduler.after(STALE_AFTER_MS, () => this.#plane.confirmRecovery())
  }

  #makePeace(): void {
    this.#isPeace = true
    // What was held up until now has its time to come through.
    this.#watch.movedAtMs = this.#scheduler.nowMs
    this.#network.faults = { loss: 0, repeat: 0, longestMs: 100 }
    this.#network.cut.clear()
    this.#plane.closed = null
    // Past every hour that anybody named.
    this.#wrongMs = DAY_MS
    this.#planeStarts()
    if (this.#plane.isRecovering) this.#plane.confirmRecovery()
    for (const node of this.#nodes) if (!node.isUp) node.boot()
  }

  #atRest(): Summary {
    const ends: Record<string, number> = {}
    for (const [id, rollout] of this.#plane.db.rollouts) {
      const { state, reason } = rollout
      if (state === 'reverted') this.#watch.onReverted(id, rollout, this.#plane)
      ends[state] = (ends[state] ?? 0) + 1
      if (!mayRest(state)) this.#watch.fail('rest', `${id} is still ${state}: ${reason}`)
      if (state === 'queued') this.#blocked(id)
    }
    // A restored database has forgotten what it told nodes after the backup.
    if (!this.#wasRestored) for (const node of this.#nodes) this.#settled(node)
    return { steps: this.#watch.steps, rollouts: this.#plane.db.rollouts.size, ends }
  }

  /** Somebody has to decide about one of those it names. */
  #blocked(id: string): void {
    const { asked, rollouts } = this.#plane.db
    const blockedBy = asked.get(id)?.blockedBy ?? []
    const isTrue = blockedBy.some((other) => {
      const state = rollouts.get(other)?.state
      return state !== undefined && !isTerminal(state)
    })
    if (!isTrue) this.#watch.fail('rest', `${id} waits for ${blockedBy.join()}, which are over`)
  }

  /** What a rollout says of a node in peace is what the node runs. */
  #settled({ id, running, disk }: SimNode): void {
    if (disk.local !== null) return
    const latest = this.#plane.db.offers.get(id)?.findLast(({ state }) => state !== 'withdrawn')
    if (latest?.state === 'confirmed' && running?.digest !== latest.digest) {
      this.#watch.fail(
        'I11',
        `${id} runs ${running?.digest}, and was confirmed with ${latest.digest}`,
      )
    }
  }
}
