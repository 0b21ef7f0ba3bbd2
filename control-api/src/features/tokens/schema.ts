// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { type Permission, rolePermissions } from '../../access/permissions.ts'
import { Nullable, TimeSchema, TokenIdSchema, UserIdSchema } from '../../api-shapes/common.ts'
import { proofMembers } from '../../people/proof.ts'

/** One's password and second factor are a person's business: no token is for them. */
export const GRANTABLE: Permission[] = rolePermissions.admin.filter((one) => one !== 'session:own')

/** POST /tokens createToken; GET listTokens; DELETE /{id} revokeToken */
export const NewTokenSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^\\S(.*\\S)?$',
      description: 'What uses it: it stands in the audit and in the list',
      examples: ['backup job'],
    }),
    permissions: Nullable(
      Type.Array(Type.Enum(GRANTABLE), {
        minItems: 1,
        maxItems: GRANTABLE.length,
        uniqueItems: true,
        description: 'null: all you may at the time it is used',
      }),
    ),
    expiresInDays: Type.Integer({ minimum: 1, maximum: 365 }),
    ...proofMembers,
  },
  { additionalProperties: false },
)
export const TokenSchema = Type.Object({
  id: TokenIdSchema,
  name: Type.String(),
  user: Type.Object({ id: UserIdSchema, username: Type.String() }),
  permissions: Nullable(
    Type.Array(Type.String(), {
      description:
        'null: all its user may. In use a token never carries more than its user does then.',
    }),
  ),
  /** The token it was made with, and ends with. */
  madeWith: Nullable(TokenIdSchema),
  createdAt: TimeSchema,
  expiresAt: TimeSchema,
  lastUsedAt: Nullable(TimeSchema),
  lastUsedFrom: Nullable(Type.String({ description: 'An address' })),
})
/** Shown once: only a digest of the secret is kept. */
export const CreatedTokenSchema = Type.Intersect([
  TokenSchema,
  Type.Object({
    secret: Type.String({
      description: 'To send as `Authorization: Bearer …`',
      pattern: '^fsa_[0-9a-z]{26}_[\\w-]{43}$',
      examples: [`fsa_01jd4q6v2m8w3x5y7z9abcdefg_${'x'.repeat(43)}`],
    }),
  }),
])

export type NewToken = Static<typeof NewTokenSchema>
export type Token = Static<typeof TokenSchema>
export type CreatedToken = Static<typeof CreatedTokenSchema>
