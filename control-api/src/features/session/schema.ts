// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { RoleSchema } from '../../people/roles.ts'
import {
  Nullable,
  TimeSchema,
  TokenIdSchema,
  UserIdSchema,
  UsernameSchema,
} from '../../schema/common.ts'

const PasswordSchema = Type.String({ minLength: 1, maxLength: 1024, examples: ['printed-once'] })
const NewPasswordSchema = Type.String({
  minLength: 12,
  maxLength: 1024,
  examples: ['correct horse battery staple'],
})

/** POST /session signInUser, GET /session getSession, DELETE /session signOut */
export const CredentialsSchema = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 64, examples: ['admin'] }),
    password: PasswordSchema,
  },
  { additionalProperties: false },
)
export const SessionSchema = Type.Object({
  user: Type.Object({
    id: UserIdSchema,
    username: Type.String({ examples: ['admin'] }),
    roles: Type.Array(RoleSchema),
    scope: Nullable(
      Type.String({ description: 'Label selector of the nodes the roles count for; null: all' }),
    ),
  }),
  /** While true every other endpoint answers 403 `password_change_required`. */
  passwordChangeRequired: Type.Boolean(),
  secondFactor: Type.Boolean({ description: 'Signing in takes a code as well' }),
  permissions: Type.Array(Type.String({ examples: ['nodes:read'] })),
  expiresAt: TimeSchema,
  /** Of a program that calls with one. */
  token: Type.Optional(Type.Object({ id: TokenIdSchema, name: Type.String() })),
})
export type Session = Static<typeof SessionSchema>

/** PUT /session/password changePassword; ends the user's other sessions */
export const ChangePasswordSchema = Type.Object(
  { currentPassword: PasswordSchema, newPassword: NewPasswordSchema },
  { additionalProperties: false },
)

/** GET /setup getSetup, POST /setup setUp */
export const SetupStateSchema = Type.Object({ required: Type.Boolean() })
export const SetupSchema = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 128 }),
    username: UsernameSchema,
    password: NewPasswordSchema,
  },
  { additionalProperties: false },
)
