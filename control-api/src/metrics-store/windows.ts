// SPDX-License-Identifier: MIT
// Puts a node's windows on our clock. A node's wall clock is never asked: a window ended as long before
// we received the report as the node's monotonic clock says. A window belongs whole to the step in
// which it ended, so that its requests are counted once and its percentiles stay exact.
import type {
  RequestSample,
  SiteCounts,
  Stages as ToldStages,
  Watched,
} from '../agent-protocol/messages.gen.ts'
import { type Histogram, histogramFault } from '../histogram/histogram.ts'

export type StageName = keyof ToldStages
export type Stages = Partial<Record<StageName, Histogram>>
export type Counters = Record<string, number>

/** As the protocol has it (report.request.schema.json); more may be in it. */
export type Report = {
  bootId: string
  uptimeMs: number
  /** Since its boot, as the node counts them. */
  lostWindows?: number
  windows: Window[]
  gauges?: Readonly<Record<string, number>>
  host?: HostFacts
}
/** Of the machine; null: its kernel does not say. */
export type HostFacts = {
  loadAverage1m: number | null
  memoryTotalBytes: number | null
  memoryAvailableBytes: number | null
  residentBytes: number | null
  openDescriptors: number | null
  roots: readonly { totalBytes: number | null; freeBytes: number | null }[]
}
export type Window = {
  seq: number
  startedMs: number
  durationMs: number
  series: Series[]
  slow?: RequestSample[]
}
/** What the requests of one config generation did in the window. */
export type Series = {
  generation: number
  counters: Counters
  stages: Stages
  /** As the node says them: of the sites of the config with that digest. */
  sites?: SiteCounts
  /** Of the paths that gates name: for who judges now, and not kept. */
  watched?: Watched
}

/** Of the sites of one version: `[place, …counts]`, in the protocol's order. */
export type SiteRows = readonly (readonly number[])[]

export type PlacedWindow = {
  seq: number
  endedAtMs: number
  durationMs: number
  series: Series[]
  slowRequests?: PlacedRequest[]
  /** Of which version each is, is known. */
  sites?: { sum: string; rows: SiteRows }[]
}
/** A single request on our clock. */
export type PlacedRequest = Omit<RequestSample, 'startedUs'> & { startedAtUs: number }

/** How long a node keeps what it could not deliver, with room for a slow delivery. */
export const OLDEST_WINDOW_MS = 20 * 60_000

/** In the order of their sequence numbers. Ends are held within what the protocol allows a node to say. */
export function placeWindows(report: Report, receivedAtMs: number): PlacedWindow[] {
  return report.windows
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ seq, startedMs, durationMs, series, slow }) => {
      const ageMs = report.uptimeMs - (startedMs + durationMs)
      const heldMs = Math.min(Math.max(ageMs, 0), OLDEST_WINDOW_MS)
      const placed = { seq, endedAtMs: receivedAtMs - heldMs, durationMs, series }
      if (!slow) return placed
      const uptimeUs = report.uptimeMs * 1000
      return {
        ...placed,
        slowRequests: slow.map((one) => placeRequest(one, uptimeUs, receivedAtMs)),
      }
    })
}

/** In it windows that never came are counted, like requests: so every sum over time or nodes has them, too. */
export const LOST = 'lostWindows'

/**
 * Of windows in the order of their numbers, the first of which is news: how many before and between them never came. They are
 * numbered without a gap. When nothing was taken of this boot the node's own word counts: windows before may have been taken into
 * a file that is gone.
 */
export function lostAmong(
  fresh: readonly Pick<PlacedWindow, 'seq'>[],
  { previousSeq, told = 0 }: { previousSeq: number; told: number | undefined },
): number {
  const [first, last] = [fresh[0], fresh.at(-1)]
  if (!first || !last) return 0
  const between = last.seq - first.seq + 1 - fresh.length
  const before = first.seq - previousSeq - 1
  // A node that numbers two alike has lost none.
  return Math.max(0, between) + (previousSeq > 0 ? before : Math.min(before, told))
}

/** The first of them came after those that did not. */
export function withLost(fresh: readonly PlacedWindow[], lost: number): readonly PlacedWindow[] {
  const [first, ...others] = fresh
  if (!first || lost === 0) return fresh
  const counted = { generation: NO_GENERATION, counters: { [LOST]: lost }, stages: {} }
  return [{ ...first, series: [...first.series, counted] }, ...others]
}
/** Nobody knows which config made what was lost. */
const NO_GENERATION = 0

/** A request may have begun long before the window in which it ended. */
const LONGEST_REQUEST_MS = 24 * 3600_000

export function placeRequest<Sample extends RequestSample = RequestSample>(
  { startedUs, ...request }: Sample,
  uptimeUs: number,
  receivedAtMs: number,
): Omit<Sample, 'startedUs'> & { startedAtUs: number } {
  const ageUs = Math.min(Math.max(uptimeUs - startedUs, 0), LONGEST_REQUEST_MS * 1000)
  return { ...request, startedAtUs: Math.round(receivedAtMs * 1000) - ageUs }
}

/** What the node and its machine had at that moment, by name: the protocol's gauges, and of the host what is a value by itself. */
export function gaugesOf({ gauges = {}, host }: Report): Record<string, number> {
  if (!host) return gauges
  const { loadAverage1m, memoryTotalBytes, memoryAvailableBytes, residentBytes, openDescriptors } =
    host
  const facts = {
    loadAverage1m,
    memoryTotalBytes,
    memoryAvailableBytes,
    residentBytes,
    openDescriptors,
  }
  const known = Object.entries({ ...facts, diskUsedRatio: fullest(host.roots) }).filter(
    (fact): fact is [string, number] => fact[1] !== null,
  )
  return { ...gauges, ...Object.fromEntries(known) }
}

/** Of the file systems that files are served from, how much of the fullest is used. */
function fullest(roots: HostFacts['roots']): number | null {
  const used = roots.flatMap(({ totalBytes, freeBytes }) =>
    totalBytes === null || freeBytes === null || totalBytes <= 0
      ? []
      : [1 - freeBytes / totalBytes],
  )
  return used.length === 0 ? null : Math.max(...used)
}

/** Why a report that fits its schema is still impossible: where, and what; null when it is not. */
export function reportFault(report: Report): { pointer: string; message: string } | null {
  for (const [w, window] of report.windows.entries()) {
    for (const [s, series] of window.series.entries()) {
      for (const [stage, histogram] of Object.entries(series.stages)) {
        const message = histogramFault(histogram)
        if (message) return { pointer: `/windows/${w}/series/${s}/stages/${stage}`, message }
      }
    }
  }
  return null
}
