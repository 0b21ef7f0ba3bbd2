// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const AuthorityNotFound = defineError(
  404,
  'certificate_authority_not_found',
  'No such certificate authority',
  (name: string) =>
    `There is no certificate authority "${name}". GET /api/v1/certificate-authorities lists them.`,
)
export const AuthorityExists = defineError(
  409,
  'certificate_authority_exists',
  'The certificate authority is there already',
  (name: string) =>
    `There is a certificate authority "${name}". PATCH /api/v1/certificate-authorities/${name} changes it, or choose another name.`,
)
export const AuthorityInUse = defineError(
  409,
  'authority_in_use',
  'The certificate authority is in use',
  (name: string, users: readonly string[], more: boolean) =>
    `"${name}" stays, for it is asked for ${users.join(', ')}${more ? ' and others' : ''}. Name another authority there first, and wait for orders that are open.`,
)
export const AuthorityInvalid = defineError(
  422,
  'certificate_authority_invalid',
  'The certificate authority cannot be used',
  (what: string) => `${what}. Nothing was kept.`,
)
export const TooManyAuthorities = defineError(
  409,
  'too_many_certificate_authorities',
  'There are enough certificate authorities',
  (most: number) => `There are ${most}, which is the most. Delete one that nobody uses.`,
)
