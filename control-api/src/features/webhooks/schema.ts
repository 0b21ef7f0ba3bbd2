// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { Nullable, TimeSchema } from '../../api-shapes/common.ts'

const ulid = '[0-9a-hjkmnp-tv-z]{26}'
export const WebhookIdSchema = Type.String({
  pattern: `^webhook_${ulid}$`,
  examples: ['webhook_01jd4q6v2m8w3x5y7z9abcdefg'],
})

const UrlSchema = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^(https?://|mailto:)',
  examples: ['https://hooks.example.org/farmstead', 'mailto:ops@example.org'],
})
const DescriptionSchema = Type.String({ maxLength: 256 })
const EventsSchema = Type.Array(
  Type.String({ maxLength: 64, pattern: '^(\\*|[a-z]+(-[a-z]+)*(\\.(\\*|[a-z0-9-]+))?)$' }),
  {
    minItems: 1,
    maxItems: 64,
    description: 'Which events: `*`, a kind as in `rollout`, or a kind and an action',
    examples: [['rollout', 'node.disconnected']],
  },
)

/** POST /webhooks createWebhook */
export const NewWebhookSchema = Type.Object(
  {
    url: UrlSchema,
    description: Type.Optional(DescriptionSchema),
    events: Type.Optional(EventsSchema),
  },
  { additionalProperties: false },
)
/** PATCH /webhooks/{id} updateWebhook */
export const WebhookPatchSchema = Type.Object(
  {
    url: Type.Optional(UrlSchema),
    description: Type.Optional(DescriptionSchema),
    events: Type.Optional(EventsSchema),
    disabled: Type.Optional(
      Type.Boolean({ description: 'false: it is told of what happens from now on' }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)
export const WebhookSchema = Type.Object({
  id: WebhookIdSchema,
  url: Type.String(),
  description: Type.String(),
  events: Type.Array(Type.String()),
  disabledAt: Nullable(TimeSchema),
  disabledReason: Nullable(Type.String()),
  failingSince: Nullable(TimeSchema),
  failedAttempts: Type.Integer({ description: 'Of the event that it is told now' }),
  lastError: Nullable(
    Type.String({ description: 'Since the last delivery; also of an event that was passed over' }),
  ),
  oldSecretUntil: Nullable(TimeSchema),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})
/** Shown once: the secret is sealed at rest. */
export const CreatedWebhookSchema = Type.Object({
  ...WebhookSchema.properties,
  secret: Type.String({ description: 'whsec_ and the key in base64, as Standard Webhooks has it' }),
})

/** POST /webhooks/{id}/actions/rotate-secret rotateWebhookSecret */
export const RotateSecretSchema = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'So long the old secret signs too',
      }),
    ),
  },
  { additionalProperties: false },
)
/** POST /webhooks/{id}/actions/redeliver redeliverWebhook */
export const RedeliverSchema = Type.Object(
  {
    eventId: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Its number in the audit',
    }),
  },
  { additionalProperties: false },
)

/** GET /webhooks/{id}/deliveries listWebhookDeliveries */
export const WebhookDeliverySchema = Type.Object({
  id: Type.String(),
  eventId: Nullable(Type.Integer({ description: 'null: a test' })),
  type: Type.String({ examples: ['rollout.done'] }),
  at: TimeSchema,
  attempt: Type.Integer({ description: '0: asked for by a person' }),
  delivered: Type.Boolean(),
  status: Nullable(Type.Integer({ description: 'null: no answer came' })),
  durationMs: Type.Integer(),
  error: Nullable(Type.String()),
  response: Type.String({ description: 'The first 4 KiB of the answer' }),
})

export type WebhookPatch = Static<typeof WebhookPatchSchema>
export type Webhook = Static<typeof WebhookSchema>
export type WebhookDelivery = Static<typeof WebhookDeliverySchema>
