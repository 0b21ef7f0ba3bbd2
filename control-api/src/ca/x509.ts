// SPDX-License-Identifier: MIT
// The certificates the control plane makes, and the requests it reads. Pure but for randomness: the
// caller says what time it is.
//
// Who may do what is in the certificates: the CA signs and nothing else (path length 0), serverAuth goes
// to the control plane alone, clientAuth to nodes alone. Nodes rely on that instead of host names.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  webcrypto,
  X509Certificate,
} from 'node:crypto'
import type { ExtendedKeyUsage, Pkcs10CertificateRequest } from '@peculiar/x509'
import { x509 } from '../base/x509-library.ts'
import { CsrRefused } from './errors.ts'

/** A private key and the certificate of its public half, both PEM. */
export type KeyAndCertificate = { keyPem: string; certificatePem: string }

const DAY_MS = 24 * 3600 * 1000
const CA_LIFE_MS = 3652 * DAY_MS
const SERVER_LIFE_MS = 365 * DAY_MS
export const NODE_LIFE_MS = 30 * DAY_MS
/** Nodes' clocks are wrong, most often behind. */
export const BACKDATED_MS = 30 * DAY_MS

const P256 = { name: 'ECDSA', namedCurve: 'P-256' }
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' }

export async function makeCa(nowMs: number): Promise<KeyAndCertificate> {
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, PublicKey } = x509()
  const { SubjectKeyIdentifierExtension, X509CertificateGenerator } = x509()
  const { keyPem, publicKey, privateKey } = await newKey()
  const name = nameOf(sha256Of(publicKey).toString('hex').slice(0, 16))
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: name,
    issuer: name,
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs + CA_LIFE_MS),
    signingAlgorithm: SIGNING,
    signingKey: privateKey,
    publicKey: new PublicKey(publicKey),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(new PublicKey(publicKey)),
    ],
  })
  return { keyPem, certificatePem: pem(certificate) }
}

/** The control plane's own end of a connection. */
export async function makeServer(ca: KeyAndCertificate, nowMs: number): Promise<KeyAndCertificate> {
  const { keyPem, publicKey } = await newKey()
  const certificatePem = await sign(ca, {
    subject: 'CN=Farmstead control plane',
    publicKey,
    purpose: x509().ExtendedKeyUsage.serverAuth,
    nowMs,
    lifeMs: SERVER_LIFE_MS,
  })
  return { keyPem, certificatePem }
}

export type NodeCertificate = {
  certificatePem: string
  /** Of the DER, hexadecimal: how we know it again. */
  sha256: string
  /** Of the CA that signed it. */
  caSha256: string
  keySha256: string
  serial: string
  notAfterMs: number
}

export async function makeNodeCertificate(
  ca: KeyAndCertificate,
  { nodeId, key, nowMs }: { nodeId: string; key: RequestedKey; nowMs: number },
): Promise<NodeCertificate> {
  const certificatePem = await sign(ca, {
    subject: `CN=${nodeId}`,
    publicKey: key.der,
    purpose: x509().ExtendedKeyUsage.clientAuth,
    nowMs,
    lifeMs: NODE_LIFE_MS,
  })
  const certificate = new X509Certificate(certificatePem)
  return {
    certificatePem,
    sha256: sha256Of(certificate.raw).toString('hex'),
    caSha256: sha256Of(new X509Certificate(ca.certificatePem).raw).toString('hex'),
    keySha256: key.sha256,
    serial: certificate.serialNumber,
    notAfterMs: certificate.validToDate.getTime(),
  }
}

/** The public key a node asks a certificate for; it has shown that it holds the private half. */
export type RequestedKey = { der: Buffer; sha256: string }

const MIN_RSA_BITS = 2048
/** Checking a signature of more costs what anybody with a token could make us spend. */
const MAX_RSA_BITS = 8192

/** Of a PKCS#10 request only the key is taken: who the node is, is ours to say. */
export async function readRequest(csrPem: string): Promise<RequestedKey> {
  let request: Pkcs10CertificateRequest
  let key: KeyObject
  try {
    request = new (x509().Pkcs10CertificateRequest)(csrPem)
    key = createPublicKey({
      key: Buffer.from(request.publicKey.rawData),
      format: 'der',
      type: 'spki',
    })
  } catch {
    throw new CsrRefused('is no PKCS#10 request in PEM')
  }
  if (!isStrong(key)) {
    throw new CsrRefused('its key must be P-256, P-384, Ed25519 or RSA of 2048 to 8192 bits')
  }
  if (!(await request.verify().catch(() => false))) {
    throw new CsrRefused('its signature is not of its key')
  }
  const der = key.export({ format: 'der', type: 'spki' })
  return { der, sha256: sha256Of(der).toString('hex') }
}

function isStrong(key: KeyObject): boolean {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'ec':
      return namedCurve === 'prime256v1' || namedCurve === 'secp384r1'
    case 'ed25519':
      return true
    case 'rsa':
      return modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS
    default:
      return false
  }
}

/** What a token carries of the CA: base64url of the SHA-256 over its SubjectPublicKeyInfo. */
export function fingerprintOf(certificatePem: string): string {
  const { publicKey } = new X509Certificate(certificatePem)
  return sha256Of(publicKey.export({ format: 'der', type: 'spki' })).toString('base64url')
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/** Distinct per key: during a rotation two CAs stand beside each other in one list. */
const nameOf = (key: string) => `CN=Farmstead CA ${key}`

type Leaf = {
  subject: string
  publicKey: Buffer
  purpose: ExtendedKeyUsage
  nowMs: number
  lifeMs: number
}

async function sign(ca: KeyAndCertificate, leaf: Leaf): Promise<string> {
  const { AuthorityKeyIdentifierExtension, BasicConstraintsExtension, PublicKey } = x509()
  const { ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension } = x509()
  const issuer = new X509Certificate(ca.certificatePem)
  const caKey = new PublicKey(issuer.publicKey.export({ format: 'der', type: 'spki' }))
  const extensions = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([leaf.purpose], true),
    await AuthorityKeyIdentifierExtension.create(caKey),
  ]
  const certificate = await x509().X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: leaf.subject,
    issuer: issuer.subject.replaceAll('\n', ','),
    notBefore: new Date(leaf.nowMs - BACKDATED_MS),
    notAfter: new Date(Math.min(leaf.nowMs + leaf.lifeMs, issuer.validToDate.getTime())),
    signingAlgorithm: SIGNING,
    signingKey: await importKey(createPrivateKey(ca.keyPem)),
    publicKey: new PublicKey(leaf.publicKey),
    extensions,
  })
  return pem(certificate)
}

async function newKey() {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    keyPem: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }),
    privateKey: await importKey(pair.privateKey),
  }
}

const importKey = (key: KeyObject) =>
  webcrypto.subtle.importKey('pkcs8', key.export({ format: 'der', type: 'pkcs8' }), P256, false, [
    'sign',
  ])

/** 127 random bits: a positive number, and no two alike. */
function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

const pem = (certificate: { toString(format: 'pem'): string }) =>
  `${certificate.toString('pem').trim()}\n`
