// SPDX-License-Identifier: MIT
// Which versions nodes run, by their own reports.
import type { SyncState } from '../../api-shapes/node-facts.ts'

export type SeenNode = {
  node: {
    id: string
    name: string
    running: { config: string; version: number } | null
    /** A group's or its own override puts other sites in place of the config's. */
    hasOwnSites: boolean
  }
  state: SyncState
}
export type Running = {
  /** Those that some node runs. */
  configs: () => string[]
  /** What most run first. */
  of: (config: string) => { version: number; nodes: number }[]
  /** Nodes that run the config with sites of their own in place of its. */
  withOwnSites: (config: string) => number
}

/** Of a config nobody has more in use; those that fewest run are left out. */
const MOST_VERSIONS = 50

export function runningOf(seen: readonly SeenNode[]): Running {
  const versions = new Map<string, Map<number, number>>()
  const own = new Map<string, number>()
  for (const {
    node: { running, hasOwnSites },
  } of seen) {
    if (running === null) continue
    const { config, version } = running
    if (hasOwnSites) {
      own.set(config, (own.get(config) ?? 0) + 1)
      continue
    }
    const counts = versions.get(config) ?? new Map<number, number>()
    versions.set(config, counts)
    counts.set(version, (counts.get(version) ?? 0) + 1)
  }
  return {
    configs: () => [...versions.keys()],
    of: (config) =>
      [...(versions.get(config) ?? [])]
        .map(([version, nodes]) => ({ version, nodes }))
        .toSorted((a, b) => b.nodes - a.nodes || b.version - a.version)
        .slice(0, MOST_VERSIONS),
    withOwnSites: (config) => own.get(config) ?? 0,
  }
}
