// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/025-groups.ts).
import type { Generated } from 'kysely'

type NodeGroupsTable = {
  name: string
  description: string
  /** In the notation of labels/selector.ts. */
  selector: string
  /** The order in which groups are asked; the default group's is behind all others. */
  position: number
  config: string | null
  merge_patch: string
  /** Away for so long, its nodes are decommissioned by themselves; null: not because of the group. */
  forget_after_hours: Generated<number | null>
  /** Counts changes, of the position too: the ETag. */
  revision: number
  updated_at_ms: number
}

export type GroupTables = { node_groups: NodeGroupsTable }
