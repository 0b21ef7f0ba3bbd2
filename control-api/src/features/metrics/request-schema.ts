// SPDX-License-Identifier: MIT
// Single requests: what each did, and what of it took how long.
import { type Static, Type } from 'typebox'
import { NodeIdSchema, TimeSchema } from '../../api-shapes/common.ts'

export const RequestSampleSchema = Type.Object({
  startedAt: Type.String({
    format: 'date-time',
    description: 'When its head was whole, to the microsecond, on the control plane’s clock',
    examples: ['2026-11-21T09:00:00.123456Z'],
  }),
  generation: Type.Integer({ description: 'Of the config that answered it' }),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null: no response was begun',
  }),
  bytes: Type.Integer({ description: 'Sent' }),
  protocol: Type.String({ examples: ['HTTP/1.1'] }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it ended early, as in /status of the node; null: it did not',
  }),
  path: Type.String({
    description:
      'Without its query, masked as the node’s config says (samples.maskPaths); empty: it could not be decoded',
  }),
  stageSeconds: Type.Record(Type.String(), Type.Number(), {
    description: 'Of each stage that it had; `total` always',
  }),
})
export type RequestSample = Static<typeof RequestSampleSchema>

export const SamplesQuerySchema = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        '`next` of the answer before; left out: the last seconds, as far as they are there',
    }),
  ),
})
export const SamplesSchema = Type.Object({
  nodeId: NodeIdSchema,
  state: Type.Enum(['live', 'waiting', 'disconnected', 'too-old'], {
    description: 'live: it sends; waiting: it was asked to; too-old: its version can’t',
  }),
  next: Type.Integer({ description: 'For `after` of the next question' }),
  batches: Type.Array(
    Type.Object({
      receivedAt: TimeSchema,
      seen: Type.Integer({ description: 'How many requests there were since the batch before' }),
      samples: Type.Array(RequestSampleSchema, {
        description: 'At most 100 of them, each chosen with the same chance, in no order',
      }),
    }),
    { description: 'Oldest first, one a second' },
  ),
})

export const SlowRequestsQuerySchema = Type.Object({
  from: Type.Optional(Type.String({ ...TimeSchema, examples: ['2026-11-21T08:00:00.000Z'] })),
  to: Type.Optional(TimeSchema),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})
export const SlowRequestsSchema = Type.Object({
  nodeId: NodeIdSchema,
  items: Type.Array(RequestSampleSchema, { description: 'The newest first' }),
})
