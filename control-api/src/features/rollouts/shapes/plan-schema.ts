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
import { FindingsSchema, NODES_NAMED, NodeRefSchema } from '../../../api-shapes/findings.ts'
import { PlannedReleaseSchema } from './release-schema.ts'
import { IsFastPathSchema, KindSchema, PlanDigestSchema, PolicySchema } from './schema.ts'

export const ERRORS_EACH = 3
/** Rows that a dry run itself has. */
export const FIRST_PAGE = 50

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
  requestsPerSecond: Nullable(
    Type.Number({
      description:
        'In the last minute: its share of the farm by which waves are cut. null: not measured, or it is in no wave',
    }),
  ),
  failureDomain: Nullable(
    Type.String({
      description: 'Its value of the label `failureDomain` of the strategy; null: it has none',
    }),
  ),
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

/** What will come of a node in a wave. */
export const PlanStandingSchema = Type.Enum(
  ['takes', 'away', 'drifted', 'will-refuse', 'invalid'],
  {
    description:
      'takes: now, when its turn comes; away: when it returns; drifted, will-refuse: see the row; invalid: the text is wrong as it would get it',
  },
)
export type PlanStanding = Static<typeof PlanStandingSchema>
export const PLAN_NAMES_AT_ONCE = 2000
/** GET /rollouts/plans/{planDigest}/cells getPlanCells: those in waves, wave by wave, for a picture. */
export const PlanCellsQuerySchema = Type.Object({
  namesFrom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: `With the names of ${PLAN_NAMES_AT_ONCE} nodes from this cell on`,
    }),
  ),
})
export const PlanCellsSchema = Type.Object({
  standings: Type.Array(PlanStandingSchema, { description: 'What the letters mean: a, b, c …' }),
  cells: Type.String({ description: 'A letter for each node, in the order of listPlanNodes' }),
  waves: Type.Array(Type.Integer(), { description: 'Cells of each' }),
  requestsPerSecond: Type.Array(Nullable(Type.Number())),
  domains: Type.Array(Nullable(Type.String()), {
    description: 'The failure domains there are, those of most nodes first; null: nodes without',
  }),
  domainOf: Type.Array(Type.Integer(), { description: 'Of each cell: its place in `domains`' }),
  names: Nullable(Type.Array(NodeRefSchema)),
})
export type PlanCells = Static<typeof PlanCellsSchema>

const WavePlanSchema = Type.Object({
  nodes: Type.Integer({ description: 'It is offered to so many' }),
  kinds: Type.Integer({ description: 'So many kinds of nodes are among them' }),
  requestsPerSecond: Type.Number({ description: 'What those that are measured serve together' }),
  unmeasuredNodes: Type.Integer(),
  failureDomains: someOf(
    Nullable(Type.String({ description: 'null: nodes without the label' })),
    NODES_NAMED,
  ),
})

const WavesSchema = Type.Object({
  changingNodes: Type.Integer({ description: 'It would be offered to so many' }),
  waves: Type.Integer({ description: 'How many' }),
  waveNodes: Type.Array(Type.Integer(), { description: 'To how many it is offered in each' }),
  wavePlans: Type.Array(WavePlanSchema, { description: 'What is in each wave' }),
  changingKinds: Type.Integer({ description: 'So many kinds of nodes it would be offered to' }),
  mostAtOnce: Type.Object(
    {
      nodes: Type.Integer(),
      requestsPerSecond: Type.Number({ description: 'At most, if it were those that serve most' }),
    },
    {
      description:
        'What can be between two configs at the same time: the blast radius, by nodes and by what they serve',
    },
  ),
})

/** GET /rollouts/{id}/to-come getRolloutToCome */
export const ToComeSchema = Type.Object({
  ...WavesSchema.properties,
  cells: PlanCellsSchema,
})
export type ToCome = Static<typeof ToComeSchema>

/** ?dryRun=1 → 200: what it would do; nothing is stored */
export const RolloutPlanSchema = Type.Object({
  config: NameSchema,
  version: Type.Integer(),
  nodes: Type.Object(PlanNodesSchema.properties, {
    description: `The first ${FIRST_PAGE} nodes: by wave and name, then those that are skipped, then those that have it already. The others: GET /rollouts/plans/{planDigest}/nodes`,
  }),
  cordonedNodes: Type.Integer({ description: 'It would change them, and skips them' }),
  awayNodes: Type.Integer({
    description: 'Neither connected nor cordoned: they take it when they return',
  }),
  driftedNodes: Type.Object(someOf(NodeRefSchema, NODES_NAMED).properties, {
    description: 'Those that it would change and that were changed on their machines',
  }),
  releases: Type.Array(PlannedReleaseSchema, {
    description: 'The versions of releases that go with it',
  }),
  matchesNone: Type.Boolean({
    description: 'No node of the farm is of it: the order is refused unless it says `allowEmpty`',
  }),
  ...WavesSchema.properties,
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
