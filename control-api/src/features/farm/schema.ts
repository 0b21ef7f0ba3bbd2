// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  RolloutIdSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'
import { RolloutStateSchema } from '../../api-shapes/states.ts'

const CountSchema = Type.Integer({ minimum: 0 })

/** GET /farm/summary getFarmSummary: of the nodes within the caller's scope. */
export const FarmSummarySchema = Type.Object({
  asOf: TimeSchema,
  nodes: Type.Object({
    total: CountSchema,
    byState: Type.Object({
      'in-sync': CountSchema,
      applying: CountSchema,
      'out-of-sync': CountSchema,
      drift: CountSchema,
      unknown: CountSchema,
      waiting: CountSchema,
    }),
    cordoned: CountSchema,
    silent: Type.Array(
      Type.Object({ id: NodeIdSchema, name: NameSchema, lastSeenAt: Nullable(TimeSchema) }),
      { maxItems: 3, description: 'The first of those in state unknown, by name' },
    ),
  }),
  mixed: Type.Array(
    Type.Object({
      config: NameSchema,
      versions: Type.Array(Type.Integer(), { maxItems: 10, description: 'The oldest first' }),
      more: CountSchema,
    }),
    {
      maxItems: 10,
      description:
        'Configs of which nodes run several versions, without those that a rollout brings now',
    },
  ),
  running: Type.Array(
    Type.Object({
      config: NameSchema,
      version: Type.Integer({ minimum: 1 }),
      nodes: Type.Integer({ minimum: 1 }),
    }),
    { maxItems: 10, description: 'The versions that nodes run, what most run first' },
  ),
  moreRunning: Type.Integer({ minimum: 0, description: 'Versions besides these' }),
  /** null: the caller may not read rollouts. */
  rollouts: Nullable(
    Type.Object({
      underWay: CountSchema,
      waiting: Type.Integer({ minimum: 0, description: 'For approval, their time or their turn' }),
      named: Type.Array(
        Type.Object({
          id: RolloutIdSchema,
          config: NameSchema,
          version: Type.Integer({ minimum: 1 }),
          state: RolloutStateSchema,
          totalNodes: CountSchema,
          doneNodes: CountSchema,
        }),
        { maxItems: 6, description: 'The oldest of either kind, at most three' },
      ),
    }),
  ),
})
