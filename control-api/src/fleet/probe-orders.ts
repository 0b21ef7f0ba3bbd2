// SPDX-License-Identifier: MIT
// Has nodes fetch paths from themselves: the order rides on the answer to a node's long poll. In memory, and
// only the newest of each node: who gave it looks at what was measured, and gives another.
import { performance } from 'node:perf_hooks'
import type { DesiredResponse } from '../agent-protocol/messages.gen.ts'
import { newId } from '../base/ids.ts'

type Probes = NonNullable<DesiredResponse['probes']>
export type ProbeOrder = Omit<Probes, 'id'>

/** What a node has not asked for by then was meant for another moment. */
const GOOD_FOR_MS = 30_000

export class ProbeOrders {
  readonly #orders = new Map<string, { order: ProbeOrder; untilMs: number }>()
  readonly #wake: (nodeId: string) => void
  readonly #monotonicMs: () => number

  constructor(wake: (nodeId: string) => void, monotonicMs = () => performance.now()) {
    this.#wake = wake
    this.#monotonicMs = monotonicMs
  }

  /** To a node that can: its hello said so. */
  give(nodeId: string, order: ProbeOrder): void {
    const nowMs = this.#monotonicMs()
    for (const [id, { untilMs }] of this.#orders) if (untilMs <= nowMs) this.#orders.delete(id)
    this.#orders.set(nodeId, { order, untilMs: nowMs + GOOD_FOR_MS })
    this.#wake(nodeId)
  }

  /** What the node is to fetch; each order is given once. */
  take(nodeId: string): Probes | null {
    const given = this.#orders.get(nodeId)
    this.#orders.delete(nodeId)
    if (!given || given.untilMs <= this.#monotonicMs()) return null
    return { id: newId('probe'), ...given.order }
  }
}
