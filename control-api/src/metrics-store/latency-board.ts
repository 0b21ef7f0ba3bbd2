// SPDX-License-Identifier: MIT
// The last minute or two of each node in memory, for the fleet's table and for the gates of rollouts: asked for
// once a second by every open console, so it never goes to the disk.
import { emptyHistogram, mergeHistograms, quantile } from '../histogram/histogram.ts'
import type { LatencySummary, Sample } from './metrics.ts'
import { PackedStages } from './packed-stages.ts'
import { countersOfWatched } from './watched-paths.ts'
import type { PlacedWindow } from './windows.ts'

const KEEP_MS = 120_000

type Entry = {
  endedAtMs: number
  durationMs: number
  requests: number
  errors: number
  clientErrors: number
  notFound: number
  series: readonly { generation: number; counters: Sample['counters']; stages: PackedStages }[]
}

export function createLatencyBoard() {
  const nodes = new Map<string, Entry[]>()
  const lately = (nodeId: string, windowSeconds: number, nowMs: number) => {
    const since = nowMs - Math.min(windowSeconds * 1000, KEEP_MS)
    return (nodes.get(nodeId) ?? []).filter(endedWithin(since, nowMs))
  }
  return {
    add(nodeId: string, windows: readonly PlacedWindow[], nowMs: number): void {
      const entries = [...(nodes.get(nodeId) ?? []), ...windows.map(toEntry)]
      nodes.set(nodeId, entries.filter(endedWithin(nowMs - KEEP_MS, nowMs)))
    },

    /** null: no window of the node ended in that time. */
    summary(nodeId: string, windowSeconds: number, nowMs: number): LatencySummary | null {
      const entries = lately(nodeId, windowSeconds, nowMs)
      if (entries.length === 0) return null
      const merged = (stage: 'total' | 'readWait') =>
        entries
          .flatMap(({ series }) => series.map(({ stages }) => stages[stage] ?? emptyHistogram()))
          .reduce(mergeHistograms, emptyHistogram())
      const sum = (read: (entry: Entry) => number) =>
        entries.reduce((n, entry) => n + read(entry), 0)
      const total = merged('total')
      const requests = sum((entry) => entry.requests)
      const share = (read: (entry: Entry) => number) => (requests > 0 ? sum(read) / requests : null)
      return {
        windowSeconds,
        requests: total.count,
        p50Seconds: quantile(total, 0.5),
        p99Seconds: quantile(total, 0.99),
        readWaitP99Seconds: quantile(merged('readWait'), 0.99),
        errorRatio: share((entry) => entry.errors),
        clientErrorRatio: share((entry) => entry.clientErrors),
        notFoundRatio: share((entry) => entry.notFound),
        requestsPerSecond: rateOf(entries),
      }
    },

    /** Requests a second, without what takes long: histograms. null: no window of the node ended in that time. */
    requestRate(nodeId: string, windowSeconds: number, nowMs: number): number | null {
      const entries = lately(nodeId, windowSeconds, nowMs)
      return entries.length === 0 ? null : rateOf(entries)
    },

    /** Whether a window of the node ended in that time. */
    isHeard(nodeId: string, windowSeconds: number, nowMs: number): boolean {
      return lately(nodeId, windowSeconds, nowMs).length > 0
    },

    /** By config generation. */
    samples(nodeId: string, sinceMs: number, nowMs: number): Sample[] {
      return (nodes.get(nodeId) ?? [])
        .filter(endedWithin(sinceMs, nowMs))
        .flatMap(({ endedAtMs, series }) => series.map((one) => ({ ...one, nodeId, endedAtMs })))
    },

    /** Lets go of nodes that stopped reporting. */
    prune(nowMs: number): void {
      for (const [nodeId, entries] of nodes) {
        if (!entries.some(endedWithin(nowMs - KEEP_MS, nowMs))) nodes.delete(nodeId)
      }
    },
  }
}

function rateOf(entries: readonly Entry[]): number {
  const [requests, ms] = entries.reduce<[number, number]>(
    ([n, time], entry) => [n + entry.requests, time + entry.durationMs],
    [0, 0],
  )
  return (requests / ms) * 1000
}

/** What ended in the future did so before our clock was set back, who knows when. */
const endedWithin =
  (sinceMs: number, nowMs: number) =>
  ({ endedAtMs }: Entry): boolean =>
    endedAtMs > sinceMs && endedAtMs <= nowMs

function toEntry({ endedAtMs, durationMs, series }: PlacedWindow): Entry {
  const sum = (counter: string) => series.reduce((n, s) => n + (s.counters[counter] ?? 0), 0)
  return {
    endedAtMs,
    durationMs,
    requests: sum('requests'),
    errors: sum('responses5xx'),
    clientErrors: sum('responses4xx'),
    notFound: sum('responses404'),
    series: series.map(({ generation, counters, stages, watched }) => ({
      generation,
      counters: watched ? { ...counters, ...countersOfWatched(watched) } : counters,
      stages: new PackedStages(stages),
    })),
  }
}
