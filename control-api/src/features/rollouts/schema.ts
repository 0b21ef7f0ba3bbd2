// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  DigestSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  RolloutIdSchema,
  SelectorSchema,
  someOf,
  TimeSchema,
} from '../../schema/common.ts'

/** The whole set of states, so that clients need not change when gates and approvals arrive. */
export const RolloutStateSchema = Type.Enum([
  'draft',
  'validating',
  'planned',
  'awaiting_approval',
  'scheduled',
  'queued',
  'running',
  'paused',
  'aborting',
  'reverting',
  'succeeded',
  'frozen',
  'reverted',
  'revert_incomplete',
  'rejected',
  'cancelled',
  'expired',
  'superseded',
])
export type RolloutState = Static<typeof RolloutStateSchema>
export const TaskStateSchema = Type.Enum([
  'pending',
  'offered',
  'acked',
  'nacked',
  'applying',
  'applied',
  'confirmed',
  'healthy',
  'done',
  'unhealthy',
  'unreachable',
  'skipped',
  'apply_reverted',
  'apply_stuck',
  'reverting',
  'reverted',
  'revert_failed',
])
export type TaskState = Static<typeof TaskStateSchema>

export const NodeTaskSchema = Type.Object({
  nodeId: NodeIdSchema,
  nodeName: NameSchema,
  wave: Type.Integer({ minimum: 0 }),
  state: TaskStateSchema,
  generation: Nullable(Type.Integer()),
  digest: DigestSchema,
  code: Nullable(Type.String()),
  message: Type.String(),
  errors: Type.Array(ConfigErrorSchema),
  updatedAt: TimeSchema,
})
export const RolloutSchema = Type.Object({
  id: RolloutIdSchema,
  config: NameSchema,
  version: Type.Integer(),
  previousVersion: Nullable(Type.Integer()),
  selector: Type.String({
    description: 'It is only for these nodes; empty: all the config goes to',
  }),
  state: RolloutStateSchema,
  stateVersion: Type.Integer({ description: 'Send it back with an action; 409 when it moved on' }),
  reason: Type.String({ description: 'Why it is in this state and what would move it on' }),
  waves: Type.Array(
    Type.Object({ index: Type.Integer(), nodes: Type.Integer(), done: Type.Integer() }),
  ),
  tasks: Type.Array(NodeTaskSchema),
  pendingNodes: Type.Integer({
    description: 'Unreachable nodes that will take the release when they return',
  }),
  author: Type.String(),
  message: Type.String(),
  createdAt: TimeSchema,
  endedAt: Nullable(TimeSchema),
})
export type Rollout = Static<typeof RolloutSchema>

/** GET /rollouts listRollouts */
export const RolloutsQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  state: Type.Optional(RolloutStateSchema),
  config: Type.Optional(NameSchema),
  author: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})

/** POST /rollouts createRollout → 201. Now: one wave of all nodes the config goes to, narrowed by `selector`; no gates. 409 `rollout_active` names the one under way. */
export const NewRolloutSchema = Type.Object(
  {
    config: NameSchema,
    version: Type.Integer({ minimum: 1 }),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    selector: Type.Optional(SelectorSchema),
  },
  { additionalProperties: false },
)
/** ?dry_run=1 → 200: what it would do, per node; nothing is stored */
export const RolloutPlanSchema = Type.Object({
  config: NameSchema,
  version: Type.Integer(),
  nodes: Type.Array(
    Type.Object({
      nodeId: NodeIdSchema,
      nodeName: NameSchema,
      connected: Type.Boolean(),
      fromVersion: Nullable(Type.Integer()),
      changes: Type.Boolean({ description: 'false: it runs this digest already' }),
      digest: Nullable(DigestSchema),
      errors: Type.Array(ConfigErrorSchema),
      group: NameSchema,
    }),
  ),
  excluded: someOf(
    Type.Object({
      nodeId: NodeIdSchema,
      nodeName: NameSchema,
      group: NameSchema,
      reason: Type.String({ description: 'Why this rollout does not go to it' }),
    }),
  ),
})
/** POST /rollouts/{id}/actions/freeze freezeRollout */
export const RolloutActionSchema = Type.Object(
  { stateVersion: Type.Integer() },
  { additionalProperties: false },
)
