// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { RoleSchema } from '../../access/roles.ts'
import {
  Nullable,
  PageQuerySchema,
  TimeSchema,
  UserIdSchema,
  UsernameSchema,
} from '../../api-shapes/common.ts'
import { SELECTOR_MAX_LENGTH } from '../../labels/selector.ts'

const RolesSchema = Type.Array(RoleSchema, {
  minItems: 1,
  maxItems: RoleSchema.enum.length,
  uniqueItems: true,
})
const ScopeSchema = Nullable(
  Type.String({
    maxLength: SELECTOR_MAX_LENGTH,
    description: 'Label selector of the nodes the roles count for; null: the whole farm',
    examples: ['zone=eu'],
  }),
)

export const UserSchema = Type.Object({
  id: UserIdSchema,
  username: Type.String(),
  roles: Type.Array(RoleSchema),
  scope: ScopeSchema,
  disabled: Type.Boolean(),
  passwordChangeRequired: Type.Boolean({ description: 'The password was made for one use' }),
  secondFactor: Type.Boolean({ description: 'Signing in takes a code as well' }),
  createdAt: TimeSchema,
})
export type UserView = Static<typeof UserSchema>

/** GET /users listUsers */
export const UsersQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  q: Type.Optional(Type.String({ maxLength: 63, description: 'Part of the name' })),
})
/** POST /users createUser */
export const NewUserSchema = Type.Object(
  { username: UsernameSchema, roles: RolesSchema, scope: Type.Optional(ScopeSchema) },
  { additionalProperties: false },
)
/** PATCH /users/{id} updateUser. Requires If-Match. */
export const UserPatchSchema = Type.Object(
  {
    roles: Type.Optional(RolesSchema),
    scope: Type.Optional(ScopeSchema),
    disabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
)

const oneTimePassword = Type.String({
  description: 'Shown this once; it is good for signing in and choosing another',
})
export const CreatedUserSchema = Type.Object({ ...UserSchema.properties, oneTimePassword })
/** POST /users/{id}/actions/reset-password resetUserPassword */
export const OneTimePasswordSchema = Type.Object({ oneTimePassword })
