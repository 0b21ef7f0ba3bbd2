// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const ManagedNotFound = defineError(
  404,
  'managed_certificate_not_found',
  'No such managed certificate',
  (name: string) =>
    `No orders are made for a certificate "${name}". GET /api/v1/managed-certificates lists those that are.`,
)
export const ManagedExists = defineError(
  409,
  'managed_certificate_exists',
  'The certificate is managed already',
  (name: string) =>
    `"${name}" is managed already. PATCH /api/v1/managed-certificates/${name} changes how, or choose another name.`,
)
export const ManagedInvalid = defineError(
  422,
  'managed_certificate_invalid',
  'That cannot be ordered',
  (words: readonly string[], more: number) =>
    `${words.join('. ')}${more > 0 ? `. And ${more} more` : ''}. Nothing was changed.`,
)
export const TooManyManaged = defineError(
  409,
  'too_many_managed_certificates',
  'There are enough managed certificates',
  (most: number) => `There are ${most}, which is the most. End the management of some.`,
)
export const OrderOpen = defineError(
  409,
  'order_open',
  'An order is open',
  (name: string) =>
    `An order for "${name}" is under way; "order" of GET /api/v1/managed-certificates/${name} says how far it is. Wait for it, or cancel it first.`,
)
export const NoOrderOpen = defineError(
  409,
  'no_order_open',
  'No order is open',
  (name: string) => `There is no order for "${name}" that could be cancelled.`,
)
export const ManagementPaused = defineError(
  409,
  'management_paused',
  'It is paused',
  (name: string) =>
    `Nothing is ordered for "${name}" while it is paused. POST /api/v1/managed-certificates/${name}/actions/resume goes on.`,
)
