// SPDX-License-Identifier: MIT
// Puts a node's windows on our clock. A node's wall clock is never asked: a window ended as long before
// we received the report as the node's monotonic clock says. A window belongs whole to the step in
// which it ended, so that its requests are counted once and its percentiles stay exact.
import type { Stages as ToldStages } from '../agent-protocol/messages.gen.ts'
import { type Histogram, histogramFault } from '../histogram/histogram.ts'

export type StageName = keyof ToldStages
export type Stages = Partial<Record<StageName, Histogram>>
export type Counters = Record<string, number>

/** As the protocol has it (report.request.schema.json); more may be in it. */
export type Report = {
  bootId: string
  uptimeMs: number
  windows: Window[]
}
export type Window = {
  seq: number
  startedMs: number
  durationMs: number
  series: Series[]
}
/** What the requests of one config generation did in the window. */
export type Series = { generation: number; counters: Counters; stages: Stages }

export type PlacedWindow = { seq: number; endedAtMs: number; durationMs: number; series: Series[] }

/** How long a node keeps what it could not deliver, with room for a slow delivery. */
export const OLDEST_WINDOW_MS = 20 * 60_000

/** In the order of their sequence numbers. Ends are held within what the protocol allows a node to say. */
export function placeWindows(report: Report, receivedAtMs: number): PlacedWindow[] {
  return report.windows
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ seq, startedMs, durationMs, series }) => {
      const ageMs = report.uptimeMs - (startedMs + durationMs)
      const heldMs = Math.min(Math.max(ageMs, 0), OLDEST_WINDOW_MS)
      return { seq, endedAtMs: receivedAtMs - heldMs, durationMs, series }
    })
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
