// SPDX-License-Identifier: MIT
// Has nodes count requests below the paths that a rollout's gates name: those with the version, and some without it. In
// memory; who is asked again goes on counting.
import type { WatchOrder } from '../../../metrics-store/watched-paths.ts'
import { watchFor } from '../gates/gates.ts'
import type { Sides } from '../gates/look-book.ts'
import type { Rollout, Task } from '../reducer/model.ts'

type Deps = {
  /** Which of a rollout's nodes can count. */
  ableOf: (rolloutId: string) => Promise<ReadonlySet<string>>
  isConnected: (nodeId: string) => boolean
  watch: (nodeId: string, order: WatchOrder) => void
  monotonicMs: () => number
}

/** Of those without the version: more show no more. */
const MOST_CONTROL = 200
/** With each look, which are some seconds apart. */
const NODES_AT_A_TIME = 100
/** Nodes count for ten minutes, and one that restarted has forgotten it. */
const AGAIN_AFTER_MS = 60_000

export type PathWatches = ReturnType<typeof createPathWatches>

export function createPathWatches({ ableOf, isConnected, watch, monotonicMs }: Deps) {
  /** By rollout and node: when it was asked last. */
  const asked = new Map<string, Map<string, number>>()
  return {
    async ask(id: string, { policy }: Rollout, { canary, control }: Sides): Promise<void> {
      const order = watchFor(policy.gates)
      if (order === null) return
      const lastly = asked.get(id) ?? new Map<string, number>()
      asked.set(id, lastly)
      const nowMs = monotonicMs()
      const askedMs = ({ nodeId }: Task) => lastly.get(nodeId) ?? Number.NEGATIVE_INFINITY
      const isDue = (task: Task) =>
        isConnected(task.nodeId) && nowMs - askedMs(task) >= AGAIN_AFTER_MS
      const due = [...control.slice(0, MOST_CONTROL), ...canary].filter(isDue)
      if (due.length === 0) return
      const able = await ableOf(id)
      // Whoever waits longest comes first: in a large wave those asked before are due again while others never were.
      const next = due
        .filter(({ nodeId }) => able.has(nodeId))
        .toSorted((a, b) => (askedMs(a) === askedMs(b) ? 0 : askedMs(a) - askedMs(b)))
      for (const { nodeId } of next.slice(0, NODES_AT_A_TIME)) {
        lastly.set(nodeId, nowMs)
        watch(nodeId, order)
      }
    },

    /** Of rollouts that are over nothing is kept. */
    keepOnly(isUnderWay: (id: string) => boolean): void {
      for (const id of asked.keys()) if (!isUnderWay(id)) asked.delete(id)
    },
  }
}
