// SPDX-License-Identifier: MIT
// Has nodes fetch paths from themselves: the order rides on the answer to a node's long poll. In memory, and
// only the newest of each node: who gave it looks at what was measured, and gives another.
import { performance } from 'node:perf_hooks'
import type { DesiredResponse, Probed } from '../agent-protocol/messages.gen.ts'
import { newId } from '../base/ids.ts'

type Probes = NonNullable<DesiredResponse['probes']>
export type ProbeOrder = Omit<Probes, 'id' | 'answers'>
export type ProbeAnswer = Probed['answers'][number]
/** In the order of the paths. */
export type OnProbed = (answers: readonly ProbeAnswer[]) => void
type Given = { order: ProbeOrder; onProbed: OnProbed | undefined; untilMs: number }

/** What a node has not asked for by then was meant for another moment. */
const GOOD_FOR_MS = 30_000
/** An order takes a node a minute at most, and what came of it goes with its next report. */
const ANSWERED_MS = 180_000

export class ProbeOrders {
  readonly #orders = new Map<string, Given>()
  /** By node: which order it is to say the answers of. */
  readonly #awaited = new Map<string, { id: string; onProbed: OnProbed; untilMs: number }>()
  readonly #wake: (nodeId: string) => void
  readonly #monotonicMs: () => number

  constructor(wake: (nodeId: string) => void, monotonicMs = () => performance.now()) {
    this.#wake = wake
    this.#monotonicMs = monotonicMs
  }

  /** To a node that can, and can say what came when it is asked to: its hello said so. It may never answer. */
  give(nodeId: string, order: ProbeOrder, onProbed?: OnProbed): void {
    const nowMs = this.#monotonicMs()
    for (const kept of [this.#orders, this.#awaited])
      for (const [id, { untilMs }] of kept) if (untilMs <= nowMs) kept.delete(id)
    this.#orders.set(nodeId, { order, onProbed, untilMs: nowMs + GOOD_FOR_MS })
    this.#wake(nodeId)
  }

  /** What the node is to fetch; each order is given once. */
  take(nodeId: string): Probes | null {
    const given = this.#orders.get(nodeId)
    this.#orders.delete(nodeId)
    if (!given || given.untilMs <= this.#monotonicMs()) return null
    const id = newId('probe')
    const { onProbed } = given
    if (!onProbed) return { id, ...given.order }
    this.#awaited.set(nodeId, { id, onProbed, untilMs: this.#monotonicMs() + ANSWERED_MS })
    return { id, ...given.order, answers: true }
  }

  /** What is of another order than the last one that was to be answered nobody waits for. */
  heard(nodeId: string, { id, answers }: Probed): void {
    const awaited = this.#awaited.get(nodeId)
    if (awaited?.id !== id) return
    this.#awaited.delete(nodeId)
    awaited.onProbed(answers)
  }
}
