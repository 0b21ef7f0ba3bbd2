// SPDX-License-Identifier: MIT
// FARMSTEAD_TLS_…: whether the console and the API speak HTTPS themselves, and with which certificate.
import { resolve } from 'node:path'

export type CertificateFiles = { kind: 'files'; chainFile: string; keyFile: string }
/** One of those that the control plane keeps: its newest version. */
export type StoredCertificate = { kind: 'stored'; name: string }

export type ConsoleTls = {
  source: CertificateFiles | StoredCertificate
  /** How long browsers refuse plain HTTP with this host, on all its ports; 0: it is not asked of them. */
  hstsSeconds: number
}

type Read = (name: string) => string | undefined

/** null: not wanted, or wrong; `problems` says which. */
export function consoleTls(
  read: Read,
  hstsSeconds: number | undefined,
  problems: string[],
): ConsoleTls | null {
  const name = read('FARMSTEAD_TLS_CERTIFICATE')
  const chainFile = read('FARMSTEAD_TLS_CERTIFICATE_FILE')
  const keyFile = read('FARMSTEAD_TLS_KEY_FILE')
  if (name && (chainFile || keyFile)) {
    problems.push(
      'FARMSTEAD_TLS_CERTIFICATE names a certificate that the control plane keeps, and FARMSTEAD_TLS_CERTIFICATE_FILE and FARMSTEAD_TLS_KEY_FILE name files: set the one or the others',
    )
    return null
  }
  if (Boolean(chainFile) !== Boolean(keyFile)) {
    const [set, missing] = chainFile
      ? ['FARMSTEAD_TLS_CERTIFICATE_FILE', 'FARMSTEAD_TLS_KEY_FILE']
      : ['FARMSTEAD_TLS_KEY_FILE', 'FARMSTEAD_TLS_CERTIFICATE_FILE']
    problems.push(
      `${missing} must be set as well, as ${set} is: HTTPS takes a certificate and its key, in a PEM file each`,
    )
    return null
  }
  const source = sourceOf({ name, chainFile, keyFile })
  if (source === null) {
    if (hstsSeconds) {
      problems.push(
        'FARMSTEAD_TLS_HSTS_SECONDS means nothing without HTTPS: set FARMSTEAD_TLS_CERTIFICATE_FILE and FARMSTEAD_TLS_KEY_FILE, or let the proxy that ends TLS send the header',
      )
    }
    return null
  }
  if (read('FARMSTEAD_PUBLIC_URL')?.startsWith('http:')) {
    problems.push(
      'FARMSTEAD_PUBLIC_URL must begin with https://, as the console is given a certificate: browsers do not send its cookies over plain HTTP',
    )
  }
  return { source, hstsSeconds: hstsSeconds ?? 0 }
}

type Given = Record<'name' | 'chainFile' | 'keyFile', string | undefined>

function sourceOf({ name, chainFile, keyFile }: Given): ConsoleTls['source'] | null {
  if (name) return { kind: 'stored', name }
  if (!chainFile || !keyFile) return null
  return { kind: 'files', chainFile: resolve(chainFile), keyFile: resolve(keyFile) }
}
