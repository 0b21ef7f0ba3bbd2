// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const GroupNotFound = defineError(
  404,
  'group_not_found',
  'No such group',
  (name: string) => `There is no group "${name}". GET /api/v1/groups lists them.`,
)
export const GroupExists = defineError(
  409,
  'group_exists',
  'The group is there already',
  (name: string) =>
    `There is a group "${name}". Change it with PUT or PATCH /api/v1/groups/${name}, or choose another name.`,
)
export const DefaultGroupFixed = defineError(
  409,
  'default_group_fixed',
  'The default group stays as it is',
  (what: string) =>
    `The default group takes every node that no other group takes: it ${what}. Its config and its override may be changed.`,
)
export const TooManyGroups = defineError(
  409,
  'too_many_groups',
  'There are too many groups',
  (most: number) =>
    `A farm has at most ${most} groups, for each node is compared with each. Remove one, or let labels and variables make the difference.`,
)
export const ConfigUnknown = defineError(
  422,
  'config_unknown',
  'No such config',
  (config: string) =>
    `There is no config "${config}" for the group's nodes. GET /api/v1/configs lists them; save a first version to make one.`,
)
export const OrderIncomplete = defineError(
  422,
  'order_incomplete',
  'The order does not name each group once',
  (names: readonly string[]) =>
    `Name each of these groups once: ${names.join(', ') || '(there is none)'}. The default group is always the last and is not named.`,
)
