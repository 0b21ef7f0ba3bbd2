// SPDX-License-Identifier: MIT
// What others need of measurements. app.ts wires it, so that who decides by them knows no store.
import type { ReportRequest } from '../agent-protocol/messages.gen.ts'
import type { Histogram } from '../histogram/histogram.ts'

export type LatencySummary = {
  windowSeconds: number
  requests: number
  p50Seconds: number | null
  p99Seconds: number | null
  readWaitP99Seconds: number | null
  errorRatio: number | null
  clientErrorRatio: number | null
  notFoundRatio: number | null
  requestsPerSecond: number | null
}

/** What requests of one config generation did in one window of a node. */
export type Sample = {
  nodeId: string
  generation: number
  endedAtMs: number
  counters: Readonly<Record<string, number>>
  stages: {
    readonly [stage in 'firstByte' | 'total' | 'readWait' | 'handshake']?: Histogram | undefined
  }
}

/** The metrics store. */
export type Metrics = {
  /** Keeps the windows it has not seen; resolves with the highest sequence number of the boot it holds. */
  record(nodeId: string, report: ReportRequest): Promise<number>
  /** How many times longer than usual nodes' windows should be: what comes is not kept as fast. 1: as usual. */
  slowdown(): number
  /** Of the last `windowSeconds`; a node without data is absent. */
  latencySummaries(
    nodeIds: readonly string[],
    windowSeconds: number,
  ): Promise<Map<string, LatencySummary>>
  /** The requests a second alone, of many nodes. */
  requestRates(
    nodeIds: readonly string[],
    windowSeconds: number,
  ): Promise<ReadonlyMap<string, number>>
  /** Which of them were measured in the last `windowSeconds`. */
  heardOf(nodeIds: readonly string[], windowSeconds: number): string[]
  /** Of windows that ended since then, as far back as two minutes. */
  samples(nodeIds: readonly string[], sinceMs: number): Sample[]
  check(): Promise<{ ok: boolean; message: string }>
  close(): Promise<void>
}
