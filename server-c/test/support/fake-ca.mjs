// SPDX-License-Identifier: MIT
// A CA for tests: certificates for servers and nodes, good ones and ones that must be refused.
import 'reflect-metadata'
import { createHash, webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

cryptoProvider.set(webcrypto)
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

const makeKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
const days = (count) => new Date(Date.now() + count * DAY_MS)

async function keyPem(key) {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  const lines = der.toString('base64').replace(/(.{64})/g, '$1\n')
  return `-----BEGIN PRIVATE KEY-----\n${lines.trimEnd()}\n-----END PRIVATE KEY-----\n`
}

export class FakeCa {
  static async make(name = 'Farmstead test CA') {
    const ca = new FakeCa()
    ca.name = `CN=${name}`
    ca.keys = await makeKeys()
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: ca.name,
      keys: ca.keys,
      signingAlgorithm: ALGORITHM,
      notBefore: days(-30),
      notAfter: days(3650),
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    })
    ca.pem = `${certificate.toString('pem')}\n`
    return ca
  }

  /** As a token carries it. */
  get fingerprint() {
    const spki = Buffer.from(new X509Certificate(this.pem).publicKey.rawData)
    return createHash('sha256').update(spki).digest('base64url')
  }

  #issue(publicKey, subject, usage, { from = -30, until = 30 } = {}) {
    return X509CertificateGenerator.create({
      subject: `CN=${subject}`,
      issuer: this.name,
      publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      notBefore: days(from),
      notAfter: days(until),
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
      ],
    })
  }

  /** { key, cert } for a server; the host's name is left out on purpose: nobody is to look at it. */
  async server({ usage = ExtendedKeyUsage.serverAuth, ...life } = {}) {
    const keys = await makeKeys()
    const certificate = await this.#issue(keys.publicKey, 'control plane', usage, life)
    return { key: await keyPem(keys.privateKey), cert: certificate.toString('pem') }
  }

  /** The same with a certificate that is for nodes. */
  serverOfANode() {
    return this.server({ usage: ExtendedKeyUsage.clientAuth })
  }

  /** PEM for a request that is signed by its key; null for another. */
  async node(csr, nodeId, life = {}) {
    const request = new Pkcs10CertificateRequest(csr)
    if (!(await request.verify())) return null
    const certificate = await this.#issue(
      request.publicKey,
      nodeId,
      ExtendedKeyUsage.clientAuth,
      life,
    )
    return `${certificate.toString('pem')}\n`
  }
}

/** Of PEM or DER: what a TLS socket calls fingerprint256. */
export function fingerprint256(certificate) {
  const raw = Buffer.from(new X509Certificate(certificate).rawData)
  return createHash('sha256').update(raw).digest('hex')
}

/** The public key that a request is for. */
export const keyOf = (csr) =>
  Buffer.from(new Pkcs10CertificateRequest(csr).publicKey.rawData).toString('hex')
