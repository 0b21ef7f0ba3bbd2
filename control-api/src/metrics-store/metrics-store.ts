// SPDX-License-Identifier: MIT
// What the service sees of measurements: record a node's report once, ask for a chart, look at the
// last minute.
import { join } from 'node:path'
import { defineError } from '../api-shapes/errors.ts'
import { inSlices, nextTurn } from '../base/slices.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { HistogramSum } from '../histogram/sum.ts'
import type { CompareQuery, Comparison } from './compare.ts'
import { createLatencyBoard } from './latency-board.ts'
import type { LatencySummary, Metrics } from './metrics.ts'
import { asSeries, asSets, type NodeSeries, type SeriesQuery } from './node-series.ts'
import { createPace } from './pace.ts'
import type { WritersPlace } from './postgres/copy.ts'
import type { Membership } from './roll-up.ts'
import type { Heatmap, HeatmapQuery, SetColumns, SetsQuery } from './sets.ts'
import type { CountedQuery, SiteQuery, SiteSteps } from './site-query.ts'
import { createNodesSites, type NodeSites, type SitesOf, withSites } from './site-reports.ts'
import type { SlowQuery } from './slow-requests.ts'
import type { Top, TopQuery } from './top.ts'
import type { Total } from './totals.ts'
import type { Unit, UnitsQuery } from './units.ts'
import type { MovingQuery, MovingValues, Valued, ValuesQuery } from './values.ts'
import {
  gaugesOf,
  lostAmong,
  type PlacedRequest,
  type PlacedWindow,
  placeWindows,
  type Report,
  reportFault,
} from './windows.ts'
import {
  type BeginThread,
  MetricsNotRead,
  MetricsUnavailable,
  type MetricsWorker,
  startMetricsWorker,
} from './worker-client.ts'

export type MetricsStore = Omit<Metrics, 'record'> & {
  record(nodeId: string, report: Report): Promise<number>
  query(query: SeriesQuery): Promise<NodeSeries[]>
  /** Columns of each set, in their order. */
  sets(query: SetsQuery): Promise<SetColumns[]>
  heatmap(query: HeatmapQuery): Promise<Heatmap>
  compare(query: CompareQuery): Promise<Comparison>
  units(query: UnitsQuery): Promise<Unit[]>
  top(query: TopQuery): Promise<Top>
  slowRequests(query: SlowQuery): Promise<PlacedRequest[]>
  /** Of each set, in their order. */
  sites(query: SiteQuery): Promise<SiteSteps[]>
  /** Those of the sums of whose sites anything was counted. */
  countedIn(query: CountedQuery): Promise<string[]>
  /** Of its newest window; undefined: it never said anything of sites. */
  sitesOfNode(nodeId: string): NodeSites | undefined
  /** What the farm and each group did since the worker began. */
  totals(): Promise<Total[]>
  /** Until when sums over time are made; null: none is. */
  summedUntilSeconds(): Promise<number | null>
  ingest(): Ingest
  values(query: ValuesQuery): Promise<(Valued | null)[]>
  movingValues(query: MovingQuery): Promise<MovingValues>
  /** The disk is full: the oldest are deleted until so much is free. Resolves to how much it was. */
  giveWay(wantedBytes: number): Promise<number>
  /** Of these nodes, of which sums they are a part. Sums are made from the first time on. */
  setMemberships(of: [nodeId: string, membership: Membership | null][]): Promise<void>
  /** Called at most once a second with the nodes that new windows arrived for. Returns how to stop. */
  onNewWindows(listener: (nodeIds: string[]) => void): () => void
}

/** How taking reports goes, since the start. */
export type Ingest = {
  reports: { kept: number; refused: number }
  /** lost: they never came, and what was measured in them is nowhere. */
  windows: { kept: number; repeated: number; lost: number }
  /** How long a report waited to be kept; of those that were not, until that was known. */
  waited: Histogram
  waiting: { reports: number; questions: number }
  /** How many times longer than usual nodes are told to make their windows. */
  slowdown: number
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
const NotLoaded = defineError(
  503,
  'metrics_not_loaded',
  'These measurements are not loaded yet',
  (reason: string) =>
    `Something of what was asked for is missing: ${reason}. Nothing of it is lost: ask again in a minute, or for a later time.`,
)

type Options = {
  dataDir: string
  now: () => number
  isDiskFull?: () => boolean
  connectedNodes?: () => number
  beginThread?: BeginThread | undefined
  /** Where PostgreSQL keeps what is measured; metrics.db is a copy of that then. */
  record?: WritersPlace | null
  /** Why nothing can be measured; null: it can again. */
  onTrouble?: (trouble: string | null) => void
  /** Of which version's sites a node counted; without it none are. */
  sitesOf?: SitesOf
}

export const metricsPath = (dataDir: string): string => join(dataDir, 'metrics.db')

const DISK_IS_FULL =
  'the disk is full: nothing is measured, rollouts are paused and changes are refused'
const PRUNE_EVERY_MS = 10 * 60_000
/** Nodes between two turns of the loop: of each the histograms of some windows are added up, or only two numbers of each window. */
const SUMMED_AT_A_TIME = 100
const ADDED_AT_A_TIME = 1_000
const TELL_EVERY_MS = 1_000
const ROLL_UP_EVERY_MS = 2_000

export async function openMetricsStore({
  dataDir,
  now,
  isDiskFull = () => false,
  connectedNodes = () => 0,
  beginThread,
  record = null,
  onTrouble = () => {},
  sitesOf = async () => null,
}: Options): Promise<MetricsStore> {
  const memberships = new Map<string, Membership>()
  let areMembershipsKnown = false
  const tellAgain = () => {
    worker.ask({ kind: 'memberships', of: [...memberships] }).catch(noteFailure)
  }
  let trouble: string | null = null
  const worker = await startMetricsWorker(
    { path: metricsPath(dataDir), record },
    {
      onRestart: tellAgain,
      onTrouble(now) {
        trouble = now
        onTrouble(now)
      },
    },
    beginThread,
  )
  const board = createLatencyBoard()
  const nodesSites = createNodesSites()
  const pace = createPace(connectedNodes)
  const reports = { kept: 0, refused: 0 }
  const told = { kept: 0, repeated: 0, lost: 0 }
  const waited = new HistogramSum()
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
  const rollUp = setInterval(() => rollUpAll(), ROLL_UP_EVERY_MS)
  for (const timer of [tell, prune, rollUp]) timer.unref()

  let isRollingUp = false

  /** A part after the other: reports and charts come between. What fails is tried again with the next. */
  async function rollUpAll(): Promise<void> {
    if (isRollingUp || !areMembershipsKnown) return
    isRollingUp = true
    try {
      while (await worker.ask({ kind: 'roll-up', nowMs: now() }));
    } catch (error) {
      noteFailure(error)
    } finally {
      isRollingUp = false
    }
  }

  function noteFailure(error: unknown): void {
    lastFailure = error instanceof Error ? error.message : String(error)
  }

  async function answered<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer
      lastFailure = null
      return value
    } catch (error) {
      if (error instanceof MetricsNotRead) throw new NotLoaded(error.message)
      noteFailure(error)
      if (error instanceof MetricsUnavailable) throw new MetricsDown(error.message)
      throw error
    }
  }

  /** What was not kept at all came too fast, too. */
  async function inPace<T>(keep: () => Promise<T>): Promise<T> {
    const begunMs = performance.now()
    let waitedMs = Number.POSITIVE_INFINITY
    try {
      const kept = await keep()
      waitedMs = performance.now() - begunMs
      return kept
    } finally {
      const nowMs = performance.now()
      reports[waitedMs === Number.POSITIVE_INFINITY ? 'refused' : 'kept'] += 1
      waited.count((nowMs - begunMs) / 1000)
      pace.kept(waitedMs, nowMs)
    }
  }

  return {
    async record(nodeId, report) {
      const fault = reportFault(report)
      if (fault) throw new ImpossibleReport(fault.pointer, fault.message)
      // The room that is left is for decisions.
      if (isDiskFull()) throw new MetricsDown('the disk is full')
      const nowMs = now()
      const windows = await withSites(nodeId, placeWindows(report, nowMs), sitesOf)
      const { bootId, lostWindows } = report
      const gauges = gaugesOf(report)
      const taken = await inPace(() =>
        answered(worker.take({ nodeId, bootId, windows, nowMs, gauges, lostWindows })),
      )
      const { previousSeq } = taken
      const fresh = windows.filter(({ seq }) => seq > previousSeq)
      told.kept += fresh.length
      told.repeated += windows.length - fresh.length
      told.lost += lostAmong(fresh, { previousSeq, told: lostWindows })
      if (fresh.length > 0) {
        board.add(nodeId, fresh, nowMs)
        nodesSites.add(nodeId, fresh.at(-1) as PlacedWindow)
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

    slowdown: pace.factor,

    heardOf: (nodeIds, windowSeconds) =>
      nodeIds.filter((nodeId) => board.isHeard(nodeId, windowSeconds, now())),

    samples: (nodeIds, sinceMs) =>
      nodeIds.flatMap((nodeId) => board.samples(nodeId, sinceMs, now())),

    giveWay: (wantedBytes) => worker.ask({ kind: 'give-way', wantedBytes, nowMs: now() }),

    async query(query) {
      return asSeries(query, await answered(worker.ask({ kind: 'sets', ...asSets(query) })))
    },
    sets: (query) => answered(worker.ask({ kind: 'sets', ...query })),
    top: (query) => answered(worker.ask({ kind: 'top', ...query })),
    units: (query) => answered(worker.ask({ kind: 'units', ...query })),
    slowRequests: (query) => answered(worker.ask({ kind: 'slow-requests', ...query })),
    values: (query) => answered(worker.ask({ kind: 'values', ...query })),
    movingValues: (query) => answered(worker.ask({ kind: 'moving-values', ...query })),
    compare: (query) => answered(worker.ask({ kind: 'compare', ...query })),
    sites: (query) => answered(worker.ask({ kind: 'sites', ...query })),
    countedIn: (query) => answered(worker.ask({ kind: 'counted-in', ...query })),
    sitesOfNode: (nodeId) => nodesSites.of(nodeId),
    totals: () => answered(worker.ask({ kind: 'totals' })),
    summedUntilSeconds: () => answered(worker.ask({ kind: 'summed-until' })),
    ingest: () => ({
      ...{ reports: { ...reports }, windows: { ...told }, waited: waited.toHistogram() },
      ...{ waiting: worker.waiting(), slowdown: pace.factor() },
    }),
    heatmap: (query) => answered(worker.ask({ kind: 'heatmap', ...query })),

    async setMemberships(of) {
      for (const [nodeId, membership] of of) {
        if (membership) memberships.set(nodeId, membership)
        else memberships.delete(nodeId)
      }
      await answered(worker.ask({ kind: 'memberships', of }))
      areMembershipsKnown = true
    },

    onNewWindows(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async check() {
      if (isDiskFull()) return { ok: false, message: DISK_IS_FULL }
      const failure = trouble ?? lastFailure
      return failure === null
        ? { ok: true, message: 'answers' }
        : { ok: false, message: `${failure}; nodes keep their measurements for 15 minutes` }
    },

    async close() {
      clearInterval(tell)
      clearInterval(prune)
      clearInterval(rollUp)
      listeners.clear()
      await worker.close()
    },
  }
}

/** Some nodes at a time: of ten thousand it takes seconds, and reports come meanwhile. */
async function pruneRings(worker: MetricsWorker, nowMs: number): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    after = await worker.ask({ kind: 'prune', nowMs, after })
  }
}
