// SPDX-License-Identifier: MIT
// Requests that visitors make of the simulated nodes, and the windows in which nodes report them, as server-c's
// agent does: by generation, kept until they are taken, lost with the process. Beside them a record of what
// each node really served, which no control plane sees.
import type { Sample } from '../../src/metrics-store/metrics.ts'
import { countersOfWatched } from '../../src/metrics-store/watched-paths.ts'
import type { Change, Flaw, SimNode } from './node.ts'
import { isLossy, WATCH } from './pages.ts'
import type { Chance } from './scheduler.ts'

export const REPORT_MS = 5_000
/** What a node has not delivered for longer, no gate asks for any more. */
const KEPT_MS = 120_000
const USUAL_5XX = 0.0005
const BAD_5XX = 0.1

type Counters = Pick<Sample, 'generation' | 'counters'>
export type TimedWindow = { endedAtMs: number; series: Counters[] }
type Part = { generation: number; digest: string; ms: number }
type Serving = {
  /** In the window under way: what ran, one after the other. */
  parts: Part[]
  sinceMs: number
  running: SimNode['running']
  kept: TimedWindow[]
}
type Served = { nodeId: string; digest: string; endedAtMs: number; requests: number }

type Deps = {
  chance: Chance
  nowMs: () => number
  flawOf: (nodeId: string, digest: string) => Flaw
}

export class Traffic {
  readonly #deps: Deps
  readonly #serving = new Map<string, Serving>()
  /** Newest last. */
  #served: Served[] = []
  readonly #perSecond: number
  readonly #mute = new Map<string, boolean>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#perSecond = deps.chance.of([2, 20, 50, 200])
  }

  /** Another config runs, or the process began anew. */
  onRuns(node: SimNode, change: Change): void {
    const sinceMs = this.#deps.nowMs()
    const before = change === 'boot' ? undefined : this.#serving.get(node.label)
    const parts = before ? withPart(before, sinceMs) : []
    const kept = before?.kept ?? []
    this.#serving.set(node.label, { parts, sinceMs, running: node.running, kept })
  }

  /** The windows that a report of the node would hold now. */
  report(node: SimNode): TimedWindow[] {
    const serving = this.#serving.get(node.label)
    if (!serving) return []
    const endedAtMs = this.#deps.nowMs()
    const series = withPart(serving, endedAtMs).map((part) => this.#serve(node.id, part, endedAtMs))
    const window = { endedAtMs, series: summed(series) }
    serving.kept = [...serving.kept, window].filter((one) => one.endedAtMs > endedAtMs - KEPT_MS)
    serving.parts = []
    serving.sinceMs = endedAtMs
    return serving.kept
  }

  taken(node: SimNode): void {
    const serving = this.#serving.get(node.label)
    if (serving) serving.kept = []
  }

  /** Of some nodes no report ever arrives. */
  isMute({ id }: SimNode): boolean {
    const known = this.#mute.get(id) ?? this.#deps.chance.is(0.05)
    this.#mute.set(id, known)
    return known
  }

  /** In windows that ended since then. */
  servedSince(sinceMs: number, isIn: (nodeId: string, digest: string) => boolean): number {
    const chosen = this.#served.filter(
      ({ nodeId, digest, endedAtMs }) => endedAtMs > sinceMs && isIn(nodeId, digest),
    )
    return chosen.reduce((sum, { requests }) => sum + requests, 0)
  }

  /** What nothing asks for any more. */
  forgetBefore(ms: number): void {
    this.#served = this.#served.filter(({ endedAtMs }) => endedAtMs > ms)
  }

  #serve(nodeId: string, { generation, digest, ms }: Part, endedAtMs: number): Counters {
    const { chance, flawOf } = this.#deps
    const requests = Math.round(
      ((this.#perSecond * ms) / 1_000) * (0.5 + chance.between(0, 10) / 10),
    )
    const isBad = flawOf(nodeId, digest) === 'slow'
    const likely = requests * (isBad ? BAD_5XX : USUAL_5XX)
    const responses5xx = Math.floor(likely) + (chance.is(likely % 1) ? 1 : 0)
    this.#served.push({ nodeId, digest, endedAtMs, requests })
    return { generation, counters: { requests, responses5xx, ...pagesOf(digest, requests) } }
  }
}

/** A third of all is asked for below the path that gates watch. */
function pagesOf(digest: string, requests: number): Counters['counters'] {
  const below = Math.floor(requests / 3)
  const notFound = isLossy(digest) ? Math.ceil(below / 2) : 0
  return countersOfWatched({ id: WATCH.id, counts: [[0, below, notFound, 0, 0]] })
}

function withPart({ parts, sinceMs, running }: Serving, untilMs: number): Part[] {
  const ms = untilMs - sinceMs
  if (!running || ms <= 0) return parts
  return [...parts, { generation: running.generation, digest: running.digest, ms }]
}

/** One of each generation, whatever was served under it. */
function summed(series: readonly Counters[]): Counters[] {
  const byGeneration = new Map<number, Counters['counters']>()
  for (const { generation, counters } of series) {
    const before = byGeneration.get(generation)
    const both = Object.keys(counters).map((name) => [
      name,
      (before?.[name] ?? 0) + (counters[name] ?? 0),
    ])
    byGeneration.set(generation, Object.fromEntries(both))
  }
  return [...byGeneration].map(([generation, counters]) => ({ generation, counters }))
}
