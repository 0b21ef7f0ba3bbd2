// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/025-groups.ts).

type NodeGroupsTable = {
  name: string
  description: string
  /** In the notation of selector.ts. */
  selector: string
  /** The order in which groups are asked; the default group's is behind all others. */
  position: number
  config: string | null
  merge_patch: string
  /** Counts changes, of the position too: the ETag. */
  revision: number
  updated_at_ms: number
}

export type GroupTables = { node_groups: NodeGroupsTable }
