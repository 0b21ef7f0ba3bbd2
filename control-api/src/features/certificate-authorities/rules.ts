// SPDX-License-Identifier: MIT
// What is asked of a certificate authority before it is kept. Pure.
import { X509Certificate } from 'node:crypto'
import type { ConfigError } from '../../api-shapes/common.ts'
import { AuthorityInvalid } from './errors.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function refuse(pointer: string, code: string, message: string, hint: string): never {
  const place = { line: 0, column: 0, endLine: 0, endColumn: 0 }
  const errors: ConfigError[] = [{ pointer, ...place, code, message, hint }]
  throw new AuthorityInvalid(`${pointer}: ${message}; ${hint}`).withErrors(errors)
}

/** Throws AuthorityInvalid. */
export function requireDirectoryUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' && !url.username && !url.password && !url.hash) return url
  refuse(
    '/directoryUrl',
    'url',
    'this is no https URL, or it has a user name, a password or a fragment',
    'take the address of the directory as the CA’s documentation has it',
  )
}

/** Throws AuthorityInvalid. */
export function requireRoots(pem: string): void {
  const found = pem.match(CERTIFICATE) ?? []
  if (pem.includes('PRIVATE KEY')) {
    refuse('/trustedRoots', 'private_key', 'there is a private key in it', 'give certificates only')
  }
  const broken = found.findIndex((one) => !isCertificate(one))
  if (found.length > 0 && broken === -1) return
  const what =
    found.length === 0
      ? 'there is no certificate in it'
      : `certificate ${broken + 1} cannot be read`
  refuse('/trustedRoots', 'pem', what, 'give the roots as PEM, from BEGIN to END CERTIFICATE')
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
