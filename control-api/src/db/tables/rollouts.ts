// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/011-rollouts.ts, 025-groups.ts, 029-rollout-waves.ts,
// 030-rollout-queue.ts, 032-rollout-probes.ts, 037-node-policies.ts, 040-rollout-named-nodes.ts,
// 059-rollout-reasons.ts, 063-rollout-counts.ts).
import type { Generated, Selectable } from 'kysely'
import type { OnOverlap, RolloutState, TaskState } from '../../api-shapes/states.ts'

type RolloutsTable = {
  id: string
  config: string
  version: number
  previous_version: number | null
  state: RolloutState
  /** Counts changes of state: what an action must name. */
  state_version: number
  /** JSON: Reason in features/rollouts/shapes/reason.ts. */
  reason: string
  /** What the order narrowed it to, in the notation of labels/selector.ts; '': all nodes the config goes to. */
  selector: Generated<string>
  /** 1: the order named its nodes, who are not all of the config's. */
  names_nodes: Generated<number>
  /** JSON, as it was ordered; null: from before it was kept. */
  strategy: Generated<string | null>
  author: string
  message: string
  created_at_ms: number
  ended_at_ms: number | null
  /** JSON: Policy in features/rollouts/reducer/model.ts. Frozen. */
  policy: Generated<string>
  plan_digest: Generated<string>
  /** JSON: PlannedRelease in features/rollouts/shapes/release-schema.ts. Frozen. */
  releases: Generated<string>
  /** JSON: Progress in features/rollouts/reducer/model.ts. */
  progress: Generated<string>
  /** JSON: the newest, with its wave and time; all that decided something are in the events. */
  evidence: Generated<string | null>
  /** null: from before users were noted. */
  author_id: Generated<string | null>
  /** For which nodes the author's roles counted, in the notation of labels/selector.ts; null: all. */
  scope: Generated<string | null>
  on_overlap: Generated<OnOverlap>
  start_at_ms: Generated<number | null>
  approvals_needed: Generated<number>
  /** Until when they may be given; null: none is asked for. */
  approve_by_ms: Generated<number | null>
  /** Why it goes before everything else; null: it does not. */
  emergency: Generated<string | null>
  /** In the line of those that wait for their nodes: kept once it has one. */
  place: Generated<number | null>
  /** JSON: ids of the rollouts it waits for. */
  blocked_by: Generated<string>
  /** When its nodes became its own; null: not yet. */
  started_at_ms: Generated<number | null>
  /** JSON: TaskCounts in features/rollouts/store/task-counts.ts. Written with the tasks. */
  counts: Generated<string>
  /** How often its tasks were written: what was read of them is as it was while this is. */
  tasks_version: Generated<number>
}

type RolloutApprovalsTable = {
  rollout_id: string
  user_id: string
  username: string
  at_ms: number
}

/** One row: what holds for every rollout of the farm. */
export type RolloutRulesTable = {
  id: number
  revision: number
  approvals: number
  approval_hours: number
  /** JSON: ChangeWindow[] */
  windows: string
  time_zone: string
  blast_budget: number | null
}

/** The plan, frozen at the start, and what became of it node by node. */
type NodeTasksTable = {
  rollout_id: string
  node_id: string
  wave: number
  state: TaskState
  generation: number | null
  digest: string
  /** Of the config by itself; null: it is `digest`. */
  config_digest: Generated<string | null>
  /** What the node will read, rendered when the plan was made. */
  text_id: string
  /** The node's group when the text was made. */
  group_name: Generated<string>
  code: string | null
  message: string
  /** JSON: LeftOutFor in features/rollouts/shapes/reason.ts; null: it was not left out for another, or before that was kept. */
  left_out_for: Generated<string | null>
  /** JSON: ConfigError[] */
  errors: string
  /** What is left of the time the node has for its next step; null: nothing is awaited. */
  deadline_remaining_ms: number | null
  updated_at_ms: number
  /** What the node goes back to: the assignment it was confirmed with last before this rollout. */
  previous_generation: Generated<number | null>
  previous_digest: Generated<string | null>
  /** How often it was offered the version. */
  offers: Generated<number>
  flaps: Generated<number>
  /** How often it refused for a reason that may pass. */
  refusals: Generated<number>
  /** The node's system, version and capabilities when the plan was made. */
  kind: Generated<string>
  /** The rules of its machine's owner when the plan was made: policy_rules.id. null: not known. */
  policy_rules: Generated<string | null>
  excused: Generated<number>
}

/** One active rollout owns a node: the primary key says so. */
type NodeLeasesTable = { node_id: string; rollout_id: string }

export type RolloutTables = {
  rollouts: RolloutsTable
  node_tasks: NodeTasksTable
  node_leases: NodeLeasesTable
  rollout_approvals: RolloutApprovalsTable
  rollout_rules: RolloutRulesTable
}

export type RolloutRow = Selectable<RolloutTables['rollouts']>
export type RolloutApprovalRow = RolloutApprovalsTable
