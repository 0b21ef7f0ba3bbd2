// SPDX-License-Identifier: MIT
// Somebody looks at the single requests of a node. The node is told so with the answer to its long poll and sends
// some each second, for as long as somebody asks again and again; a moment after the last question it ends by itself.
// In memory: nothing of it is kept.
import { performance } from 'node:perf_hooks'
import type {
  DesiredResponse,
  RequestSample,
  SamplesRequest,
} from '../agent-protocol/messages.gen.ts'
import { type PlacedRequest, placeRequest } from '../metrics-store/windows.ts'

/** Nodes that are looked at. */
export const MOST_WATCHED = 20
/** After the last question. */
const WATCH_MS = 10_000
/** Of each node; whoever looks asks each second. */
const KEPT_BATCHES = 15
/** A node that was told and sends nothing for so long is told again. */
const TELL_AGAIN_MS = 3_000

export type Batch = {
  number: number
  receivedAtMs: number
  /** How many requests there were. */
  seen: number
  samples: PlacedRequest[]
}
type Watch = {
  untilMs: number
  end: NodeJS.Timeout
  isOwed: boolean
  toldMs: number
  heardMs: number
  batches: Batch[]
}

export class SampleWatches {
  readonly #watches = new Map<string, Watch>()
  readonly #wake: (nodeId: string) => void
  readonly #monotonicMs: () => number
  #lastNumber = 0

  constructor(wake: (nodeId: string) => void, monotonicMs = () => performance.now()) {
    this.#wake = wake
    this.#monotonicMs = monotonicMs
  }

  /**
   * Somebody looks at the node now. What it sent after that number, as far as it is kept; a number that was never
   * given is of an earlier start of this service. 'full': as many nodes are looked at as may be.
   */
  look(nodeId: string, after = 0): { batches: Batch[]; isLive: boolean } | 'full' {
    const nowMs = this.#monotonicMs()
    const watch = this.#watches.get(nodeId) ?? this.#begin(nodeId)
    if (!watch) return 'full'
    watch.untilMs = nowMs + WATCH_MS
    watch.end.refresh()
    const isLive = nowMs - watch.heardMs < TELL_AGAIN_MS
    if (!isLive && nowMs - watch.toldMs >= TELL_AGAIN_MS) {
      watch.isOwed = true
      this.#wake(nodeId)
    }
    const seen = after > this.#lastNumber ? 0 : after
    return { batches: watch.batches.filter(({ number }) => number > seen), isLive }
  }

  #begin(nodeId: string): Watch | null {
    if (this.#watches.size >= MOST_WATCHED) return null
    const end = setTimeout(() => this.#watches.delete(nodeId), WATCH_MS)
    end.unref()
    const never = Number.NEGATIVE_INFINITY
    const watch = { untilMs: 0, end, isOwed: false, toldMs: never, heardMs: never, batches: [] }
    this.#watches.set(nodeId, watch)
    return watch
  }

  /** Whether the node is to be told. Asked at every poll of every node. */
  take(nodeId: string): NonNullable<DesiredResponse['samples']> | null {
    const watch = this.#watches.get(nodeId)
    if (!watch?.isOwed) return null
    watch.isOwed = false
    watch.toldMs = this.#monotonicMs()
    return { forMs: this.#leftOf(watch) }
  }

  /** For how long the node is to go on; 0: nobody looks any more. */
  heard(nodeId: string, { seen, samples, uptimeUs }: SamplesRequest, receivedAtMs: number): number {
    const watch = this.#watches.get(nodeId)
    if (!watch) return 0
    watch.heardMs = this.#monotonicMs()
    watch.batches.push({
      number: ++this.#lastNumber,
      receivedAtMs,
      seen,
      samples: samples.map((sample: RequestSample) => placeRequest(sample, uptimeUs, receivedAtMs)),
    })
    if (watch.batches.length > KEPT_BATCHES) watch.batches.shift()
    return this.#leftOf(watch)
  }

  /** 0: nobody looks. */
  leftOf(nodeId: string): number {
    const watch = this.#watches.get(nodeId)
    return watch ? this.#leftOf(watch) : 0
  }

  #leftOf({ untilMs }: Watch): number {
    return Math.max(0, Math.round(untilMs - this.#monotonicMs()))
  }
}
