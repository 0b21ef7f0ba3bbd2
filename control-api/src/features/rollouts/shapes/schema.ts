// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  RolloutIdSchema,
  RolloutIdsSchema,
  TimeSchema,
} from '../../../api-shapes/common.ts'
import {
  RolloutStateSchema,
  STANDING,
  type TaskStanding,
  TaskStandingSchema,
} from '../../../api-shapes/states.ts'
import { REASON_CODES } from './reason.ts'
import { PlannedReleaseSchema } from './release-schema.ts'
import { RolloutTimerSchema } from './timer-schema.ts'

export const OnFailureSchema = Type.Enum(['revert', 'freeze', 'pause'])
export type OnFailure = Static<typeof OnFailureSchema>
/** Worst first: of several gates the worst counts. */
export const VerdictSchema = Type.Enum(['fail', 'no_data', 'inconclusive', 'pass'])
export type Verdict = Static<typeof VerdictSchema>

export const GateMetricSchema = Type.Enum([
  'errors5xx',
  'errors4xx',
  'errors404',
  'bytesPerRequest',
  'bytesPerPage',
  'releaseFiles',
  'mediaTypes',
  'cacheHits',
  'firstByteP50',
  'firstByteP99',
  'totalP50',
  'totalP99',
  'readWaitP99',
  'handshakeFailures',
  'handshakeP99',
])
export type GateMetric = Static<typeof GateMetricSchema>
const GateHostSchema = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9.-]{1,253}$',
    examples: ['www.example.org'],
    description: 'With `path`: only requests for this host. Left out: for any',
  }),
)
const GatePathSchema = Type.Optional(
  Type.String({
    pattern: '^/[!-"$->@-~]*$',
    maxLength: 255,
    examples: ['/docs/'],
    description:
      'Of errors404 and bytesPerPage: only requests whose path begins like this, which nodes count while the rollout asks. At most eight of them, hosts and paths together. bytesPerPage without it: of all pages',
  }),
)
const OddSchema = Type.Object({
  node: Type.String({ description: 'Its name' }),
  url: Type.String({ examples: ['www.example.org/css/site.css'] }),
  message: Type.String({ examples: ['404, and is in www@41'] }),
})
export type Odd = Static<typeof OddSchema>
/**
 * Of quantiles: so many times the others'. Of shares (5xx, 4xx, 404, cache hits, handshakes that failed): so much worse than the others'. Of
 * bytes per request: the others' may be so many times as many. Of bytes per page: so many times as many, or as few. Of what nodes were
 * asked for: a share of the answers that are wrong.
 */
export const GateSchema = Type.Object(
  {
    metric: GateMetricSchema,
    host: GateHostSchema,
    path: GatePathSchema,
    max: Type.Number({
      minimum: 0,
      maximum: 1000,
      description:
        'A quantile may be so many times that of the nodes without the version; a share so much worse than theirs (0.01: one of a hundred answers); theirs of bytesPerRequest may be so many times as many; bytesPerPage so many times as many or as few; of releaseFiles and mediaTypes such a share may be wrong',
    }),
    onFail: OnFailureSchema,
  },
  { additionalProperties: false },
)
export type Gate = Static<typeof GateSchema>
const SideSchema = Type.Object({
  nodes: Type.Integer(),
  samples: Type.Integer({ description: 'Requests' }),
  probed: Type.Integer({ description: 'So many requests, of all in that time, were probes' }),
  value: Nullable(Type.Number()),
})
const GateEvidenceSchema = Type.Object({
  metric: GateMetricSchema,
  host: GateHostSchema,
  path: GatePathSchema,
  max: Type.Number(),
  verdict: VerdictSchema,
  canary: SideSchema,
  control: SideSchema,
  value: Nullable(
    Type.Number({
      description:
        'The ratio of quantiles, or the difference of shares; of releaseFiles and mediaTypes the share that is wrong',
    }),
  ),
  low: Nullable(Type.Number({ description: 'With 95 % it is at least this' })),
  high: Nullable(Type.Number()),
  message: Type.String(),
  odd: Type.Optional(
    Type.Array(OddSchema, {
      description: 'Of releaseFiles and mediaTypes: what is wrong, and where; the first ten',
    }),
  ),
})
export type GateEvidence = Static<typeof GateEvidenceSchema>
/** Those that a gate reads a percentile of. */
export const DISTRIBUTION_STAGES = ['firstByte', 'total', 'readWait', 'handshake'] as const
const CountsSchema = Type.Array(Type.Integer({ minimum: 0 }))
export const DistributionSchema = Type.Object({
  stage: Type.Enum([...DISTRIBUTION_STAGES]),
  firstColumn: Type.Integer({
    description:
      'Of the counts that follow. Column i counts times above 2^(i/2) seconds, up to and with 2^((i+1)/2); the lowest, -43, all that are shorter',
  }),
  canary: CountsSchema,
  control: CountsSchema,
  quantiles: Type.Array(
    Type.Object({
      q: Type.Number({ description: '0.5: half of the requests took this long or less' }),
      canary: Nullable(Type.Number({ description: 'In seconds' })),
      control: Nullable(Type.Number({ description: 'In seconds' })),
    }),
    {
      description:
        'Finer than the columns: as a gate of the same percentile reads them. Empty: noted before they were kept',
    },
  ),
})
export type Distribution = Static<typeof DistributionSchema>
export const EvidenceSchema = Type.Object({
  verdict: VerdictSchema,
  message: Type.String(),
  gates: Type.Array(GateEvidenceSchema),
})
export type Evidence = Static<typeof EvidenceSchema>

/** What nodes fetch from themselves. */
export const ProbeSchema = Type.Object(
  {
    host: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9.-]{1,253}$',
        examples: ['www.example.org'],
        description: 'Of the site. Left out: the address of the node itself',
      }),
    ),
    path: Type.String({
      pattern: '^/[!-"$-~]*$',
      maxLength: 2048,
      examples: ['/'],
      description: 'With its query, as in a request: percent-encoded',
    }),
  },
  { additionalProperties: false },
)
export type Probe = Static<typeof ProbeSchema>

const Percent = Type.Number({ minimum: 0, maximum: 100 })
const Seconds = (maximum: number) => Type.Integer({ minimum: 0, maximum })
/** The node keeps to it too: too short, and none can ever answer in time. */
const StepSeconds = Type.Integer({ minimum: 5, maximum: 3600 })
const Nodes = Type.Integer({ minimum: 1, maximum: 100_000 })
/** Counted from the first wave on: 5 %, 25 %, 100 %. */
export const WaveSizeSchema = Type.Union([
  Type.Object({ nodes: Nodes }, { additionalProperties: false }),
  Type.Object({ percent: Percent }, { additionalProperties: false }),
  Type.Object({ throughputPercent: Percent }, { additionalProperties: false }),
  Type.Object({ eachKind: Nodes }, { additionalProperties: false }),
])
export type WaveSize = Static<typeof WaveSizeSchema>

/** Left out with its order, or {}: by waves, each value as its description says. */
export const StrategySchema = Type.Object(
  {
    atOnce: Type.Optional(
      Type.Boolean({
        description:
          'All nodes at once, and nothing asked but that they confirm: the first that refuses it or goes back pauses the rollout, when the others have it already. Beside it only excludeKinds may be said',
      }),
    ),
    waves: Type.Optional(
      Type.Array(WaveSizeSchema, {
        minItems: 1,
        maxItems: 20,
        description:
          'Sizes from the first wave on: nodes, percent, throughputPercent, or eachKind (so many of each system, version and capabilities); what is left goes with the last. Left out: one of each kind, then 5, 25 and 100 % of throughput',
      }),
    ),
    failureDomain: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'A label: below 25 % of the farm no wave goes to two of its values',
      }),
    ),
    excludeKinds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
        maxItems: 20,
        description:
          'Leaves out the nodes of these kinds (`kind` of the plan’s nodes), for they refuse the version',
      }),
    ),
    maxParallel: Type.Optional(Nodes),
    blastBudget: Type.Optional(Nodes),
    ackSeconds: Type.Optional(StepSeconds),
    applySeconds: Type.Optional(StepSeconds),
    confirmSeconds: Type.Optional(StepSeconds),
    minHealthySeconds: Type.Optional(Seconds(3600)),
    soakSeconds: Type.Optional(Seconds(86_400)),
    maxSoakSeconds: Type.Optional(Seconds(86_400)),
    progressDeadlineSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 604_800 })),
    maxFailedPercent: Type.Optional(Percent),
    maxUnreachablePercent: Type.Optional(Percent),
    maxFlaps: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
    onFailure: Type.Optional(OnFailureSchema),
    gates: Type.Optional(
      Type.Array(GateSchema, {
        maxItems: 8,
        description:
          'What the nodes of a wave must show, beside the nodes without the version. Left out: at most 1 % more 5xx, 2 % more 4xx, 2 % more 404, a quarter of the bytes per request (else revert), first byte p99 at most 1.5 times (else pause); to a single node, which has nobody to compare with, the shares of 5xx and 4xx are held against what it did before, where that is known; bytes and times are not judged, and time lets it through. []: time alone',
      }),
    ),
    onNoData: Type.Optional(
      Type.Enum(['pause', 'continue'], {
        description:
          'When the gates of a wave had too few requests after maxSoakSeconds: pause, until somebody resumes, or continue, as for a certificate that must be renewed on nodes few visit. What fails or is unclear is held either way, and so is a node that measures nothing',
      }),
    ),
    minSamples: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests on each side' }),
    ),
    filesFirst: Type.Optional(
      Type.Boolean({
        description:
          'Whether the files of a release that is new go to all nodes before the first wave, so that a page of one node finds its assets at every other. Left out: yes; in an emergency, and to a single node: no',
      }),
    ),
    filesFirstSeconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 86_400,
        description:
          'When no node came further with these files for so long, the first wave begins without them',
      }),
    ),
    probes: Type.Optional(
      Type.Array(ProbeSchema, {
        maxItems: 20,
        description:
          'Where visitors make too few requests, nodes fetch these from themselves, at most 50 a second each. Left out: none are made',
      }),
    ),
  },
  { additionalProperties: false },
)
export type Strategy = Static<typeof StrategySchema>
/** The strategy with every value said: what the plan's digest is of, beside nodes and waves. */
export const PolicySchema = Type.Object({
  maxParallel: Nullable(Type.Integer()),
  blastBudget: Nullable(Type.Integer()),
  ackSeconds: Type.Number({ description: 'From the offer until the node has checked it' }),
  applySeconds: Type.Number({ description: 'From then on until it runs' }),
  confirmSeconds: Type.Number({
    description: 'From then on until it is confirmed; unconfirmed the node goes back by itself',
  }),
  minHealthySeconds: Type.Number(),
  soakSeconds: Type.Number(),
  maxSoakSeconds: Type.Number(),
  progressDeadlineSeconds: Nullable(Type.Number()),
  maxFailedPercent: Type.Number(),
  maxUnreachablePercent: Type.Number(),
  maxFlaps: Type.Integer(),
  onFailure: OnFailureSchema,
  gates: Type.Array(GateSchema),
  isAlone: Type.Boolean({
    description:
      'A single node, which has nobody to compare with: unless the order names gates, time lets it through; what its answers say against what it did before counts',
  }),
  onNoData: Type.Enum(['pause', 'continue']),
  minSamples: Type.Integer(),
  probes: Type.Array(ProbeSchema),
  filesFirstSeconds: Nullable(
    Type.Number({
      description:
        'Files go to all nodes before the first wave, which begins when they have them, or when none came further for so long; null: there is no such step',
    }),
  ),
})
export const KindSchema = Type.String({
  description: 'Its system, version and capabilities: nodes of a kind refuse the same things',
})
export const IsFastPathSchema = Type.Boolean({
  description:
    'The version is one of the last three released: gates that do not take it back are left out, and four times as many nodes go at once',
})
export const PlanDigestSchema = Type.String({
  maxLength: 128,
  description: 'Of the version, the nodes, their waves, the policy',
})

const FilesFirstSchema = Type.Object(
  {
    isOver: Type.Boolean({ description: 'The first wave has begun; the numbers are of then' }),
    heldNodes: Type.Integer({ description: 'They have all files' }),
    waitingNodes: Type.Integer({ description: 'They can hold them, and have not all of them' }),
    refusedNodes: Type.Integer(),
    otherNodes: Type.Integer({
      description: 'They are away, or cannot hold files of a release that they do not run yet',
    }),
    refusals: Type.Array(
      Type.Object({
        nodeId: NodeIdSchema,
        nodeName: NameSchema,
        code: Type.String(),
        message: Type.String(),
      }),
      { description: 'The first ten' },
    ),
  },
  {
    description:
      'Files of releases that are new go to all nodes before the first wave: how far these are. null: none do, nobody has looked yet, or you see a part of its nodes only',
  },
)

const NotedEvidenceSchema = Type.Object({
  wave: Type.Integer(),
  at: TimeSchema,
  ...EvidenceSchema.properties,
})

/** GET /rollouts listRollouts */
export const RolloutSummarySchema = Type.Object({
  id: RolloutIdSchema,
  config: NameSchema,
  version: Type.Integer(),
  previousVersion: Nullable(Type.Integer()),
  selector: Type.String({
    description: 'It is only for these nodes; empty: all the config goes to',
  }),
  namesNodes: Type.Boolean({
    description: 'The order named its nodes: what they prove is not released',
  }),
  strategy: Nullable(
    Type.Object(StrategySchema.properties, {
      description: 'As it was ordered, to order the same again; null: ordered before it was kept',
    }),
  ),
  state: RolloutStateSchema,
  stateVersion: Type.Integer({ description: 'Send it back with an action; 409 when it moved on' }),
  reason: Type.String({
    description:
      'Why it is in this state and what would move it on, as you may know it: nodes outside your scope have no names and no numbers in it',
  }),
  reasonCode: Type.Enum([...REASON_CODES], {
    description:
      'The same for scripts, whoever asks; text: of before reasons had codes. See the guide to rollouts',
  }),
  wave: Type.Integer({
    description: 'The one under way; as many as were planned: those that were out of reach',
  }),
  phase: Type.Enum(['dispatching', 'soaking', 'waiting', 'files'], {
    description:
      'waiting: for the change window in which the wave may begin; files: they go to all nodes before the first wave',
  }),
  filesFirst: Nullable(FilesFirstSchema),
  soakedSeconds: Type.Number(),
  policy: PolicySchema,
  isFastPath: IsFastPathSchema,
  planDigest: PlanDigestSchema,
  releases: Type.Array(PlannedReleaseSchema),
  evidence: Nullable(NotedEvidenceSchema),
  totalNodes: Type.Integer({ minimum: 0 }),
  doneNodes: Type.Integer({ minimum: 0, description: 'Well with the version' }),
  pendingNodes: Type.Integer({
    description: 'Unreachable nodes that will take the release when they return',
  }),
  cordonedNodes: Type.Integer({
    description: 'Nodes that were skipped, for they were cordoned when their turn came',
  }),
  author: Type.String(),
  message: Type.String(),
  emergency: Nullable(Type.String({ description: 'Why it goes before everything else' })),
  approvals: Type.Array(Type.Object({ by: Type.String(), at: TimeSchema })),
  approvalsNeeded: Type.Integer(),
  startAt: Nullable(TimeSchema),
  blockedBy: Type.Array(RolloutIdSchema, {
    description: 'While it is queued: the rollouts it waits for',
  }),
  createdAt: TimeSchema,
  startedAt: Nullable(TimeSchema),
  endedAt: Nullable(TimeSchema),
})
export type RolloutSummary = Static<typeof RolloutSummarySchema>
const Count = Type.Optional(Type.Integer({ minimum: 1 }))
const standings = Object.fromEntries(TaskStandingSchema.enum.map((standing) => [standing, Count]))
const StandingsSchema = Type.Object(standings as Record<TaskStanding, typeof Count>, {
  description: `How many nodes are in which state; of which there are none is left out. ${STANDING}`,
})
/** GET /rollouts/{id} getRollout: as large whatever the number of its nodes. */
export const RolloutSchema = Type.Object({
  ...RolloutSummarySchema.properties,
  waves: Type.Array(
    Type.Object({
      index: Type.Integer(),
      nodes: Type.Integer(),
      done: Type.Integer(),
      states: StandingsSchema,
    }),
  ),
  states: StandingsSchema,
  headline: Type.String({
    description: 'Of `reason` one sentence: why it waits, and what moves it on',
  }),
  timers: Type.Array(RolloutTimerSchema),
  distributions: Type.Array(DistributionSchema, {
    description:
      'Of the stages whose percentiles the gates read, as the evidence was drawn: how many requests took how long with the version and without it. Empty: there is none, or you see a part of its nodes only',
  }),
})
export type Rollout = Static<typeof RolloutSchema>

export const RolloutsQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  state: Type.Optional(RolloutStateSchema),
  config: Type.Optional(NameSchema),
  author: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  ids: Type.Optional(RolloutIdsSchema),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description:
        'Words, each a part of the config, of the author or of the message, or the version: 17 or v17',
    }),
  ),
})
