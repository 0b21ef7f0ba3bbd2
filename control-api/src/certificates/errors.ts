// SPDX-License-Identifier: MIT
import { defineError } from '../api-shapes/errors.ts'

export const CertificateNotFound = defineError(
  404,
  'certificate_not_found',
  'No such certificate',
  (name: string) => `There is no certificate "${name}". GET /api/v1/certificates lists them.`,
)
export const CertificateVersionNotFound = defineError(
  404,
  'certificate_version_not_found',
  'No such version of the certificate',
  (name: string, number: number) =>
    `"${name}" has no version ${number}. GET /api/v1/certificates/${name}/versions lists them.`,
)
export const CertificateExists = defineError(
  409,
  'certificate_exists',
  'The certificate is there already',
  (name: string) =>
    `There is a certificate "${name}". POST /api/v1/certificates/${name}/versions gives it a new version, or choose another name.`,
)
export const CertificateInvalid = defineError(
  422,
  'certificate_invalid',
  'The certificate cannot be served',
  (count: number) =>
    count === 1
      ? 'One thing is wrong with it; "errors" says what, on which line, and what to do. Nothing was kept.'
      : `${count} things are wrong with it; "errors" says what, on which line, and what to do. Nothing was kept.`,
)
export const CertificateInUse = defineError(
  409,
  'certificate_in_use',
  'The certificate is in use',
  (name: string, uses: readonly string[]) =>
    `"${name}" stays, for ${uses.join('; ')}. Take it out of the config and roll that out first.`,
)
export const CertificateManaged = defineError(
  409,
  'certificate_managed',
  'The certificate is managed',
  (name: string) =>
    `"${name}" is ordered and renewed by itself: without it, it would be ordered again. DELETE /api/v1/managed-certificates/${name} first.`,
)
export const TooManyCertificates = defineError(
  409,
  'too_many_certificates',
  'There are enough certificates',
  (most: number) => `There are ${most}, which is the most. Delete those that no config names.`,
)
