// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { RoleSchema } from '../../access/roles.ts'
import {
  Nullable,
  TimeSchema,
  TokenIdSchema,
  UserIdSchema,
  UsernameSchema,
} from '../../api-shapes/common.ts'
import { CodeSchema, PasswordSchema } from '../../people/proof.ts'

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
    code: Type.Optional(CodeSchema),
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
  {
    currentPassword: PasswordSchema,
    newPassword: NewPasswordSchema,
    revokeTokens: Type.Optional(
      Type.Boolean({
        description: 'Your API tokens, too: when somebody may have had your password',
      }),
    ),
  },
  { additionalProperties: false },
)

/** POST /session/second-factor beginSecondFactor */
export const PasswordOnlySchema = Type.Object(
  { password: PasswordSchema },
  { additionalProperties: false },
)
export const BegunSecondFactorSchema = Type.Object({
  secret: Type.String({
    description: 'Base32, to be typed',
    examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
  }),
  uri: Type.String({
    description: 'To be shown as a QR code',
    examples: [
      'otpauth://totp/Farmstead:ana?issuer=Farmstead&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
    ],
  }),
})
/** PUT /session/second-factor confirmSecondFactor */
export const ConfirmSecondFactorSchema = Type.Object(
  { code: CodeSchema },
  { additionalProperties: false },
)
export const RecoveryCodesSchema = Type.Object({
  recoveryCodes: Type.Array(Type.String({ examples: ['kfmbt-qwxya-hjcns'] }), {
    description: 'Each stands in for a code once',
  }),
})
/** DELETE /session/second-factor removeSecondFactor */
export const RemoveSecondFactorSchema = Type.Object(
  { password: PasswordSchema, code: CodeSchema },
  { additionalProperties: false },
)

/** GET /session/list listOwnSessions */
export const OwnSessionIdSchema = Type.String({
  pattern: '^[0-9a-f]{64}$',
  examples: ['5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef'],
})
export const OwnSessionsSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      id: OwnSessionIdSchema,
      signedInAt: TimeSchema,
      expiresAt: TimeSchema,
      address: Nullable(Type.String()),
      userAgent: Nullable(Type.String()),
      current: Type.Boolean(),
    }),
  ),
})

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
