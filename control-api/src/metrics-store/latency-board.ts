// SPDX-License-Identifier: MIT
// The last minute or two of each node in memory, for the fleet's table and for the gates of rollouts: asked for
// once a second by every open console, so it never goes to the disk.
import { quantile } from '../histogram/histogram.ts'
import { HistogramSum } from '../histogram/sum.ts'
import type { LatencySummary, Sample } from './metrics.ts'
import { NodeWindows, type WindowTotals } from './node-windows.ts'
import { PackedStages } from './packed-stages.ts'
import type { PlacedWindow } from './windows.ts'

const KEEP_MS = 120_000

export function createLatencyBoard() {
  const nodes = new Map<string, NodeWindows>()
  /** Of whoever is asked for: to make them anew takes longer than to add to them. */
  const sums = { total: new HistogramSum(), readWait: new HistogramSum() }
  const keptSpan = (nowMs: number) => ({ sinceMs: nowMs - KEEP_MS, untilMs: nowMs })
  const spanOf = (windowSeconds: number, nowMs: number) => ({
    sinceMs: nowMs - Math.min(windowSeconds * 1000, KEEP_MS),
    untilMs: nowMs,
  })
  const lately = (nodeId: string, windowSeconds: number, nowMs: number) =>
    nodes.get(nodeId)?.totals(spanOf(windowSeconds, nowMs)) ?? []

  return {
    add(nodeId: string, windows: readonly PlacedWindow[], nowMs: number): void {
      const node = nodes.get(nodeId) ?? new NodeWindows()
      nodes.set(nodeId, node)
      node.add(windows, keptSpan(nowMs))
    },

    /** null: no window of the node ended in that time. */
    summary(nodeId: string, windowSeconds: number, nowMs: number): LatencySummary | null {
      const totals = lately(nodeId, windowSeconds, nowMs)
      if (totals.length === 0) return null
      for (const sum of Object.values(sums)) sum.clear()
      nodes.get(nodeId)?.addStages(spanOf(windowSeconds, nowMs), sums)
      const [total, readWait] = [sums.total.counted(), sums.readWait.counted()]
      const requests = sumOf(totals, 'requests')
      const share = (of: keyof WindowTotals) => (requests > 0 ? sumOf(totals, of) / requests : null)
      return {
        windowSeconds,
        requests: total.count,
        p50Seconds: quantile(total, 0.5),
        p99Seconds: quantile(total, 0.99),
        readWaitP99Seconds: quantile(readWait, 0.99),
        errorRatio: share('errors'),
        clientErrorRatio: share('clientErrors'),
        notFoundRatio: share('notFound'),
        requestsPerSecond: rateOf(totals),
      }
    },

    /** Requests a second, without what takes long: histograms. null: no window of the node ended in that time. */
    requestRate(nodeId: string, windowSeconds: number, nowMs: number): number | null {
      const totals = lately(nodeId, windowSeconds, nowMs)
      return totals.length === 0 ? null : rateOf(totals)
    },

    /** Whether a window of the node ended in that time. */
    isHeard(nodeId: string, windowSeconds: number, nowMs: number): boolean {
      return lately(nodeId, windowSeconds, nowMs).length > 0
    },

    /** By config generation. */
    samples(nodeId: string, sinceMs: number, nowMs: number): Sample[] {
      const kept = nodes.get(nodeId)?.series({ sinceMs, untilMs: nowMs }) ?? []
      return kept.map(({ stages, ...one }) => ({
        ...{ ...one, nodeId },
        stages: new PackedStages(stages),
      }))
    },

    /** Lets go of nodes that stopped reporting. */
    prune(nowMs: number): void {
      for (const [nodeId, node] of nodes) {
        node.keepWithin(keptSpan(nowMs))
        if (node.isEmpty) nodes.delete(nodeId)
      }
    },
  }
}

const sumOf = (totals: readonly WindowTotals[], of: keyof WindowTotals): number =>
  totals.reduce((sum, one) => sum + one[of], 0)

const rateOf = (totals: readonly WindowTotals[]): number =>
  (sumOf(totals, 'requests') / sumOf(totals, 'durationMs')) * 1000
