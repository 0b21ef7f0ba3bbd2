// SPDX-License-Identifier: MIT
// What reports say of sites, as it is kept: under the version whose sites they are. A node says a generation and a digest.
import { Kept } from '../base/kept.ts'
import type { PlacedWindow, SiteRows } from './windows.ts'

type Asked = { nodeId: string; generation: number; digest: string }
/** The sum of the version (versionSum); null: they are no version's. */
export type SitesOf = (asked: Asked) => Promise<string | null>

/** Of a node's newest window. */
export type NodeSites = {
  endedAtMs: number
  durationMs: number
  sites: readonly { sum: string; rows: SiteRows }[]
}

/** With the sites under their versions, and nothing of them left where they came. */
export const withSites = (
  nodeId: string,
  windows: readonly PlacedWindow[],
  sitesOf: SitesOf,
): Promise<PlacedWindow[]> =>
  Promise.all(
    windows.map(async ({ series, ...window }) => {
      const sites: { sum: string; rows: SiteRows }[] = []
      for (const { generation, sites: told } of series) {
        const sum = told && (await sitesOf({ nodeId, generation, digest: told.digest }))
        if (sum) sites.push({ sum, rows: told.counts })
      }
      const counted = series.map(({ generation, counters, stages, watched }) => ({
        ...{ generation, counters, stages, ...(watched && { watched }) },
      }))
      return { ...window, series: counted, ...(sites.length > 0 && { sites }) }
    }),
  )

const MOST_BYTES = 64 * 1024 * 1024
const BYTES_EACH = 200
const BYTES_A_ROW = 120

/** The newest window of each node, in memory: for who looks at one site now. */
export function createNodesSites() {
  const kept = new Kept<NodeSites>({ mostBytes: MOST_BYTES })
  return {
    /** A node that never said anything of sites is too old to count them, or idle: nobody knows. */
    add(nodeId: string, { endedAtMs, durationMs, sites = [] }: PlacedWindow): void {
      if (sites.length === 0 && !kept.get(nodeId)) return
      const rows = sites.reduce((sum, { rows }) => sum + rows.length, 0)
      kept.set(nodeId, { endedAtMs, durationMs, sites }, BYTES_EACH + rows * BYTES_A_ROW)
    },
    of: (nodeId: string): NodeSites | undefined => kept.get(nodeId),
  }
}
