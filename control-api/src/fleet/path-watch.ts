// SPDX-License-Identifier: MIT
// Has nodes count requests below some paths: the order rides on the answer to a node's long poll, as that of probes does.
import { performance } from 'node:perf_hooks'
import type { WatchOrder } from '../metrics-store/watched-paths.ts'

/** What a node has not asked for by then was meant for another moment. */
const GOOD_FOR_MS = 60_000

/** In memory, and only the newest of each node: who gave it gives it again. */
export class WatchOrders {
  readonly #orders = new Map<string, { order: WatchOrder; untilMs: number }>()
  readonly #wake: (nodeId: string) => void
  readonly #monotonicMs: () => number

  constructor(wake: (nodeId: string) => void, monotonicMs = () => performance.now()) {
    this.#wake = wake
    this.#monotonicMs = monotonicMs
  }

  /** To a node that can: its hello said so. */
  give(nodeId: string, order: WatchOrder): void {
    const nowMs = this.#monotonicMs()
    for (const [id, { untilMs }] of this.#orders) if (untilMs <= nowMs) this.#orders.delete(id)
    this.#orders.set(nodeId, { order, untilMs: nowMs + GOOD_FOR_MS })
    this.#wake(nodeId)
  }

  /** Each order is given once. */
  take(nodeId: string): WatchOrder | null {
    const given = this.#orders.get(nodeId)
    this.#orders.delete(nodeId)
    return given && given.untilMs > this.#monotonicMs() ? given.order : null
  }
}
