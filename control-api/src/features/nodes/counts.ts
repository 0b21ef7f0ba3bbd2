// SPDX-License-Identifier: MIT
// How many nodes are in which state, as the console shows them.

import type { Scope } from '../../access/scope.ts'
import type { SyncState } from '../../api-shapes/node-facts.ts'
import type { FarmIndex } from './farm-index.ts'

export type NodeCounts = {
  total: number
  byState: ReadonlyMap<SyncState, number>
  cordoned: number
  /** Some of those in state unknown, by name. */
  silent: { id: string; name: string; lastSeenAtMs: number | null }[]
  /** By config: the versions that nodes run, and how many run each. */
  versions: ReadonlyMap<string, ReadonlyMap<number, number>>
}

const NAMED = 3

export const createNodeCounts =
  (index: FarmIndex) =>
  async (scope: Scope): Promise<NodeCounts> => {
    const nodes = await index.nodes(scope)
    const byState = new Map<SyncState, number>()
    const versions = new Map<string, Map<number, number>>()
    let cordoned = 0
    for (const { state, node } of nodes) {
      byState.set(state, (byState.get(state) ?? 0) + 1)
      if (node.isCordoned) cordoned += 1
      if (!node.running) continue
      const { config, version } = node.running
      const running = versions.get(config) ?? new Map<number, number>()
      versions.set(config, running.set(version, (running.get(version) ?? 0) + 1))
    }
    const silent = nodes
      .filter(({ state }) => state === 'unknown')
      .slice(0, NAMED)
      .map(({ node: { id, name }, lastSeenAtMs }) => ({ id, name, lastSeenAtMs }))
    return { total: nodes.length, byState, cordoned, silent, versions }
  }
