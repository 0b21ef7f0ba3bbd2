// SPDX-License-Identifier: MIT
// Keys, requests for their certificates, and what came back for them.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  webcrypto,
  X509Certificate,
} from 'node:crypto'
import { x509 } from '../base/x509-library.ts'
import { AuthorityFailure } from './authority.ts'

export type KeyType = 'ecdsa-p256' | 'rsa-2048'

const ALGORITHMS = {
  'ecdsa-p256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  'rsa-2048': {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const
const CHAIN_MAX = 10

export const sha256Bytes = (text: string): Buffer => createHash('sha256').update(text).digest()

export const newAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

/** The request names no subject: a common name ends at 64 letters, and CAs leave it out more and more. */
export async function newKeyAndRequest(type: KeyType, names: readonly string[]) {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = x509()
  const algorithm = ALGORITHMS[type]
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
    ],
  })
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const keyPem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
  return { keyPem, csr: new Uint8Array(request.rawData) }
}

export type Issued = {
  notBeforeMs: number
  notAfterMs: number
  fingerprint: string
  /** As RFC 9773 names it; null: it does not say whose key signed it. */
  renewalId: string | null
}

/** Throws when the chain is not one for this key and these names, now. */
export function checkIssued(
  chainPem: string,
  keyPem: string,
  names: readonly string[],
  nowMs: number,
): Issued {
  const chain = readChain(chainPem)
  const [leaf] = chain
  if (!leaf) throw new AuthorityFailure('refused', 'The CA sent a chain without a certificate')
  if (!leaf.checkPrivateKey(createPrivateKey(keyPem))) {
    throw new AuthorityFailure('refused', 'The CA sent a certificate of another key')
  }
  const broken = chain.findIndex((one, at) => {
    const issuer = chain[at + 1]
    return issuer !== undefined && !(one.checkIssued(issuer) && one.verify(issuer.publicKey))
  })
  if (broken !== -1) {
    throw new AuthorityFailure(
      'refused',
      `The CA sent a chain whose certificate ${broken + 1} is not signed by the next`,
    )
  }
  const has = (leaf.subjectAltName ?? '').toLowerCase().split(', ')
  const missing = names.filter((name) => !has.includes(`dns:${name}`))
  if (missing.length > 0) {
    throw new AuthorityFailure('refused', `The certificate is not for ${missing.join(', ')}`)
  }
  const [notBeforeMs, notAfterMs] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()]
  if (notAfterMs <= nowMs) {
    throw new AuthorityFailure('refused', 'The CA sent a certificate that has ended already')
  }
  const fingerprint = leaf.fingerprint256.replaceAll(':', '').toLowerCase()
  return { notBeforeMs, notAfterMs, fingerprint, renewalId: renewalIdOf(leaf) }
}

function readChain(pem: string): X509Certificate[] {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (parts.length > CHAIN_MAX) {
    throw new AuthorityFailure('refused', `The CA sent a chain of ${parts.length} certificates`)
  }
  try {
    return parts.map((one) => new X509Certificate(one))
  } catch {
    throw new AuthorityFailure('refused', 'The CA sent a chain that cannot be read')
  }
}

/** RFC 9773, 4.1: the issuer's key and the serial number, as they stand in the certificate. */
function renewalIdOf(leaf: X509Certificate): string | null {
  const { AuthorityKeyIdentifierExtension, X509Certificate: Parsed } = x509()
  const keyId = new Parsed(leaf.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (keyId === undefined) return null
  const even = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`
  // A first bit that is set would be a sign.
  const serial = Buffer.from(/^[89a-f]/i.test(even) ? `00${even}` : even, 'hex')
  return `${Buffer.from(keyId, 'hex').toString('base64url')}.${serial.toString('base64url')}`
}
