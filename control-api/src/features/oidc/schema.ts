// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { Nullable, TimeSchema } from '../../api-shapes/common.ts'

/** GET /session/methods getSignInMethods */
export const SignInMethodsSchema = Type.Object({
  password: Type.Boolean(),
  oidc: Nullable(Type.Object({ label: Type.String({ description: 'What the button says' }) })),
})

/** GET /session/oidc startOidcSignIn */
export const StartQuerySchema = Type.Object({
  next: Type.Optional(
    Type.String({ maxLength: 512, description: 'A path of the console to go to afterwards' }),
  ),
})

/** GET /session/oidc/identity getOidcIdentity, POST linkOidcIdentity, DELETE unlinkOidcIdentity */
export const OidcIdentitySchema = Type.Object({
  identity: Nullable(
    Type.Object({
      issuer: Type.String(),
      subject: Type.String({ description: 'The provider’s name for you' }),
      createdAt: TimeSchema,
      lastSignInAt: Nullable(TimeSchema),
    }),
  ),
  canUnlink: Type.Boolean({
    description: 'false: nothing to unlink, or no password to sign in by',
  }),
})
export const LinkSchema = Type.Object({
  url: Type.String({ description: 'To send the browser to; it holds for ten minutes' }),
})

export type OidcIdentity = Static<typeof OidcIdentitySchema>
