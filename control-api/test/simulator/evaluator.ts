// SPDX-License-Identifier: MIT
// What evaluator.ts does over SQL and the metrics store: the service's own judgement, of the windows in the
// service's own latency board. And what the verdict is worth, by what nodes really served.
import {
  illOf,
  judgeWave,
  namesOf,
  silentOf,
  WINDOW_MS,
} from '../../src/features/rollouts/gates/evidence.ts'
import { MAX_GAP_SECONDS, withSilent } from '../../src/features/rollouts/gates/gates.ts'
import { isWanted, LookBook, type Sides } from '../../src/features/rollouts/gates/look-book.ts'
import type { Evaluated, Rollout, Task } from '../../src/features/rollouts/reducer/model.ts'
import type { Evidence } from '../../src/features/rollouts/shapes/schema.ts'
import type { SimNode } from './node.ts'
import { isLossy, isMisfiled } from './pages.ts'
import { contentsOf } from './release-files.ts'
import { Chance } from './scheduler.ts'
import { REPORT_MS, type TimedWindow, Traffic } from './traffic.ts'
import type { World } from './world.ts'

/** A verdict may be this late. */
const LATE_MS = 2_000
/** So long after the wall clock was set back: windows are dated by it, so older ones count. */
const FORGIVEN_MS = 2 * WINDOW_MS

export class Evaluator {
  readonly #world: World
  readonly #chance: Chance
  readonly #traffic: Traffic
  /** It goes with the process. */
  #book: { of: unknown; book: LookBook } | null = null

  /** Draws of its own: what it draws changes nothing else. */
  constructor(world: World, seed: number) {
    this.#world = world
    this.#chance = new Chance(seed)
    const nowMs = () => world.scheduler.nowMs
    const flawOf = world.flawOf.bind(world)
    this.#traffic = new Traffic({ chance: this.#chance, nowMs, flawOf })
  }

  onRuns: Traffic['onRuns'] = (node, change) => this.#traffic.onRuns(node, change)

  begin(): void {
    this.#world.scheduler.after(REPORT_MS, () => {
      this.#traffic.forgetBefore(this.#world.scheduler.nowMs - WINDOW_MS)
      for (const node of this.#world.nodes) this.#report(node)
      if (this.#world.plane.isUp) this.#evaluate()
      this.begin()
    })
  }

  #report(node: SimNode): void {
    if (!node.isUp) return
    const windows = this.#traffic.report(node)
    if (!this.#arrives(node)) return
    this.#traffic.taken(node)
    const { plane, scheduler } = this.#world
    plane.board.add(
      node.id,
      windows.map((window) => placed(window, scheduler.nowMs, plane.wallMs)),
      plane.wallMs,
    )
  }

  #arrives(node: SimNode): boolean {
    const { astray, network, plane } = this.#world
    const isHeard = plane.isUp && plane.connected.has(node.id) && !node.isRefused
    if (!isHeard || astray.has(node.id) || network.cut.has(node.id)) return false
    // A report says first whether somebody changed the config.
    const row = plane.db.nodes.get(node.id)
    if (row?.isDecommissioned !== false || row.drift !== node.disk.edited) return false
    return !this.#traffic.isMute(node) && !this.#chance.is(network.faults.loss)
  }

  #evaluate(): void {
    const { plane } = this.#world
    const samplesOf = (nodeIds: readonly string[], sinceMs: number) =>
      nodeIds.flatMap((nodeId) => plane.board.samples(nodeId, sinceMs, plane.wallMs))
    const isConnected = (nodeId: string) => plane.connected.has(nodeId)
    const book = this.#bookOf()
    for (const [id, rollout] of gated(plane.db.rollouts)) {
      const lookedOf = (of: string, seen: Rollout) => book.lookedOf(of, seen)
      const measured = { nowMs: plane.wallMs, samplesOf, isConnected, lookedOf }
      for (const { nodeId } of illOf(rollout, measured)) if (plane.isUp) plane.ill(id, nodeId)
      const found = judgeWave(id, rollout, measured)
      if (!found) continue
      const silent = silentOf(found.canary.tasks, { has: (nodeId) => this.#isHeard(nodeId) })
      const { onFail, ...evidence } = withSilent(found.judged, namesOf(silent))
      const { verdict, message } = evidence
      this.#say(id, rollout, evidence, {
        kind: 'evaluated',
        wave: rollout.progress.wave,
        onFail,
        verdict,
        message,
        ...(message !== found.judged.message && { silent }),
      })
      this.#look(id, rollout, { canary: found.canary.tasks, control: found.control.tasks })
    }
  }

  /** A plane that starts anew has forgotten what nodes answered. */
  #bookOf(): LookBook {
    const { plane, scheduler } = this.#world
    if (this.#book?.of !== plane.board)
      this.#book = { of: plane.board, book: new LookBook(() => scheduler.nowMs) }
    return this.#book.book
  }

  #look(id: string, rollout: Rollout, sides: Sides): void {
    const { plane } = this.#world
    if (!isWanted(rollout)) return
    const book = this.#bookOf()
    const isConnected = (nodeId: string) => plane.connected.has(nodeId)
    const due = book.whomToAsk(id, rollout, sides, { isAble: () => true, isConnected })
    for (const side of ['canary', 'control'] as const)
      for (const task of due[side]) this.#askNode(id, side, task)
  }

  /** It answers a little later with what it serves by then, or never. */
  #askNode(id: string, side: keyof Sides, task: Task): void {
    const { scheduler, network } = this.#world
    const files = contentsOf(task.digest).map((name) => ({
      ...{ url: `/${name}`, key: `www:${name}`, sha256: name, release: 'www@2' },
    }))
    const answer = this.#bookOf().asked(id, side, task, files)
    if (this.#chance.is(network.faults.loss)) return
    scheduler.after(this.#chance.between(0, 2 * REPORT_MS), () => {
      const node = this.#world.nodes.find((one) => one.id === task.nodeId)
      if (!node?.isUp || !node.running) return
      const served = new Set(contentsOf(node.running.digest))
      const isWrong = isMisfiled(node.id, node.running.digest)
      answer(
        files.map(({ sha256 }, i) => ({
          ...{ status: served.has(sha256) ? 200 : 404, bytes: 1, mediaType: null },
          sha256: isWrong && i === 1 ? 'other bytes' : sha256,
        })),
      )
    })
  }

  #isHeard = (nodeId: string) => {
    const { board, wallMs } = this.#world.plane
    return board.summary(nodeId, MAX_GAP_SECONDS, wallMs) !== null
  }

  #say(id: string, rollout: Rollout, evidence: Evidence, event: Evaluated): void {
    const { plane, scheduler, watch } = this.#world
    const unfounded = event.verdict === 'pass' ? this.#whyUnfounded(rollout, evidence) : null
    if (unfounded !== null) watch.unfounded.set(event, unfounded)
    const tell = () => {
      if (plane.isUp) plane.evaluated(id, event)
    }
    if (this.#chance.is(0.1)) scheduler.after(this.#chance.between(0, LATE_MS), tell)
    else tell()
  }

  /** By what the wave's nodes served of the version. */
  #whyUnfounded({ tasks, policy, progress }: Rollout, { gates }: Evidence): string | null {
    const { scheduler, setBackAtMs } = this.#world
    if (setBackAtMs !== null && scheduler.nowMs - setBackAtMs < FORGIVEN_MS) return null
    const inWave = tasks.filter(({ wave }) => wave === progress.wave)
    const isOfVersion = (nodeId: string, digest: string) =>
      inWave.some((task) => task.nodeId === nodeId && task.digest === digest)
    const really = this.#traffic.servedSince(scheduler.nowMs - WINDOW_MS, isOfVersion)
    const odd = whyOdd(inWave, gates)
    if (odd !== null) return odd
    const ofAll = gates.filter(({ metric }) => metric === 'errors5xx')
    const counted = Math.max(...ofAll.map(({ canary }) => canary.samples))
    if (really < policy.minSamples) return `${really} requests, of at least ${policy.minSamples}`
    return counted > really ? `${counted} requests are counted, ${really} were served` : null
  }
}

/** What gates of files and of paths were asked for, and let pass. */
function whyOdd(inWave: readonly Task[], gates: Evidence['gates']): string | null {
  const watched = inWave.filter(({ state }) => state === 'healthy')
  const misfiled = watched.find(({ nodeId, digest }) => isMisfiled(nodeId, digest))
  if (misfiled && gates.some(({ metric }) => metric === 'releaseFiles'))
    return `${misfiled.nodeId} answers with other bytes than the release has`
  const docs = gates.find(({ path }) => path !== undefined)
  const isLost =
    docs && (docs.control.value ?? 0) < 0.01 && watched.some(({ digest }) => isLossy(digest))
  return isLost ? 'pages are gone, and none without the version' : null
}

const gated = (rollouts: ReadonlyMap<string, Rollout>) =>
  [...rollouts].filter(
    ([, { state, policy }]) =>
      (state === 'running' || state === 'paused') && policy.gates.length > 0,
  )

/** Its end by the wall clock of whoever takes it. */
const placed = ({ endedAtMs, series }: TimedWindow, nowMs: number, wallMs: number) => ({
  seq: 0,
  endedAtMs: wallMs - (nowMs - endedAtMs),
  durationMs: REPORT_MS,
  series: series.map((one) => ({ ...one, stages: {} })),
})
