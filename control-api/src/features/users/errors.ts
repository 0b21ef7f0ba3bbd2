// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const UserNotFound = defineError(
  404,
  'user_not_found',
  'No such user',
  (id: string) => `There is no user ${id}. GET /api/v1/users lists them.`,
)
export const UsernameTaken = defineError(
  409,
  'username_taken',
  'The user name is taken',
  (username: string) =>
    `Somebody is called "${username}" already; upper and lower case are the same here. Choose another name.`,
)
export const LastAdmin = defineError(
  409,
  'last_admin',
  'The last administrator',
  (username: string) =>
    `"${username}" is the last enabled administrator of the whole farm. Make another one first.`,
)
export const OwnAccount = defineError(
  409,
  'own_account',
  'Your own account',
  () =>
    'Your own password, second factor and sessions are under /api/v1/session, where what you know is asked for first.',
)
export const BeyondYours = defineError(
  403,
  'beyond_yours',
  'More than you may do yourself',
  (permissions: readonly string[]) =>
    `These roles carry ${permissions.join(', ')}, which you do not have here. Nobody gives, takes or resets more than that.`,
)
export const BadScope = defineError(
  422,
  'bad_scope',
  'The scope is no label selector',
  (column: number, message: string) =>
    `At character ${column} of the scope: ${message}. Write it like zone=eu,tier in (edge, core).`,
)
