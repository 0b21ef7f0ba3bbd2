// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { TimeSchema, TokenIdSchema, UserIdSchema } from '../../schema/common.ts'

export const RoleSchema = Type.Enum([
  'viewer',
  'editor',
  'operator',
  'approver',
  'admin',
  'auditor',
])
export type Role = Static<typeof RoleSchema>

/** POST /session signInUser, GET /session getSession, DELETE /session signOut */
export const CredentialsSchema = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 64, examples: ['admin'] }),
    password: Type.String({
      minLength: 1,
      maxLength: 1024,
      examples: ['correct horse battery staple'],
    }),
  },
  { additionalProperties: false },
)
export const SessionSchema = Type.Object({
  user: Type.Object({
    id: UserIdSchema,
    username: Type.String({ examples: ['admin'] }),
    roles: Type.Array(RoleSchema),
  }),
  /** While true every other endpoint answers 403 `password_change_required`. */
  passwordChangeRequired: Type.Boolean(),
  permissions: Type.Array(Type.String({ examples: ['nodes:read'] })),
  expiresAt: TimeSchema,
  /** Of a program that calls with one. */
  token: Type.Optional(Type.Object({ id: TokenIdSchema, name: Type.String() })),
})
export type Session = Static<typeof SessionSchema>

/** PUT /session/password changePassword; ends the user's other sessions */
export const ChangePasswordSchema = Type.Object(
  {
    currentPassword: Type.String({ minLength: 1, maxLength: 1024, examples: ['printed-once'] }),
    newPassword: Type.String({
      minLength: 12,
      maxLength: 1024,
      examples: ['correct horse battery staple'],
    }),
  },
  { additionalProperties: false },
)
