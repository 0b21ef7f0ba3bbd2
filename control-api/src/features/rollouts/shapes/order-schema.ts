// SPDX-License-Identifier: MIT
// What people ask of rollouts: orders and actions.
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  CordonSchema,
  DigestSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  RolloutIdSchema,
  SelectorSchema,
  someOf,
} from '../../../api-shapes/common.ts'
import { OnOverlapSchema } from '../../../api-shapes/states.ts'
import {
  IsFastPathSchema,
  KindSchema,
  PlanDigestSchema,
  PolicySchema,
  StrategySchema,
} from './schema.ts'

/** POST /rollouts createRollout → 201. Without `strategy` by waves, to all nodes the config goes to, narrowed by `selector`. It may wait before it begins: its `state` and `reason` say for what. */
export const NewRolloutSchema = Type.Object(
  {
    config: NameSchema,
    version: Type.Integer({ minimum: 1 }),
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
const PolicyRefusalsSchema = Type.Object(
  {
    nodes: Type.Integer({ description: 'So many nodes will refuse it' }),
    findings: someOf(
      Type.Object({
        error: Type.Object(ConfigErrorSchema.properties, {
          description: 'What is not allowed, in places of the version’s text',
        }),
        nodes: someOf(Type.Object({ nodeId: NodeIdSchema, nodeName: NameSchema })),
      }),
    ),
    unchecked: Type.Integer({
      description:
        'Nodes of which it is not known: there were too many different texts and policies to ask about in one go, or farmstead-node could not be asked',
    }),
    unavailable: Nullable(Type.String({ description: 'Why it could not be asked' })),
  },
  {
    description:
      'What the policies that owners of machines laid there do not allow. Nodes that tell none are not counted; what links on a machine lead to only the machine knows. The order stays possible: the rollout pauses when the first of them refuses',
  },
)
/** ?dryRun=1 → 200: what it would do, per node; nothing is stored */
export const RolloutPlanSchema = Type.Object({
  config: NameSchema,
  version: Type.Integer(),
  nodes: Type.Array(
    Type.Object({
      nodeId: NodeIdSchema,
      nodeName: NameSchema,
      connected: Type.Boolean(),
      fromVersion: Nullable(Type.Integer()),
      changes: Type.Boolean({
        description:
          'false: it runs this digest already, and that is proved; with `fromVersion` the same version, it is given again what a stopped rollout left there',
      }),
      digest: Nullable(DigestSchema),
      errors: Type.Array(ConfigErrorSchema),
      group: NameSchema,
      kind: KindSchema,
      wave: Type.Integer({ minimum: 0 }),
      cordon: Nullable(CordonSchema),
      willRefuse: Type.Boolean({ description: 'See `policyRefusals`' }),
      isDrifted: Type.Boolean({
        description:
          'Its config was changed on its machine, and nobody has decided about it: it takes nothing until then',
      }),
    }),
  ),
  matchesNone: Type.Boolean({
    description: 'No node of the farm is of it: the order is refused unless it says `allowEmpty`',
  }),
  waves: Type.Integer({ description: 'How many' }),
  cordonedNodes: Type.Integer({ description: 'It would change them, and skips them' }),
  policyRefusals: PolicyRefusalsSchema,
  policy: PolicySchema,
  isFastPath: IsFastPathSchema,
  planDigest: PlanDigestSchema,
  approvalsNeeded: Type.Integer({ description: 'So many others must agree before it begins' }),
  blockedBy: Type.Array(RolloutIdSchema, {
    description: 'The rollouts it would wait for, or be refused for with onOverlap refuse',
  }),
  closedWindow: Nullable(
    Type.String({
      description: 'No change window is open when it would begin: which one is the next',
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
export type RolloutPlan = Static<typeof RolloutPlanSchema>
/** POST /rollouts/{id}/actions/{freeze,resume,cancel} */
export const RolloutActionSchema = Type.Object(
  { stateVersion: Type.Integer() },
  { additionalProperties: false },
)
/** POST /rollouts/{id}/actions/{pause,revert} */
export const ExplainedActionSchema = Type.Object(
  { stateVersion: Type.Integer(), reason: Type.Optional(Type.String({ maxLength: 500 })) },
  { additionalProperties: false },
)
/** POST /rollouts/{id}/actions/{skip-gate,reject}: without a reason nobody goes past a gate, or says no. */
export const ReasonedActionSchema = Type.Object(
  { stateVersion: Type.Integer(), reason: Type.String({ minLength: 1, maxLength: 500 }) },
  { additionalProperties: false },
)
/** POST /rollouts/{id}/actions/approve: of that plan and no other. */
export const ApproveSchema = Type.Object(
  { stateVersion: Type.Integer(), planDigest: Type.String({ maxLength: 100 }) },
  { additionalProperties: false },
)
