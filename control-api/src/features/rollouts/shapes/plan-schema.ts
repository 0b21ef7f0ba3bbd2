// SPDX-License-Identifier: MIT
// What an order would do: of all its nodes in numbers, and of each in pages.
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  CordonSchema,
  DigestSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  pageOf,
  RolloutIdSchema,
  someOf,
  TimeSchema,
} from '../../../api-shapes/common.ts'
import { IsFastPathSchema, KindSchema, PlanDigestSchema, PolicySchema } from './schema.ts'

/** So that what is said of the largest farm fits into an answer. */
export const FINDINGS_NAMED = 50
export const NODES_NAMED = 10
export const ERRORS_EACH = 3
/** Rows that a dry run itself has. */
export const FIRST_PAGE = 50

const NodeRefSchema = Type.Object({ nodeId: NodeIdSchema, nodeName: NameSchema })
const FindingsSchema = someOf(
  Type.Object({
    error: Type.Object(ConfigErrorSchema.properties, {
      description: 'In places of the version’s text',
    }),
    nodes: someOf(NodeRefSchema, NODES_NAMED),
  }),
  FINDINGS_NAMED,
)
export type Findings = Static<typeof FindingsSchema>

const TextErrorsSchema = Type.Object(
  {
    nodes: Type.Integer({ description: 'So many nodes' }),
    findings: FindingsSchema,
  },
  { description: 'What is wrong with it as nodes would get it: then it cannot be started' },
)
const PolicyRefusalsSchema = Type.Object(
  {
    nodes: Type.Integer({ description: 'So many nodes will refuse it' }),
    findings: FindingsSchema,
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

const PlannedNodeSchema = Type.Object({
  nodeId: NodeIdSchema,
  nodeName: NameSchema,
  connected: Type.Boolean(),
  fromVersion: Nullable(Type.Integer()),
  changes: Type.Boolean({
    description:
      'false: it runs this digest already, and that is proved; with `fromVersion` the same version, it is given again what a stopped rollout left there',
  }),
  digest: Nullable(DigestSchema),
  errors: Type.Array(ConfigErrorSchema, {
    description: `The first ${ERRORS_EACH}; \`textErrors\` has them all`,
  }),
  group: NameSchema,
  kind: KindSchema,
  wave: Type.Integer({ minimum: 0 }),
  cordon: Nullable(CordonSchema),
  willRefuse: Type.Boolean({ description: 'See `policyRefusals`' }),
  isDrifted: Type.Boolean({
    description:
      'Its config was changed on its machine, and nobody has decided about it: it takes nothing until then',
  }),
})
export type PlannedRow = Static<typeof PlannedNodeSchema>

/** GET /rollouts/plans/{planDigest}/nodes listPlanNodes: by wave and name; then those that are skipped, and those that have it. */
export const PlanNodesQuerySchema = PageQuerySchema
export const PlanNodesSchema = Type.Object({
  ...pageOf(PlannedNodeSchema).properties,
  total: Type.Integer({ description: 'So many there are in all pages' }),
})

const PlanIdSchema = Type.String({
  pattern: '^plan_[0-9a-z]{26}$',
  examples: ['plan_01jd4q6v2m8w3x5y7z9abcdefg'],
})
export const PlanUnderWayParamsSchema = Type.Object({ id: PlanIdSchema })
const PlanUnderWaySchema = Type.Object({
  id: PlanIdSchema,
  config: NameSchema,
  version: Type.Integer(),
  purpose: Type.Enum(['plan', 'order', 'preflight'], { description: 'What it is made for' }),
  texts: Nullable(
    Type.Integer({
      description:
        'Different texts that nodes would get, each of which is checked; null: they are not counted yet',
    }),
  ),
  checkedTexts: Type.Integer({ description: 'So many of them are checked' }),
  since: TimeSchema,
})
export type PlanUnderWay = Static<typeof PlanUnderWaySchema>
/** GET /rollouts/plans-under-way listPlansUnderWay: one’s own, oldest first */
export const PlansUnderWaySchema = Type.Object({ items: Type.Array(PlanUnderWaySchema) })

/** ?dryRun=1 → 200: what it would do; nothing is stored */
export const RolloutPlanSchema = Type.Object({
  config: NameSchema,
  version: Type.Integer(),
  nodes: Type.Object(PlanNodesSchema.properties, {
    description: `The first ${FIRST_PAGE} nodes: by wave and name, then those that are skipped, then those that have it already. The others: GET /rollouts/plans/{planDigest}/nodes`,
  }),
  changingNodes: Type.Integer({ description: 'It would be offered to so many' }),
  cordonedNodes: Type.Integer({ description: 'It would change them, and skips them' }),
  awayNodes: Type.Integer({
    description: 'Neither connected nor cordoned: they take it when they return',
  }),
  driftedNodes: Type.Object(someOf(NodeRefSchema, NODES_NAMED).properties, {
    description: 'Those that it would change and that were changed on their machines',
  }),
  matchesNone: Type.Boolean({
    description: 'No node of the farm is of it: the order is refused unless it says `allowEmpty`',
  }),
  waves: Type.Integer({ description: 'How many' }),
  waveNodes: Type.Array(Type.Integer(), { description: 'To how many it is offered in each' }),
  kinds: someOf(Type.Object({ kind: KindSchema, nodes: Type.Integer() })),
  fromVersions: someOf(
    Type.Object({
      version: Nullable(Type.Integer({ description: 'null: none of this config' })),
      nodes: Type.Integer(),
    }),
  ),
  textErrors: TextErrorsSchema,
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
