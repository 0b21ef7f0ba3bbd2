// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  DigestSchema,
  LabelsSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  RolloutIdSchema,
  TimeSchema,
} from '../../schema/common.ts'

/**
 * in-sync: effective digest, read back from the running server in this boot, equals desired.
 * applying: an offer is under way. out-of-sync: the node refused or went back. drift: it runs something nobody assigned.
 * unknown: not heard from for longer than `staleAfterSeconds`. waiting: enrolled, nothing assigned yet.
 */
export const SyncStateSchema = Type.Enum([
  'in-sync',
  'applying',
  'out-of-sync',
  'drift',
  'unknown',
  'waiting',
])
export type SyncState = Static<typeof SyncStateSchema>

const ConfigIdentity = Type.Object({
  generation: Type.Integer(),
  digest: DigestSchema,
  /** Which saved version renders to this digest for this node; null when none does. */
  version: Nullable(Type.Object({ config: NameSchema, number: Type.Integer() })),
})

export const LatencySummarySchema = Type.Object({
  windowSeconds: Type.Integer(),
  requests: Type.Integer({ description: 'Sample size of the quantiles' }),
  p50Seconds: Nullable(Type.Number()),
  p99Seconds: Nullable(Type.Number()),
  readWaitP99Seconds: Nullable(Type.Number()),
  errorRatio: Nullable(Type.Number({ description: '5xx responses / requests' })),
  requestsPerSecond: Nullable(Type.Number()),
})

export const NodeSchema = Type.Object({
  id: NodeIdSchema,
  name: NameSchema,
  labels: LabelsSchema,
  hostname: Type.String(),
  version: Type.String({ description: 'farmstead-node version' }),
  os: Type.String(),
  arch: Type.String(),
  connected: Type.Boolean({ description: 'Its agent is talking to us now' }),
  lastSeenAt: Nullable(TimeSchema),
  bootId: Nullable(Type.String()),
  /** Base URLs the node serves, from its effective config. */
  urls: Type.Array(Type.String()),
  sync: Type.Object({
    state: SyncStateSchema,
    reason: Type.String({
      description: 'One sentence: why it is in this state and what moves it on',
    }),
    since: TimeSchema,
    desired: Nullable(ConfigIdentity),
    acknowledged: Nullable(ConfigIdentity),
    effective: Nullable(ConfigIdentity),
  }),
  lastResult: Nullable(
    Type.Object({
      at: TimeSchema,
      outcome: Type.Enum(['applied', 'reverted', 'stuck', 'refused']),
      code: Nullable(Type.String()),
      message: Type.String(),
      errors: Type.Array(ConfigErrorSchema),
      rolloutId: Nullable(RolloutIdSchema),
    }),
  ),
  latency: LatencySummarySchema,
  gauges: Type.Record(Type.String(), Type.Number(), {
    description: 'Newest values the node reported (server-c/src/gauges.def)',
  }),
  enrolledAt: TimeSchema,
})
export type Node = Static<typeof NodeSchema>

/** PATCH /nodes/{id} updateNode. Requires If-Match. */
export const NodePatchSchema = Type.Object(
  { name: Type.Optional(NameSchema), labels: Type.Optional(LabelsSchema) },
  { additionalProperties: false, minProperties: 1 },
)
/**
 * GET/PUT /nodes/{id}/override getNodeOverride, putNodeOverride (If-Match required on PUT):
 * an RFC 7396 merge patch over the version's document, for what differs per node (its port).
 * Takes effect with the next rollout to this node.
 */
export const OverrideSchema = Type.Object(
  { mergePatch: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
)
/** GET /nodes/{id}/effective-config getNodeEffectiveConfig: the text the node really runs */
export const EffectiveConfigSchema = Type.Object({
  text: Nullable(Type.String({ description: 'null: the digest is of no text we hold' })),
  generation: Nullable(Type.Integer()),
  digest: Nullable(DigestSchema),
  desiredText: Nullable(Type.String()),
})
