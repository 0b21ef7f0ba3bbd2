// SPDX-License-Identifier: MIT
// What people ask of rollouts: orders and actions.
import { type Static, Type } from 'typebox'
import { NameSchema, NodeIdSchema, SelectorSchema } from '../../../api-shapes/common.ts'
import { OnOverlapSchema } from '../../../api-shapes/states.ts'
import { StrategySchema } from './schema.ts'

/** POST /rollouts createRollout → 201. Without `strategy` by waves, to all nodes the config goes to, narrowed by `selector`. It may wait before it begins: its `state` and `reason` say for what. */
export const NewRolloutSchema = Type.Object(
  {
    config: NameSchema,
    version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    releases: Type.Optional(
      Type.Record(NameSchema, Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
        maxProperties: 100,
        description:
          'Versions of releases that go with it, by name. Of those it leaves out: what was proved last, or the newest where nothing was',
        examples: [{ www: 41 }],
      }),
    ),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    selector: Type.Optional(SelectorSchema),
    nodes: Type.Optional(
      Type.Array(NodeIdSchema, {
        minItems: 1,
        maxItems: 1000,
        uniqueItems: true,
        description:
          'Only to these, as to give a version back to just those that left it. What they prove is not released',
      }),
    ),
    strategy: Type.Optional(StrategySchema),
    onOverlap: Type.Optional(OnOverlapSchema),
    startAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Not before then; at most a year ahead, and not in the past',
      }),
    ),
    emergency: Type.Optional(
      Type.Object(
        { reason: Type.String({ minLength: 1, maxLength: 500 }) },
        {
          additionalProperties: false,
          description:
            'Without approvals, change windows and gates that would only pause it, and in place of what owns its nodes or waits for them: one node first. Needs rollouts:emergency; startAt and onOverlap mean nothing with it',
        },
      ),
    ),
    allowEmpty: Type.Optional(
      Type.Boolean({
        description:
          'Also when no node of the farm is of it: then it ends at once as `cancelled`, and releases nothing. Else that is 422 `no_nodes`, as after a slip in the selector',
      }),
    ),
    planDigest: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'What a dry run said: when the plan is another by now, nothing is started',
      }),
    ),
  },
  { additionalProperties: false },
)
export type NewRollout = Static<typeof NewRolloutSchema>
const StateVersionSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** POST /rollouts/{id}/actions/{freeze,resume,cancel} */
export const RolloutActionSchema = Type.Object(
  { stateVersion: StateVersionSchema },
  { additionalProperties: false },
)
/** POST /rollouts/{id}/actions/{pause,revert} */
export const ExplainedActionSchema = Type.Object(
  { stateVersion: StateVersionSchema, reason: Type.Optional(Type.String({ maxLength: 500 })) },
  { additionalProperties: false },
)
/** POST /rollouts/{id}/actions/{skip-gate,reject}: without a reason nobody goes past a gate, or says no. */
export const ReasonedActionSchema = Type.Object(
  { stateVersion: StateVersionSchema, reason: Type.String({ minLength: 1, maxLength: 500 }) },
  { additionalProperties: false },
)
/** POST /rollouts/{id}/actions/approve: of that plan and no other. */
export const ApproveSchema = Type.Object(
  { stateVersion: StateVersionSchema, planDigest: Type.String({ maxLength: 100 }) },
  { additionalProperties: false },
)
