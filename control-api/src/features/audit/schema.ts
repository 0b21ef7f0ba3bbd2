// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { Nullable, PageQuerySchema, TimeSchema } from '../../api-shapes/common.ts'

const IdSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const HashSchema = Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['5e'.repeat(32)] })
const word = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const AuditSideSchema = Type.Enum(['people', 'nodes', 'service'], {
  description: 'Whose doing: of people and their programs, of nodes, or of the service itself',
})

/** What narrows the audit, in lists and exports alike. */
export const AuditFilterSchema = Type.Object({
  by: Type.Optional(AuditSideSchema),
  actor: Type.Optional(word(128)),
  kind: Type.Optional(word(32)),
  action: Type.Optional(word(64)),
  without: Type.Optional(
    Type.String({ ...word(64), description: 'An action to leave out, as draft-changed' }),
  ),
  object: Type.Optional(Type.String({ ...word(128), description: 'Id of the thing that changed' })),
  from: Type.Optional(Type.String({ ...TimeSchema, description: 'From this moment on' })),
  to: Type.Optional(Type.String({ ...TimeSchema, description: 'Before this moment' })),
  q: Type.Optional(
    Type.String({
      ...word(128),
      description: 'Text in the details; case does not matter in ASCII',
    }),
  ),
})
export type AuditFilter = Static<typeof AuditFilterSchema>

/** GET /audit listAudit */
export const AuditQuerySchema = Type.Object({
  ...AuditFilterSchema.properties,
  ...PageQuerySchema.properties,
})

/** One thing that happened, without its details. */
export const AuditEntrySchema = Type.Object({
  id: IdSchema,
  at: TimeSchema,
  kind: Type.String(),
  object: Type.String({ description: 'Id of the thing that changed' }),
  objectName: Nullable(
    Type.String({ description: 'Of a node: its name now. null: it has none besides its id' }),
  ),
  action: Type.String(),
  actor: Nullable(
    Type.String({ description: 'User name, node id or "operator"; null: the service itself' }),
  ),
  actorName: Nullable(
    Type.String({ description: 'Of a node: its name now. null: `actor` is the name' }),
  ),
  by: AuditSideSchema,
  via: Type.String({ description: 'session, token, operator, agent or service' }),
  tokenId: Nullable(Type.String({ description: 'The API token that spoke for the actor' })),
  requestId: Nullable(Type.String()),
  address: Nullable(Type.String({ description: 'Where the request came from' })),
})
export type AuditEntry = Static<typeof AuditEntrySchema>

/** GET /audit/{id} getAuditEntry */
export const AuditDetailSchema = Type.Object({
  ...AuditEntrySchema.properties,
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Details; of a change what was `before` and is `after`. Never a secret',
  }),
  previousHash: HashSchema,
  hash: Type.String({ description: 'SHA-256 of the canonical form (RFC 8785); see the guide' }),
})

/** GET /audit/export exportAudit */
export const AuditExportQuerySchema = Type.Object({
  ...AuditFilterSchema.properties,
  format: Type.Optional(Type.Enum(['ndjson', 'csv'], { default: 'ndjson' })),
})

/** GET and POST /audit/verification */
export const AuditVerificationSchema = Type.Object({
  state: Type.Enum(['never', 'running', 'whole', 'broken'], {
    description: 'never: not since the service was started',
  }),
  rows: Type.Integer({ description: 'How many were found to be right' }),
  headId: Type.Integer({ description: 'The last of those; 0: none' }),
  head: HashSchema,
  brokenAt: Nullable(Type.Integer({ description: 'The first row that is not as its hash says' })),
  reason: Nullable(Type.String()),
  checkedAt: Nullable(TimeSchema),
})
export type AuditVerification = Static<typeof AuditVerificationSchema>
