// SPDX-License-Identifier: MIT
// What the service sees of measurements: record a node's report once, ask for a chart, look at the
// last minute.
import { join } from 'node:path'
import { defineError } from '../api-shapes/errors.ts'
import { inSlices, nextTurn } from '../base/slices.ts'
import { createLatencyBoard } from './latency-board.ts'
import type { LatencySummary, Metrics } from './metrics.ts'
import type { NodeSeries, SeriesQuery } from './query.ts'
import { placeWindows, type Report, reportFault } from './windows.ts'
import { MetricsUnavailable, type MetricsWorker, startMetricsWorker } from './worker-client.ts'

export type MetricsStore = Omit<Metrics, 'record'> & {
  record(nodeId: string, report: Report): Promise<number>
  query(query: SeriesQuery): Promise<NodeSeries[]>
  /** The disk is full: the oldest are deleted until so much is free. Resolves to how much it was. */
  giveWay(wantedBytes: number): Promise<number>
  /** Called at most once a second with the nodes that new windows arrived for. Returns how to stop. */
  onNewWindows(listener: (nodeIds: string[]) => void): () => void
}

const ImpossibleReport = defineError(
  400,
  'invalid_message',
  'The report contradicts itself',
  (pointer: string, message: string) => `body${pointer}: ${message}`,
)
const MetricsDown = defineError(
  503,
  'metrics_unavailable',
  'Measurements are not available',
  (reason: string) =>
    `The metrics store does not answer: ${reason}. Try again in a few seconds; nodes keep their measurements.`,
)

type Options = { dataDir: string; now: () => number; isDiskFull?: () => boolean }

const DISK_IS_FULL =
  'the disk is full: nothing is measured, rollouts are paused and changes are refused'
const PRUNE_EVERY_MS = 10 * 60_000
/** Nodes between two turns of the loop: of each the histograms of some windows are added up, or only two numbers of each window. */
const SUMMED_AT_A_TIME = 100
const ADDED_AT_A_TIME = 1_000
const TELL_EVERY_MS = 1_000

export async function openMetricsStore({
  dataDir,
  now,
  isDiskFull = () => false,
}: Options): Promise<MetricsStore> {
  const worker = await startMetricsWorker(join(dataDir, 'metrics.db'))
  const board = createLatencyBoard()
  const listeners = new Set<(nodeIds: string[]) => void>()
  const changed = new Set<string>()
  let lastFailure: string | null = null

  const tell = setInterval(() => {
    if (changed.size === 0) return
    const nodeIds = [...changed]
    changed.clear()
    for (const listener of listeners) listener(nodeIds)
  }, TELL_EVERY_MS)
  const prune = setInterval(() => {
    board.prune(now())
    // What was not deleted now is deleted next time.
    pruneRings(worker, now()).catch(noteFailure)
  }, PRUNE_EVERY_MS)
  tell.unref()
  prune.unref()

  function noteFailure(error: unknown): void {
    lastFailure = error instanceof Error ? error.message : String(error)
  }

  async function answered<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer
      lastFailure = null
      return value
    } catch (error) {
      noteFailure(error)
      if (error instanceof MetricsUnavailable) throw new MetricsDown(error.message)
      throw error
    }
  }

  return {
    async record(nodeId, report) {
      const fault = reportFault(report)
      if (fault) throw new ImpossibleReport(fault.pointer, fault.message)
      // The room that is left is for decisions.
      if (isDiskFull()) throw new MetricsDown('the disk is full')
      const nowMs = now()
      const windows = placeWindows(report, nowMs)
      const { bootId } = report
      const taken = await answered(worker.take({ nodeId, bootId, windows, nowMs }))
      const fresh = windows.filter((window) => window.seq > taken.previousSeq)
      if (fresh.length > 0) {
        board.add(nodeId, fresh, nowMs)
        changed.add(nodeId)
      }
      return taken.acknowledgedSeq
    },

    async latencySummaries(nodeIds, windowSeconds) {
      const summaries = new Map<string, LatencySummary>()
      for (const [i, nodeId] of nodeIds.entries()) {
        if (i % SUMMED_AT_A_TIME === SUMMED_AT_A_TIME - 1) await nextTurn()
        const summary = board.summary(nodeId, windowSeconds, now())
        if (summary) summaries.set(nodeId, summary)
      }
      return summaries
    },

    async requestRates(nodeIds, windowSeconds) {
      const rates = new Map<string, number>()
      for (const some of inSlices(nodeIds, ADDED_AT_A_TIME)) {
        await nextTurn()
        for (const nodeId of some) {
          const rate = board.requestRate(nodeId, windowSeconds, now())
          if (rate !== null) rates.set(nodeId, rate)
        }
      }
      return rates
    },

    heardOf: (nodeIds, windowSeconds) =>
      nodeIds.filter((nodeId) => board.isHeard(nodeId, windowSeconds, now())),

    samples: (nodeIds, sinceMs) =>
      nodeIds.flatMap((nodeId) => board.samples(nodeId, sinceMs, now())),

    giveWay: (wantedBytes) => worker.ask({ kind: 'give-way', wantedBytes, nowMs: now() }),

    query: (query) => answered(worker.ask({ kind: 'query', ...query })),

    onNewWindows(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async check() {
      if (isDiskFull()) return { ok: false, message: DISK_IS_FULL }
      return lastFailure === null
        ? { ok: true, message: 'answers' }
        : { ok: false, message: `${lastFailure}; nodes keep their measurements for 15 minutes` }
    },

    async close() {
      clearInterval(tell)
      clearInterval(prune)
      listeners.clear()
      await worker.close()
    },
  }
}

/** Some nodes at a time: of ten thousand it takes seconds, and reports come meanwhile. */
async function pruneRings(worker: MetricsWorker, nowMs: number): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    after = await worker.ask({ kind: 'prune', nowMs, after })
  }
}
