// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import { NodeIdSchema, Nullable, TimeSchema } from '../../api-shapes/common.ts'
import type { StageName } from '../../metrics-store/windows.ts'

/** Those of the agent protocol: none is left out. */
const STAGES = {
  total: true,
  firstByte: true,
  write: true,
  statWait: true,
  stat: true,
  readWait: true,
  read: true,
  handshake: true,
} satisfies Record<StageName, true>
export const StageSchema = Type.Enum(Object.keys(STAGES) as StageName[])

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
