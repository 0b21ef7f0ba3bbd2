// SPDX-License-Identifier: MIT
// What must hold after every step, whatever happened: I1 to I15 of the design, R1 to R4 of releases, each by means of its own,
// not by the engine's.

import { type Closed, tellClosed } from '../../src/features/rollout-rules/windows.ts'
import {
  isBeforeWave,
  isHeldByGate,
  isTerminal,
  isWaiting,
  type Outcome,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../src/features/rollouts/reducer/model.ts'
import { tellReason } from '../../src/features/rollouts/words/reasons.ts'
import { type Database, latestOffer, type Offer, provenReleases } from './database.ts'
import { FilesWatch } from './files-watch.ts'
import { kindOf } from './kinds.ts'
import type { Change, SimNode } from './node.ts'
import { takesOver } from './queue.ts'
import { whyNotWhole } from './release-files.ts'

export class Violation extends Error {}

/** Longer than an answer may be on its way and a node may take to swap after it. */
const AFTERSHOCK_MS = 10_000
/** Between two contents it never takes as long. */
const FETCHES_ON_MS = 8_000
const MOST_REFUSALS = 5
/** What says something of all nodes of a kind. */
const OF_A_KIND = ['unsupported_version', 'missing_file', 'schema']
/** And no rollout that goes back. */
const FAILED: readonly Task['state'][] = ['nacked', 'unhealthy', 'apply_reverted', 'apply_stuck']
const isInTheWay = ({ state, code, deadlineMs, isConnected }: Task) =>
  !isConnected ||
  deadlineMs === 0 ||
  state === 'unreachable' ||
  FAILED.includes(state) ||
  (state === 'skipped' && code !== null)
const UNDER_WAY = new Set(['offered', 'acked', 'applying', 'applied', 'confirmed', 'healthy'])

export class Watch {
  /** What each rollout's current soak has heard: only a founded pass may let a wave through. */
  readonly #evidence = new Map<string, string>()
  /** Of verdicts that pass: why what nodes served does not bear them out. */
  readonly unfounded = new WeakMap<RolloutEvent, string>()
  readonly #good = new Map<string, Set<string>>()
  readonly #highest = new Map<string, number>()
  /** Node, generation and digest of all that ever ran, a clone's too; known to a twin as well. */
  readonly #ran: Set<string>
  /** Rollout and node: when it said so last. */
  readonly #cameFurther = new Map<string, number>()
  readonly #fellSilent = new Set<string>()
  /** Rollout and wave: it had a proof of its own, or a person skipped its gate. */
  readonly #proofs = new Set<string>()
  /** Rollout and node: it was healthy with the version. */
  readonly #wasWell = new Set<string>()
  /** Digests that were released; node and digest of what a rollout that succeeded brought there. Twins know it too. */
  readonly #vouched: Set<string>
  /** By rollout: whom somebody saw in the way when they resumed it. */
  readonly #inTheWay = new Map<string, ReadonlySet<string>>()
  /** In the order in which they began to wait for nodes. */
  readonly #line: string[] = []
  /** By id, with its clones. */
  readonly nodes: Map<string, SimNode[]>
  readonly files: FilesWatch
  /** Since when the control plane is down; null: it is up. */
  downSinceMs: number | null = null
  /** Another one tells nodes what to do. */
  hasTwin = false
  nowMs: () => number = () => 0
  /** When a state changed last. */
  movedAtMs = 0
  steps = 0

  /** `of`: another control plane's, of the same nodes. */
  constructor(of?: Watch) {
    this.nodes = of?.nodes ?? new Map()
    this.files = new FilesWatch(this.nodes)
    this.#ran = of ? of.#ran : new Set()
    this.#vouched = of ? of.#vouched : new Set()
  }

  fail(invariant: string, what: string): never {
    throw new Violation(`${invariant}: ${what}`)
  }

  onReduced(id: string, before: Rollout, event: RolloutEvent, outcome: Outcome): void {
    this.steps++
    const { rollout: after, effects, transitions } = outcome
    if (isTerminal(before.state) && after.state !== before.state) {
      this.fail('I8', `${id} left ${before.state} for ${after.state}`)
    }
    if (transitions.length > 0) this.movedAtMs = this.nowMs()
    this.#recorded(id, before, outcome)
    if (tellReason(after.reason) === '')
      this.fail('reasons', `${id} is ${after.state} and does not say why`)
    this.#withEvidence(id, before, event, after)
    const isStop = event.kind === 'freeze' || event.kind === 'revert' || event.kind === 'pause'
    const offers = effects.filter(({ kind }) => kind === 'offer')
    if (isStop && offers.length > 0) this.fail('I10', `${id} offers on after ${event.kind}`)
    if (event.kind === 'freeze' && !isTerminal(after.state)) {
      this.fail('I10', `${id} was frozen and is ${after.state}`)
    }
    if (offers.length > 0 && after.state !== 'running' && after.state !== 'succeeded') {
      this.fail('I10', `${id} is ${after.state} and offers`)
    }
    const { goesBack } = before.progress
    if (goesBack !== null && after.progress.goesBack !== goesBack) {
      this.fail('I9', `${id} goes back a second time: ${JSON.stringify(after.progress.goesBack)}`)
    }
    if (goesBack !== null && offers.length > 0) this.fail('I9', `${id} goes back and offers`)
    if (before.isStorageFull && offers.length > 0) this.fail('storage', `${id} offers, disk full`)
    const now = { after, offers: offers.length, nowMs: this.nowMs() }
    const early = this.files.whyNot(id, before, event, now)
    if (early !== null) this.fail('R4', `${id} ${early}`)
    this.#heard(id, event, after)
    this.#fetches(id, before, event, after)
    const isNewWave = isBeforeWave(before.progress) || after.progress.wave > before.progress.wave
    if (before.closed !== null && isNewWave && offers.length > 0 && after.state === 'running') {
      this.fail('windows', `${id} begins a wave: ${tellClosed(before.closed)}`)
    }
    this.#remember(id, after, transitions)
    this.#proves(id, before, event, after)
    if (offers.length > 0 && after.state === 'running') this.#isProven(id, after)
    if (effects.some(({ kind }) => kind === 'release')) this.#mayRelease(id, after)
    if (event.kind === 'started') this.#isFoundProven(id, after)
    this.#goesOnWithout(id, before, event, after)
    if (after.state === 'succeeded') this.#vouchFor(after)
    this.#isNotStuck(id, after)
    if (after.state === 'queued' && !this.#line.includes(id)) this.#line.push(id)
  }

  /** By what each wave is through, when it is. */
  #proves(id: string, { progress }: Rollout, event: RolloutEvent, after: Rollout): void {
    for (let { wave } = progress; wave < after.progress.wave; wave++) {
      const isSkipped = event.kind === 'skip-gate' && wave === progress.wave
      const prover = after.tasks.find((task) => task.wave === wave && this.#hasProved(id, task))
      if (isSkipped || prover) this.#proofs.add(`${id} ${wave}`)
    }
  }

  /** It got the version from this rollout, ran it, was well with it, and nobody went on without it. */
  #hasProved(id: string, { nodeId, generation, digest, state, isExcused }: Task): boolean {
    const hasRun = this.#ran.has(`${nodeId} ${generation} ${digest}`)
    const isGood = (state === 'done' || state === 'healthy') && !isExcused
    return isGood && hasRun && this.#wasWell.has(`${id} ${nodeId}`)
  }

  /**
   * Nothing of an earlier wave counts for a later one, nor does who is gone, away, or was gone on without. Those
   * behind the last wave come one by one, as they return: for them any wave's proof will do.
   */
  #isProven(id: string, { progress: { wave, waves } }: Rollout): void {
    const proved = (one: number) => this.#proofs.has(`${id} ${one}`)
    const isOfAny = wave === waves && Array.from({ length: waves }, (_, i) => i).some(proved)
    if (wave > 0 && !proved(wave - 1) && !isOfAny) {
      this.fail('I14', `${id} begins wave ${wave}, and nobody proved the one before`)
    }
  }

  #vouchFor({ tasks }: Rollout): void {
    for (const { nodeId, digest, state } of tasks) {
      if (state === 'done') this.#vouched.add(`${nodeId} ${digest}`)
    }
  }

  onReleased(digest: string): void {
    this.#vouched.add(digest)
  }

  #wasVouchedFor = ({ nodeId, digest }: Task) =>
    this.#vouched.has(digest) || this.#vouched.has(`${nodeId} ${digest}`)

  /** Who is found with it is done only when that was proved before: a rollout that was stopped proved nothing. */
  #isFoundProven(id: string, { tasks }: Rollout): void {
    const found = tasks.find((task) => isSettled(task) && !this.#wasVouchedFor(task))
    if (found) this.fail('I14', `${id} takes ${found.nodeId} for done, which nobody proved`)
  }

  #mayRelease(id: string, { tasks, state }: Rollout): void {
    const prover = tasks.find((task) => this.#hasProved(id, task) || isSettled(task))
    if (!prover) this.fail('I13', `${id} is ${state} and released, and nobody proved it`)
  }

  /** For nodes that are away, while another could take their place. */
  #isNotStuck(id: string, { state, tasks, progress, policy, isStorageFull }: Rollout): void {
    const isOwn = state === 'paused' && progress.hold === null && progress.phase === 'dispatching'
    // With the next part of a resume it looks again: #goesOnWithout sees to it that there is one.
    const isOnItsWay = progress.excusing !== undefined
    if (!isOwn || isStorageFull || isOnItsWay) return
    const isFree = ({ state: of, code, isConnected, cordon }: Task) =>
      of === 'pending' && code === null && isConnected && cordon === null
    const counted = tasks.filter(({ state: of }) => of !== 'skipped')
    const away = counted.filter(({ state: of }) => of === 'unreachable')
    const isTooMany = away.length * 100 > policy.maxUnreachablePercent * counted.length
    const isOfOthers = tasks.some(
      ({ state: of, code, deadlineMs, isExcused }) =>
        !isExcused && (deadlineMs === 0 || FAILED.includes(of) || OF_A_KIND.includes(code ?? '')),
    )
    const isAnyProven = tasks.some((task) => this.#hasProved(id, task))
    if (isOfOthers || (isTooMany && isAnyProven)) return
    const free = tasks.find((task) => task.wave > progress.wave && isFree(task))
    if (free) this.fail('I15', `${id} is paused for who is away, and ${free.nodeId} is there`)
  }

  /** Nobody goes on without a node that they did not see in the way, also when that goes in parts, and the process ends between them. */
  #goesOnWithout(id: string, before: Rollout, event: RolloutEvent, after: Rollout): void {
    const { excusing, unfinished, goesBack } = after.progress
    if (excusing !== undefined && (!unfinished || goesBack !== null || isTerminal(after.state)))
      this.fail('resume', `${id} is ${after.state} with nodes to go on without, and nothing does`)
    const seen = this.#inTheWay.get(id) ?? new Set()
    if (event.kind === 'resume') {
      const now = before.tasks.filter(isInTheWay).map(({ nodeId }) => nodeId)
      const isInParts = before.progress.excusing !== undefined
      this.#inTheWay.set(id, new Set(isInParts ? [...seen, ...now] : now))
    }
    const expected = this.#inTheWay.get(id) ?? seen
    for (const [i, task] of after.tasks.entries()) {
      const was = before.tasks[i]
      // Who is left out for what another refused is gone on without as that one is.
      const isNew = task.isExcused && was?.isExcused === false && task.leftOutFor === was.leftOutFor
      if (isNew && !expected.has(task.nodeId))
        this.fail('resume', `${id} goes on without ${task.nodeId}, which was ${was.state}`)
    }
  }

  /** What a person made of a node, and what nodes did while nobody heard them, stops it. */
  #heard(id: string, event: RolloutEvent, { state, tasks, progress }: Rollout): void {
    if (state !== 'running') return
    if (event.kind === 'heard-again') {
      const unheard = tasks.find(
        (task) =>
          task.wave === progress.wave &&
          UNDER_WAY.has(task.state) &&
          !task.isConnected &&
          !task.isExcused,
      )
      if (unheard) this.fail('I11', `${id} goes on and knows nothing of ${unheard.nodeId}`)
    }
    if (event.kind === 'drifted' && event.digest?.startsWith('local') === true) {
      const task = tasks.find(({ nodeId }) => nodeId === event.nodeId)
      const isOurs = task && task.generation !== null && task.offers > 0
      // What it refused, went back from, or never got is not under way there.
      const hasRefused = task?.state === 'nacked' && task.code !== 'conflict'
      const isApart = hasRefused || ['unreachable', 'apply_reverted'].includes(task?.state ?? '')
      if (isOurs && !isApart && !task.isExcused) {
        this.fail('conflict', `${id} goes on and ${event.nodeId} runs ${event.digest}`)
      }
    }
  }

  /** Who has just come further with what it is to run is not put off as silent. */
  #fetches(id: string, before: Rollout, event: RolloutEvent, after: Rollout): void {
    for (const [i, { nodeId, state }] of after.tasks.entries()) {
      const isOffered = state === 'offered' && before.tasks[i]?.state === 'offered'
      const key = `${id} ${nodeId}`
      const heardAtMs = this.#cameFurther.get(key)
      if (event.kind === 'fetching' && event.nodes.some((one) => one.nodeId === nodeId)) {
        if (isOffered) this.#cameFurther.set(key, this.nowMs())
      } else if (!isOffered) this.#cameFurther.delete(key)
      const isSilent = event.kind === 'deadline' && event.nodeId === nodeId && state !== 'offered'
      if (isSilent && heardAtMs !== undefined && this.nowMs() - heardAtMs < FETCHES_ON_MS)
        this.fail('R3', `${id} takes ${nodeId} for silent, which fetches`)
    }
  }

  /** Each change of a state is told, from where it was to where it is. */
  #recorded(id: string, before: Rollout, { rollout: after, transitions }: Outcome): void {
    const told = (nodeId: string | null) =>
      transitions.filter((one) => one.nodeId === nodeId && !one.isWave)
    const check = (nodeId: string | null, from: string, to: string) => {
      const steps = told(nodeId)
      let at = from
      for (const step of steps) {
        if (step.from !== at) this.fail('I6', `${id} ${nodeId}: from ${step.from}, was ${at}`)
        at = step.to
      }
      if (at !== to) this.fail('I6', `${id} ${nodeId}: is ${to}, and ${at} was told`)
    }
    check(null, before.state, after.state)
    for (const [i, task] of after.tasks.entries()) {
      const was = before.tasks[i]
      if (was && was !== task) check(task.nodeId, was.state, task.state)
    }
  }

  #withEvidence(id: string, before: Rollout, event: RolloutEvent, after: Rollout): void {
    const { progress, policy, tasks } = before
    if (event.kind === 'evaluated' && event.wave === progress.wave) {
      this.#evidence.set(id, this.unfounded.get(event) ?? event.verdict)
    }
    const isAnew = event.kind === 'resume' && isHeldByGate(progress)
    if (event.kind === 'heard-again' || isAnew) this.#evidence.delete(id)
    const isThrough = after.progress.wave > progress.wave || after.state === 'succeeded'
    const isOfWave = ({ wave, state }: Task) => wave === progress.wave && state === 'healthy'
    // Who is gone, has failed, or was gone on without is not watched any more.
    const isWithout = (nodeId: string) =>
      after.tasks.some((one) => one.nodeId === nodeId && (one.isExcused || !isWell(one)))
    const isWatched =
      progress.phase === 'soaking' &&
      !isTerminal(before.state) &&
      tasks.some((task) => isOfWave(task) && !isWithout(task.nodeId))
    if (isThrough && isWatched && event.kind !== 'skip-gate') {
      const heard = this.#evidence.get(id) ?? 'nothing'
      if (policy.gates.length > 0 && heard !== 'pass') {
        this.fail('I7', `wave ${progress.wave} of ${id} is through without evidence: ${heard}`)
      }
      const elapsed = event.kind === 'elapsed' ? event.ms : 0
      if (progress.soakedMs + elapsed < policy.soakMs) {
        this.fail('I7', `wave ${progress.wave} of ${id} soaked ${progress.soakedMs} ms only`)
      }
    }
    if (after.progress.phase === 'soaking' && progress.phase === 'dispatching') {
      this.#evidence.delete(id)
    }
  }

  #remember(id: string, { tasks }: Rollout, transitions: Outcome['transitions']): void {
    for (const { nodeId, to } of transitions) {
      if (to === 'healthy' || to === 'done') this.#wasWell.add(`${id} ${nodeId}`)
      const task = tasks.find((one) => one.nodeId === nodeId)
      if (!task || nodeId === null || (to !== 'confirmed' && to !== 'reverted')) continue
      const digest = to === 'reverted' ? task.previous?.digest : task.digest
      const ran = `${task.generation} ${digest}`
      if (!this.#ran.has(`${nodeId} ${ran}`)) {
        this.fail('I11', `${nodeId} is ${to} with generation ${task.generation}, and never ran it`)
      }
      this.#noteGood(nodeId, digest ?? '')
    }
  }

  #noteGood(nodeId: string, digest: string): void {
    this.#good.set(nodeId, (this.#good.get(nodeId) ?? new Set()).add(digest))
  }

  /** What it may yet obey, of whom. */
  #outstanding(db: Database): void {
    for (const [nodeId, offers] of db.offers) {
      const latest = offers.findLast((one) => one.state !== 'withdrawn')
      if (latest?.state !== 'offered' || latest.rolloutId === null) continue
      // Who is decommissioned is not heard any more, and gets nothing.
      if (db.nodes.get(nodeId)?.isDecommissioned) continue
      const task = db.rollouts.get(latest.rolloutId)?.tasks.find((one) => one.nodeId === nodeId)
      // Its way back waits for it, whoever has it now.
      const isWayBack = latest.digest !== task?.digest
      if (task?.state === 'skipped' && !isWayBack) {
        this.fail('I2', `${latest.rolloutId} has left ${nodeId}, which may still take its offer`)
      }
    }
  }

  onAssign(db: Database, offer: Offer): void {
    const { nodeId, generation, rolloutId } = offer
    const given = db.offers.get(nodeId) ?? []
    // A restored database has forgotten what it gave, not what nodes obeyed and said.
    const highest = given.reduce((most, one) => Math.max(most, one.generation), 0)
    if (generation <= highest) this.fail('I5', `${nodeId} is given ${generation} after ${highest}`)
    this.#mayBeAsked(db, offer, given)
    this.#isOpen(db, offer)
    if (rolloutId === null) {
      this.#isReleased(db, offer)
      return
    }
    const holder = db.leases.get(nodeId)
    if (holder !== undefined && holder !== rolloutId) {
      this.fail('I2', `${rolloutId} gives ${nodeId} something, which belongs to ${holder}`)
    }
    const rollout = db.rollouts.get(rolloutId)
    const task = rollout?.tasks.find((one) => one.nodeId === nodeId)
    if (!rollout || !task) throw new Violation(`I2: ${rolloutId} has no task for ${nodeId}`)
    if (
      holder === undefined &&
      rollout.state !== 'succeeded' &&
      rollout.progress.goesBack === null
    ) {
      this.fail('I2', `${rolloutId} is ${rollout.state} and offers to ${nodeId} without a lease`)
    }
    if (rollout.progress.goesBack === null && task.wave > rollout.progress.wave) {
      if (rollout.state !== 'succeeded') this.fail('I3', `${nodeId} is offered it before its wave`)
    }
  }

  /** A new node gets what all others proved, never a candidate; who lost a local change, what it had. */
  #isReleased(db: Database, { nodeId, digest }: Offer): void {
    const isAgain = latestOffer(db, nodeId)?.digest === digest
    // Who refused that gets what others are well with, and that alone.
    const hasRefused = (db.offers.get(nodeId) ?? []).some((one) => one.digest === db.released)
    const isKnown = hasRefused && this.#isKept(db, digest)
    if (digest !== db.released && !isAgain && !isKnown) {
      this.fail('I3', `${nodeId} is given ${digest}, and ${db.released} is released`)
    }
  }

  #isKept = (db: Database, digest: string) =>
    db.releases.includes(digest) &&
    [...db.offers.values()].flat().some((one) => one.digest === digest && one.state === 'confirmed')

  /** At rest: who joined last serves something, when others are well with it and it has not refused that. */
  onNewcomer(db: Database, nodeId: string): void {
    const given = db.offers.get(nodeId) ?? []
    const isNew = given.length > 0 && given.every(({ rolloutId }) => rolloutId === null)
    const isOver = given.every(({ state }) => state === 'nacked' || state === 'reverted')
    if (!isNew || !isOver || db.leases.has(nodeId)) return
    const left = provenReleases(db).find((one) => given.every(({ digest }) => digest !== one))
    if (left !== undefined) this.fail('I13', `${nodeId} serves nothing, and others serve ${left}`)
  }

  /** Of what is new, a cordoned node gets only what it had before, and its first. */
  #isOpen(db: Database, { nodeId, rolloutId, digest }: Offer): void {
    if (!db.nodes.get(nodeId)?.cordon) return
    const latest = latestOffer(db, nodeId)
    const isWayBack = rolloutId !== null && db.rollouts.get(rolloutId)?.progress.goesBack != null
    // Its first, until it takes one.
    const isFirst = (db.offers.get(nodeId) ?? []).every(
      ({ state, rolloutId: by }) =>
        state === 'withdrawn' || (by === null && (state === 'nacked' || state === 'reverted')),
    )
    const isKnown = rolloutId === null && (isFirst || latest?.digest === digest)
    if (!isWayBack && !isKnown) {
      this.fail('cordon', `${nodeId} is cordoned, and ${rolloutId} offers it ${digest}`)
    }
  }

  /** Just before its nodes become its own. */
  onBegin(db: Database, id: string, { wallMs, closed }: Clock): void {
    const asked = db.asked.get(id)
    if (!asked || asked.isEmergency) return
    const { approvals, startAtMs } = asked
    if (approvals.given < approvals.needed) this.fail('approvals', `${id} begins without`)
    if (startAtMs !== null && wallMs < startAtMs) this.fail('schedule', `${id} begins too early`)
    if (closed !== null) this.fail('windows', `${id} begins: ${tellClosed(closed)}`)
    if (takesOver(asked)) return
    const own = nodesOf(db.rollouts.get(id))
    const rank = (one: string) =>
      this.#line.includes(one) ? this.#line.indexOf(one) : Number.POSITIVE_INFINITY
    for (const [other, rollout] of db.rollouts) {
      const isBefore = rollout.state === 'queued' && rank(other) < rank(id)
      const shared = nodesOf(rollout).filter((nodeId) => own.includes(nodeId))
      if (isBefore && shared.length > 0) this.fail('line', `${id} passes ${other}`)
    }
  }

  /** What it refused it is offered again only when that may pass, and so often. */
  #mayBeAsked({ rollouts, offers }: Database, offer: Offer, given: readonly Offer[]): void {
    const { rolloutId, nodeId, digest } = offer
    if (rolloutId === null || rollouts.get(rolloutId)?.progress.goesBack != null) return
    const refused = given.filter(
      (one) => one.rolloutId === rolloutId && one.digest === digest && one.state === 'nacked',
    )
    const isFinal = refused.some(({ code }) => code !== 'busy' && code !== 'resource_limit')
    if (isFinal) this.fail('refusals', `${nodeId} is offered ${digest} again, which it refused`)
    for (const one of [...offers.values()].flat()) {
      const isOfKind = one.state === 'nacked' && OF_A_KIND.includes(one.code ?? '')
      const isSame = one.rolloutId === rolloutId && one.digest === digest
      if (isOfKind && isSame && kindOf(one.nodeId) === kindOf(nodeId)) {
        this.fail('kinds', `${nodeId} is offered ${digest}, which ${one.nodeId} refused`)
      }
    }
    if (refused.length > MOST_REFUSALS) {
      this.fail('refusals', `${nodeId} is offered ${digest} after ${refused.length} refusals`)
    }
  }

  /** With the new offer in it. */
  onOffered(db: Database, { rolloutId }: Offer): void {
    const rollout = rolloutId === null ? undefined : db.rollouts.get(rolloutId)
    if (rolloutId === null || !rollout) return
    this.#withinFarmBudget(db, rolloutId, rollout)
    if (rollout.policy.maxParallel === null || rollout.progress.goesBack !== null) return
    this.#withinBudget(db, rolloutId, rollout, { countIll: true })
  }

  onGiveBack(id: string, nodeId: string, earlier: Offer | undefined): void {
    if (!earlier) this.fail('I9', `${id} gives ${nodeId} back what it never had`)
    if (earlier.rolloutId === id) this.fail('I9', `${id} gives ${nodeId} its own version back`)
    if (!this.#good.get(nodeId)?.has(earlier.digest)) {
      this.fail('I9', `${id} gives ${nodeId} back what it never kept`)
    }
  }

  /** Kept, it would be what the node goes back to. */
  onKept(rollout: Rollout | undefined, offer: Offer): void {
    const { nodeId, generation, rolloutId, digest, state } = offer
    if (state !== 'applied') this.fail('I8', `${nodeId} may keep ${generation}: it is ${state}`)
    if (rolloutId === null) this.#noteGood(nodeId, digest)
    const isBad = rollout?.progress.goesBack != null
    const task = rollout?.tasks.find((one) => one.nodeId === nodeId)
    // Without anything before it, keeping it is better than nothing.
    if (isBad && task?.digest === digest && !['skipped', 'revert_failed'].includes(task.state)) {
      this.fail('I9', `${nodeId} may keep ${generation}, which ${rolloutId} takes back`)
    }
  }

  /** At rest: of what was taken back nothing runs any more. */
  onReverted(id: string, { tasks }: Rollout, db: Database): void {
    for (const { nodeId, state } of tasks) {
      const running = this.nodes.get(nodeId)?.[0]?.running
      const offer = db.offers.get(nodeId)?.find((one) => one.generation === running?.generation)
      const isLeft = offer?.rolloutId === id && !['reverted', 'skipped', 'nacked'].includes(state)
      if (isLeft) this.fail('I9', `${id} is reverted, and ${nodeId} runs its version (${state})`)
    }
  }

  afterCommit({ db }: { db: Database }): void {
    this.#outstanding(db)
    for (const [id, rollout] of db.rollouts) {
      if (rollout.policy.maxParallel === null) continue
      // A node that falls ill long after it was well takes room it did not ask for.
      this.#withinBudget(db, id, rollout, { countIll: false })
      this.#leased(db, id, rollout)
    }
  }

  #withinBudget(db: Database, id: string, rollout: Rollout, how: { countIll: boolean }): void {
    const { policy, progress } = rollout
    const { forward, back } = this.#unproven(db, id, rollout, how)
    const most = Math.min(policy.maxParallel ?? 0, policy.blastBudget ?? 0)
    if (forward > most)
      this.fail('I4', `${forward} nodes of ${id} are unproven, of at most ${most}`)
    if (progress.goesBack !== null && back > (policy.blastBudget ?? 0)) {
      this.fail('I4', `${back} nodes of ${id} go back at once, of at most ${policy.blastBudget}`)
    }
  }

  /** Of all rollouts that own nodes. Of one that goes back, one node may, however full it is. */
  #withinFarmBudget(db: Database, own: string, { progress }: Rollout): void {
    const { blastBudget } = db.rules
    if (blastBudget === null) return
    let others = 0
    let ours = 0
    for (const [id, rollout] of db.rollouts) {
      if (isTerminal(rollout.state) || rollout.state === 'revert_incomplete') continue
      const { forward, back } = this.#unproven(db, id, rollout, { countIll: true })
      if (id === own) ours = forward + back
      else others += forward + back
    }
    const most = Math.max(blastBudget - others, progress.goesBack === null ? 0 : 1)
    if (ours > 0 && ours > most) {
      const all = `${ours} nodes of ${own} and ${others} of others`
      this.fail('I4', `${all} are unproven, of ${blastBudget} in the farm`)
    }
  }

  /** Counted by what nodes were given, not by what the engine thinks of its tasks. */
  #unproven(
    db: Database,
    id: string,
    { tasks }: Rollout,
    { countIll }: { countIll: boolean },
  ): { forward: number; back: number } {
    let forward = 0
    let back = 0
    for (const { nodeId, generation, state, isExcused, deadlineMs } of tasks) {
      const offer = latestOffer(db, nodeId)
      if (offer?.rolloutId !== id || isExcused) continue
      const isUnderWay = !['withdrawn', 'nacked', 'reverted'].includes(offer.state)
      const isProven = ['healthy', 'done', 'skipped'].includes(state)
      // Out of reach, or in conflict with what a person made of it: it runs neither version of ours.
      const isApart = state === 'unreachable' || state === 'nacked'
      const key = `${id} ${nodeId}`
      // Who fell silent on its way takes no room, also when it speaks again: nobody can call it back.
      if (state === 'reverting' && deadlineMs === 0) this.#fellSilent.add(key)
      const isGiven = state === 'reverting' && generation !== null && !this.#fellSilent.has(key)
      if (isGiven && isUnderWay) back++
      else if (state === 'unhealthy' && !countIll) continue
      else if (isUnderWay && !isProven && !isApart && !state.startsWith('revert')) forward++
    }
    return { forward, back }
  }

  #leased(db: Database, id: string, { state, tasks, progress }: Rollout): void {
    const owns = !isTerminal(state) && !isWaiting(state) && state !== 'revert_incomplete'
    for (const { nodeId, wave, state: taskState, generation, offers } of tasks) {
      const isOurs = db.leases.get(nodeId) === id
      // Who was gone before it began is not its own.
      const isGone = taskState === 'skipped' && !isOurs
      if (isOurs !== owns && !isGone)
        this.fail('I2', `${id} is ${state}; its lease on ${nodeId}: ${isOurs}`)
      // One that has the version already may change on its machine at any time.
      const isGiven = generation !== null && offers > 0 && taskState !== 'done'
      const isEarly = wave > progress.wave && isGiven
      if (isEarly && owns) this.fail('I3', `${nodeId} is ${taskState} before its wave`)
    }
  }

  /** N7: while nobody has said which of two processes is the node, neither's word counts. */
  onBelieved({ nodes }: Database, nodeId: string): void {
    const clone = nodes.get(nodeId)?.standing.clone
    if (clone && clone.keep === null) this.fail('N7', `${nodeId} is two, and one is believed`)
  }

  onRuns(node: SimNode, change: Change): void {
    const { running } = node
    this.movedAtMs = this.nowMs()
    if (running) this.#ran.add(`${node.id} ${running.generation} ${running.digest}`)
    if (running && !node.validated.has(running.digest)) {
      this.fail('I1', `${node.id} runs ${running.digest} unseen`)
    }
    const why = running && whyNotWhole(node.disk, running.digest)
    if (why) this.fail(why.invariant, `${node.label} runs ${running?.digest} ${why.what}`)
    if (running && change === 'swap') {
      const highest = this.#highest.get(node.label) ?? 0
      // Without a confirmed config it says that it has none, and may be given the same again.
      const isAgain = running.generation === highest && node.disk.confirmed === null
      if (running.generation <= highest && !isAgain) {
        this.fail('I5', `${node.label} takes ${running.generation} after ${highest}`)
      }
      this.#highest.set(node.label, running.generation)
      if (node.isRefused) this.fail('N7', `${node.label} is a clone, and took something`)
    }
    if (this.downSinceMs === null || this.hasTwin || change !== 'swap') return
    if (this.nowMs() - this.downSinceMs > AFTERSHOCK_MS) {
      this.fail('I12', `${node.id} changed while nobody told it to`)
    }
  }
}

/** It had the version before the rollout began. */
const isSettled = ({ state, offers }: Task) => state === 'done' && offers === 0
const isWell = ({ state }: Task) => state === 'healthy' || state === 'done'

type Clock = { wallMs: number; closed: Closed | null }

const nodesOf = (rollout: Rollout | undefined) =>
  (rollout?.tasks ?? []).flatMap(({ nodeId, state }) => (state === 'skipped' ? [] : [nodeId]))
