// SPDX-License-Identifier: MIT
// Has nodes count requests below the paths that a rollout's gates name: those with the version, and some without it. In
// memory; who is asked again goes on counting.
import type { Reader } from '../../../db/database.ts'
import type { WatchOrder } from '../../../metrics-store/watched-paths.ts'
import { watchFor } from '../gates/gates.ts'
import type { Rollout, Task } from '../reducer/model.ts'
import { nodesThatCan } from '../store/nodes.ts'

type Deps = {
  db: Reader
  isConnected: (nodeId: string) => boolean
  watch: (nodeId: string, order: WatchOrder) => void
  monotonicMs: () => number
}
type Sides = { canary: readonly Task[]; control: readonly Task[] }

/** Of those without the version: more show no more. */
const MOST_CONTROL = 200
/** With each look, which are some seconds apart. */
const NODES_AT_A_TIME = 100
/** Nodes count for ten minutes, and one that restarted has forgotten it. */
const AGAIN_AFTER_MS = 60_000

export type PathWatches = ReturnType<typeof createPathWatches>

export function createPathWatches({ db, isConnected, watch, monotonicMs }: Deps) {
  /** By rollout and node: when it was asked last. */
  const asked = new Map<string, Map<string, number>>()
  return {
    async ask(id: string, { policy }: Rollout, { canary, control }: Sides): Promise<void> {
      const order = watchFor(policy.gates)
      if (order === null) return
      const able = await nodesThatCan(db, id, 'pathWatch')
      const lastly = asked.get(id) ?? new Map<string, number>()
      asked.set(id, lastly)
      const nowMs = monotonicMs()
      const isDue = ({ nodeId }: Task) =>
        isConnected(nodeId) &&
        able.has(nodeId) &&
        nowMs - (lastly.get(nodeId) ?? Number.NEGATIVE_INFINITY) >= AGAIN_AFTER_MS
      const due = [...canary, ...control.slice(0, MOST_CONTROL)].filter(isDue)
      for (const { nodeId } of due.slice(0, NODES_AT_A_TIME)) {
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
