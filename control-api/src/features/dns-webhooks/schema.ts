// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NameSchema, Nullable, TimeSchema } from '../../api-shapes/common.ts'

const UrlSchema = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^https?://',
  examples: ['https://dns.example.org/challenges'],
})

/** GET /dns-webhooks listDnsWebhooks */
export const DnsWebhookSchema = Type.Object({
  name: NameSchema,
  url: Type.String(),
  lastError: Nullable(Type.String({ description: 'Since it last did what it was told' })),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})
/** Shown once: the secret is sealed at rest. */
export const CreatedDnsWebhookSchema = Type.Object({
  ...DnsWebhookSchema.properties,
  secret: Type.String({ description: 'whsec_ and the key in base64, as Standard Webhooks has it' }),
})
/** POST /dns-webhooks createDnsWebhook */
export const NewDnsWebhookSchema = Type.Object(
  { name: NameSchema, url: UrlSchema },
  { additionalProperties: false },
)
/** PATCH /dns-webhooks/{name} updateDnsWebhook */
export const DnsWebhookPatchSchema = Type.Object(
  { url: UrlSchema },
  { additionalProperties: false },
)

export type DnsWebhook = Static<typeof DnsWebhookSchema>
