// SPDX-License-Identifier: MIT
// What people do in the simulation, and what measurements say to them: orders, commands, decisions.
import { DEADLINES } from '../../src/assignments/deadlines.ts'
import type { ChangeWindow } from '../../src/features/rollout-rules/schema.ts'
import {
  AT_ONCE,
  isTerminal,
  isWaiting,
  type Policy,
  type Rollout,
} from '../../src/features/rollouts/reducer/model.ts'
import { gatesBesides } from './pages.ts'
import type { Asked } from './queue.ts'
import { contentsOf } from './release-files.ts'
import type { World } from './world.ts'

const DIGESTS = ['v1', 'v2', 'v3', 'v4', 'v5']
const COMMANDS = ['pause', 'resume', 'resume', 'skip-gate', 'freeze', 'revert', 'revert'] as const
const DECIDE_EVERY_MS = 5_000
/** As many as wait at most; the API refuses more. */
const MOST_WAIT = 6
const APPROVAL_MS = 3_600_000
/** Never open while the simulation runs. */
const CLOSED: ChangeWindow[] = [{ days: ['sun'], from: '03:00', to: '03:01' }]

export class People {
  readonly #world: World
  #orders = 0

  constructor(world: World) {
    this.#world = world
  }

  /** `kind`: 0 to 49. */
  act(kind: number): void {
    const { plane, chance } = this.#world
    if (!plane.isUp) return
    if (kind < 25) this.#order()
    else if (kind < 37) this.#command()
    else if (kind < 42) this.#decide()
    else if (kind < 44) this.#change()
    else if (kind < 46) plane.discardDrift(this.#anyNode())
    else if (kind < 48) this.#keepOne(this.#anyNode())
    else if (chance.is(0.3)) this.#world.join()
    else this.#cordonOrNot(chance.is(0.3) ? this.#anyNodes() : [this.#anyNode()])
  }

  #cordonOrNot(nodeIds: readonly string[]): void {
    const { plane } = this.#world
    const isCordoned = nodeIds.some((nodeId) => plane.db.nodes.get(nodeId)?.cordon != null)
    plane.cordon(nodeIds, isCordoned ? null : { by: 'ana', reason: 'repair', atMs: plane.wallMs })
  }

  /** What all of them serve before anything else is ordered: something to compare with. */
  orderFirst(): void {
    const { plane } = this.#world
    const approvals = { needed: 0, given: 0, byMs: null }
    const asked = { isEmergency: false, startAtMs: null, place: null, blockedBy: [], approvals }
    plane.order({
      ...{ id: 'r1000', digest: 'v1', policy: AT_ONCE, isForAll: true },
      waves: [[...plane.db.nodes.keys()]],
      asked: { ...asked, onOverlap: 'queue' },
    })
  }

  /** In peace somebody looks after what waits for a decision. */
  decideClones(): void {
    for (const nodeId of this.#world.watch.nodes.keys()) this.#keepOne(nodeId)
    this.#world.scheduler.after(DECIDE_EVERY_MS, () => this.decideClones())
  }

  #anyNodes = () => [...this.#world.watch.nodes.keys()].filter(() => this.#world.chance.is(0.4))

  #anyNode = () => this.#world.chance.of([...this.#world.watch.nodes.keys()])

  /** The process that was there first, once it was heard again. */
  #keepOne(nodeId: string): void {
    const { plane, watch } = this.#world
    const clone = plane.db.nodes.get(nodeId)?.standing.clone
    const original = watch.nodes.get(nodeId)?.[0]
    if (original && clone && clone.keep === null) plane.keepClone(nodeId, original.incarnation)
  }

  #order(): void {
    const { chance, plane } = this.#world
    if (this.#waiting().length >= MOST_WAIT) return
    const all = [...plane.db.nodes].filter(([, { isDecommissioned }]) => !isDecommissioned)
    const chosen = all.map(([id]) => id).filter(() => chance.is(0.85))
    const waves: string[][] = []
    const size = chance.between(1, 4)
    for (let i = 0; i < chosen.length; i += size) waves.push(chosen.slice(i, i + size))
    const isAtOnce = chance.is(0.15)
    const digest = chance.of(DIGESTS)
    plane.order({
      // Ids sort by time.
      id: `r${1000 + ++this.#orders}`,
      digest,
      policy: isAtOnce ? AT_ONCE : { ...this.#policy(digest), ...this.#filesFirst(digest) },
      waves: isAtOnce ? [chosen] : waves,
      isForAll: chosen.length === all.length,
      asked: this.#asked(),
    })
  }

  #asked(): Asked {
    const { chance, plane } = this.#world
    const isEmergency = chance.is(0.05)
    const needed = isEmergency ? 0 : plane.db.rules.approvals
    const startAtMs = plane.wallMs + chance.between(0, 300_000)
    return {
      onOverlap: isEmergency ? 'queue' : chance.of(['queue', 'queue', 'refuse', 'supersede']),
      isEmergency,
      startAtMs: !isEmergency && chance.is(0.1) ? startAtMs : null,
      approvals: { needed, given: 0, byMs: needed > 0 ? plane.wallMs + APPROVAL_MS : null },
      place: null,
      blockedBy: [],
    }
  }

  #waiting = () =>
    [...this.#world.plane.db.rollouts].flatMap(([id, { state }]) => (isWaiting(state) ? [id] : []))

  /** Of one that waits. */
  #decide(): void {
    const { chance, plane } = this.#world
    const ids = this.#waiting()
    if (ids.length === 0) return
    const id = chance.of(ids)
    const kind = chance.of(['approve', 'approve', 'approve', 'cancel', 'reject'] as const)
    if (kind === 'approve') plane.approve(id)
    else plane.command(id, { kind, actor: 'ben', why: 'because' })
  }

  /** The farm's rules. */
  #change(): void {
    const { chance, plane } = this.#world
    const windows = chance.is(0.5) ? [] : CLOSED
    const blastBudget = chance.of([null, null, 1, 3])
    plane.setRules({ approvals: chance.of([0, 0, 0, 1, 2]), windows, timeZone: 'UTC', blastBudget })
  }

  #filesFirst(digest: string): Pick<Policy, 'filesFirstMs'> {
    const { chance } = this.#world
    if (contentsOf(digest).length === 0 || chance.is(0.3)) return {}
    return { filesFirstMs: chance.of([20_000, 60_000, 300_000]) }
  }

  #policy(digest: string): Policy {
    const { chance, isMeasured } = this.#world
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
      gates: chance.is(isMeasured ? 0.9 : 0.4)
        ? [{ metric: 'errors5xx', max: 0.01, onFail: 'revert' }, ...gatesBesides(digest)]
        : [],
      minSamples: 500,
      isFastPath: chance.is(0.1),
      probes: chance.is(0.2) ? [{ path: '/' }] : [],
    }
  }

  #command(): void {
    const { chance, plane } = this.#world
    const last = [...plane.db.rollouts].slice(-MOST_WAIT)
    const underWay = last.filter(([, { state }]) => !isWaiting(state) && !isTerminal(state))
    // Somebody may press a button on a page of long ago.
    const ids = (underWay.length > 0 && chance.is(0.9) ? underWay : last).map(([id]) => id)
    if (ids.length === 0) return
    plane.command(chance.of(ids), { kind: chance.of(COMMANDS), actor: 'ana', why: 'because' })
  }

  /** What the metrics would say; where few requests are, nothing. */
  measure(): void {
    const { chance, plane } = this.#world
    for (const [id, rollout] of plane.db.rollouts) {
      // A verdict may come late: the rollout goes back already, or is over.
      if (chance.is(isTerminal(rollout.state) ? 0.001 : 0.2)) this.#judge(id, rollout)
    }
  }

  #judge(id: string, { tasks, progress, policy }: Rollout): void {
    const { chance, plane, scheduler } = this.#world
    if (!plane.isUp) return
    const ill = tasks.find(
      ({ nodeId, state, digest, offers }) =>
        offers > 0 &&
        ['confirmed', 'healthy', 'done'].includes(state) &&
        this.#world.flawOf(nodeId, digest) === 'slow',
    )
    if (ill && chance.is(0.1)) {
      plane.ill(id, ill.nodeId)
      return
    }
    if (policy.gates.length === 0) return
    const isTooLate = progress.goesBack !== null
    const verdict =
      ill || isTooLate ? 'fail' : chance.of(['pass', 'pass', 'no_data', 'inconclusive'] as const)
    const wave = chance.is(0.1) ? progress.wave - 1 : progress.wave
    const onFail = chance.of(['revert', 'pause', 'freeze'] as const)
    const message = `measured at ${scheduler.nowMs}`
    plane.evaluated(id, { kind: 'evaluated', wave, verdict, onFail, message })
  }
}
