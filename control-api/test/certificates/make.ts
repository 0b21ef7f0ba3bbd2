// SPDX-License-Identifier: MIT
// Certificates for tests: a CA, intermediates and leaves with whatever is wrong with them, in PEM.
import 'reflect-metadata'
import { generateKeyPairSync, type KeyObject, randomBytes, webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  PublicKey,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

export const DAY_MS = 24 * 3600_000
export type Made = { pem: string; key: string; subject: string; signing: webcrypto.CryptoKey }
type Keys = { publicKey: KeyObject; privateKey: KeyObject }

export const ecKeys = (namedCurve = 'P-256'): Keys => generateKeyPairSync('ec', { namedCurve })
export const rsaKeys = (modulusLength: number): Keys =>
  generateKeyPairSync('rsa', { modulusLength })
export const pkcs8 = ({ privateKey }: Keys) =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type Create = Parameters<typeof X509CertificateGenerator.create>[0]
/** Where a browser's types are known as well (e2e), theirs lacks the newest uses. */
type SigningKey = Extract<Create, { signingKey: unknown }>['signingKey']

type Wish = {
  names?: readonly (string | JsonGeneralName)[]
  /** Left out: itself. */
  by?: Made
  isCa?: boolean
  subject?: string
  keys?: Keys
  fromMs?: number
  toMs?: number
  purposes?: string[]
  /** Of the signature. */
  hash?: string
}

const nameOf = (name: string | JsonGeneralName): JsonGeneralName =>
  typeof name !== 'string' ? name : { type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns', value: name }

export async function make({
  names = [],
  by,
  isCa = false,
  subject = `CN=${isCa ? 'ca' : 'leaf'} ${randomBytes(4).toString('hex')}`,
  keys = ecKeys(),
  fromMs = Date.now() - DAY_MS,
  toMs = Date.now() + 90 * DAY_MS,
  purposes,
  hash = 'SHA-256',
}: Wish = {}): Promise<Made> {
  const isRsa = keys.privateKey.asymmetricKeyType === 'rsa'
  const curve = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' } as Record<
    string,
    string
  >
  const algorithm = isRsa
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : {
        name: 'ECDSA',
        namedCurve: curve[keys.privateKey.asymmetricKeyDetails?.namedCurve ?? ''] ?? 'P-256',
      }
  const der = keys.privateKey.export({ type: 'pkcs8', format: 'der' })
  const signing = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  const spki = keys.publicKey.export({ type: 'spki', format: 'der' })
  const extensions: Extension[] = [new BasicConstraintsExtension(isCa, undefined, true)]
  if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names.map(nameOf)))
  if (purposes) extensions.push(new ExtendedKeyUsageExtension(purposes))
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomBytes(8).toString('hex').replace(/^./, '1'),
    subject,
    issuer: by?.subject ?? subject,
    notBefore: new Date(fromMs),
    notAfter: new Date(toMs),
    signingAlgorithm: { ...(by ?? { signing }).signing.algorithm, hash },
    signingKey: (by?.signing ?? signing) as SigningKey,
    publicKey: new PublicKey(spki),
    extensions,
  })
  return { pem: `${certificate.toString('pem')}\n`, key: pkcs8(keys), subject, signing }
}

/** Root, intermediate and a leaf for these names. */
export async function makeChain(names: readonly string[], wish: Omit<Wish, 'by' | 'names'> = {}) {
  const root = await make({ isCa: true, subject: 'CN=test root' })
  const intermediate = await make({ isCa: true, by: root, subject: 'CN=test intermediate' })
  const leaf = await make({ ...wish, names, by: intermediate })
  return { root, intermediate, leaf, chain: leaf.pem + intermediate.pem, key: leaf.key }
}
