// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import { NodeIdSchema, Nullable, TimeSchema } from '../../api-shapes/common.ts'
import type { StageName } from '../../metrics-store/windows.ts'

/** Those of the agent protocol: none is left out. */
const STAGES = {
  total: true,
  firstByte: true,
  write: true,
  writeClient: true,
  writeBuffer: true,
  writeNetwork: true,
  roundTrip: true,
  statWait: true,
  stat: true,
  readWait: true,
  read: true,
  handshake: true,
} satisfies Record<StageName, true>
export const STAGE_NAMES = Object.keys(STAGES) as readonly StageName[]
export const StageSchema = Type.Enum([...STAGE_NAMES])

/** GET /metrics/query queryMetrics */
export const MetricsQuerySchema = Type.Object({
  node: Type.Optional(
    Type.String({ description: 'Node id; repeat with commas; all nodes when left out' }),
  ),
  stage: Type.Optional(StageSchema),
  from: Type.Optional(TimeSchema),
  to: Type.Optional(TimeSchema),
  stepSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 86_400 })),
})
/** Columns, ready for a chart. null is a gap: no data is never zero. `times` are Unix seconds, the start of each step. */
export const MetricsSchema = Type.Object({
  stage: StageSchema,
  stepSeconds: Type.Integer(),
  times: Type.Array(Type.Integer()),
  series: Type.Array(
    Type.Object({
      nodeId: NodeIdSchema,
      nodeName: Type.String(),
      p50Seconds: Type.Array(Nullable(Type.Number())),
      p90Seconds: Type.Array(Nullable(Type.Number())),
      p99Seconds: Type.Array(Nullable(Type.Number())),
      maxSeconds: Type.Array(Nullable(Type.Number())),
      /** Requests that had this stage in the step: the quantiles' sample size. */
      count: Type.Array(Nullable(Type.Integer())),
      requestsPerSecond: Type.Array(Nullable(Type.Number())),
      errorRatio: Type.Array(Nullable(Type.Number())),
      clientErrorRatio: Type.Array(Nullable(Type.Number())),
      notFoundRatio: Type.Array(Nullable(Type.Number())),
      bytesPerSecond: Type.Array(Nullable(Type.Number())),
      /** 0…1: how much of the step the node's windows cover. */
      coverage: Type.Array(Type.Number()),
      lostWindows: Type.Array(Type.Integer(), {
        description:
          'Windows that the node measured and never delivered, counted where the next one is',
      }),
    }),
  ),
  /** Rollouts that touched these nodes in the range, to draw on the chart. */
  annotations: Type.Array(
    Type.Object({
      at: TimeSchema,
      kind: Type.Enum(['rollout-started', 'rollout-ended']),
      text: Type.String(),
      rolloutId: Type.String(),
    }),
  ),
})

const NAMES = '^[a-z][A-Za-z0-9]{0,63}(,[a-z][A-Za-z0-9]{0,63})*$'
const OF = {
  minLength: 1,
  /** Two of them, percent-encoded, are still a head that is read. */
  maxLength: 512,
  description:
    'Whose: farm, group:NAME, version:CONFIG/NUMBER, nodes:SELECTOR, node:ID or node:ID@GENERATION. ' +
    'Of a group and a version what their nodes did while they were in it; nodes:SELECTOR is those that match now',
}
const OneSetSchema = Type.String({ ...OF, examples: ['farm', 'group:default'] })
const SetsOfSchema = Type.String({
  ...OF,
  maxLength: 1024,
  description: `${OF.description}. Several with ";" between them`,
  examples: ['farm;group:default'],
})
const RangeSchema = {
  from: Type.Optional(TimeSchema),
  to: Type.Optional(TimeSchema),
}
const StepSchema = Type.Optional(Type.Integer({ minimum: 5, maximum: 86_400 }))
const StagesSchema = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'Names of stages with commas between; all when left out',
    examples: ['total,readWait,read'],
  }),
)
const QuantilesSchema = Type.Optional(
  Type.String({
    maxLength: 100,
    pattern: '^(0?[.][0-9]{1,6}|0|1)(,(0?[.][0-9]{1,6}|0|1))*$',
    description: 'From 0 to 1, with commas between; 0.5,0.9,0.99 when left out',
    examples: ['0.5,0.99'],
  }),
)
const namesOf = (what: string, example: string) =>
  Type.Optional(
    Type.String({
      maxLength: 1024,
      pattern: NAMES,
      description: `Names of ${what} with commas between (the agent protocol has them); none when left out`,
      examples: [example],
    }),
  )

/** GET /metrics/sets querySets */
export const SetsQuerySchema = Type.Object({
  of: SetsOfSchema,
  ...RangeSchema,
  stepSeconds: StepSchema,
  stages: StagesSchema,
  quantiles: QuantilesSchema,
  counters: namesOf('counters', 'requests,responses5xx'),
  gauges: namesOf('gauges', 'readQueue,openConnections'),
})
const Column = Type.Array(Nullable(Type.Number()))
const SetSchema = {
  of: Type.String({ description: 'As it was asked for' }),
  title: Type.String(),
  nodes: Type.Integer({ description: 'Of how many nodes it is made now' }),
}
const PlanSchema = {
  stepSeconds: Type.Integer(),
  /** Unix seconds, the start of each step. */
  times: Type.Array(Type.Integer()),
}
/** Columns, one value for each of `times`. null is a gap: no data is never zero. */
export const SetsSchema = Type.Object({
  ...PlanSchema,
  quantiles: Type.Array(Type.Number()),
  sets: Type.Array(
    Type.Object({
      ...SetSchema,
      measuredNodes: Type.Array(Type.Number(), {
        description: 'Of how many nodes there are measurements in the step, on average',
      }),
      stages: Type.Record(
        Type.String(),
        Type.Object({
          count: Column,
          sumSeconds: Type.Array(Nullable(Type.Number()), {
            description: 'All together: beside the total’s, where time goes',
          }),
          maxSeconds: Column,
          quantiles: Type.Array(Column, { description: 'In the order of the answer’s quantiles' }),
        }),
      ),
      counters: Type.Record(Type.String(), Column),
      gauges: Type.Record(Type.String(), Type.Object({ mean: Column, max: Column })),
    }),
  ),
})

/** GET /metrics/heatmap queryHeatmap */
export const HeatmapQuerySchema = Type.Object({
  of: OneSetSchema,
  ...RangeSchema,
  stepSeconds: StepSchema,
  stage: Type.Optional(StageSchema),
})
/** Of each step how many requests took how long. null is a gap. */
export const HeatmapSchema = Type.Object({
  ...PlanSchema,
  ...SetSchema,
  stage: StageSchema,
  bucketsPerOctave: Type.Integer({
    description:
      'Bucket i counts what took longer than 2^(i/bucketsPerOctave) seconds, and not longer than bucket i + 1 begins with',
  }),
  steps: Type.Array(
    Nullable(
      Type.Object({
        zeroCount: Type.Integer({ description: 'At most 2^-21 seconds' }),
        firstBucket: Type.Integer(),
        counts: Type.Array(Type.Integer()),
      }),
    ),
  ),
})

/** GET /metrics/compare compareMetrics */
export const CompareQuerySchema = Type.Object({
  a: OneSetSchema,
  b: OneSetSchema,
  ...RangeSchema,
  bFrom: Type.Optional({ ...TimeSchema, description: 'Of b; as of a when left out' }),
  bTo: Type.Optional({ ...TimeSchema, description: 'Of b; as of a when left out' }),
  stages: StagesSchema,
  quantiles: QuantilesSchema,
})
const IntervalSchema = Nullable(
  Type.Object({
    value: Type.Number(),
    low: Type.Number({ description: 'Of 95 %, by drawing whole steps again and again' }),
    high: Type.Number(),
  }),
)
const StageOfSideSchema = Type.Object({
  count: Type.Integer(),
  meanSeconds: Nullable(Type.Number()),
  quantiles: Column,
})
const ErrorsSchema = Type.Object({ requests: Type.Integer(), errors: Type.Integer() })
const SideSchema = Type.Object({ ...SetSchema, from: TimeSchema, to: TimeSchema })
export const ComparisonSchema = Type.Object({
  a: SideSchema,
  b: SideSchema,
  quantiles: Type.Array(Type.Number()),
  stages: Type.Array(
    Type.Object({
      stage: StageSchema,
      a: StageOfSideSchema,
      b: StageOfSideSchema,
      ratios: Type.Array(IntervalSchema, {
        description:
          'For each quantile, how many times b’s a’s is; null: too little of either to say',
      }),
    }),
  ),
  errors: Type.Object({
    a: ErrorsSchema,
    b: ErrorsSchema,
    difference: IntervalSchema,
  }),
})

/** GET /metrics/top listTopNodes */
export const TopQuerySchema = Type.Object({
  of: Type.Optional(OneSetSchema),
  ...RangeSchema,
  by: Type.String({
    maxLength: 128,
    pattern:
      '^(quantile:[a-zA-Z]+:(0?[.][0-9]{1,6}|0|1)|(rate|share|gauge):[a-z][A-Za-z0-9]{0,63})$',
    description:
      'quantile:STAGE:Q in seconds, rate:COUNTER a second, share:COUNTER of all requests, gauge:NAME on average',
    examples: ['quantile:total:0.99', 'share:responses5xx'],
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
})
/** The greatest first. Nodes that have nothing of it are not among them. */
export const TopSchema = Type.Object({
  from: TimeSchema,
  to: TimeSchema,
  title: Type.String(),
  nodes: Type.Array(
    Type.Object({
      nodeId: NodeIdSchema,
      nodeName: Type.String(),
      value: Type.Number(),
      requests: Type.Integer(),
      coverage: Type.Number({ description: '0…1: how much of the time was measured' }),
    }),
  ),
})
