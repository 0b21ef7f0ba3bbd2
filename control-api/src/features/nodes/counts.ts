// SPDX-License-Identifier: MIT
// How many nodes are in which state, as the console shows them.
import type { Scope } from '../../access/scope.ts'
import type { FarmIndex } from './farm-index.ts'
import type { SyncState } from './schema.ts'

export type NodeCounts = {
  total: number
  byState: ReadonlyMap<SyncState, number>
  cordoned: number
  /** Some of those in state unknown, by name. */
  silent: { id: string; name: string; lastSeenAtMs: number | null }[]
  /** By config: the versions that nodes run. */
  versions: ReadonlyMap<string, ReadonlySet<number>>
}

const NAMED = 3

export const createNodeCounts =
  (index: FarmIndex) =>
  async (scope: Scope): Promise<NodeCounts> => {
    const nodes = await index.nodes(scope)
    const byState = new Map<SyncState, number>()
    const versions = new Map<string, Set<number>>()
    let cordoned = 0
    for (const { state, node } of nodes) {
      byState.set(state, (byState.get(state) ?? 0) + 1)
      if (node.isCordoned) cordoned += 1
      if (!node.running) continue
      const { config, version } = node.running
      const numbers = versions.get(config) ?? new Set()
      versions.set(config, numbers.add(version))
    }
    const silent = nodes
      .filter(({ state }) => state === 'unknown')
      .slice(0, NAMED)
      .map(({ node: { id, name }, lastSeenAtMs }) => ({ id, name, lastSeenAtMs }))
    return { total: nodes.length, byState, cordoned, silent, versions }
  }
