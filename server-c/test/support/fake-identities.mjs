// SPDX-License-Identifier: MIT
// Who is who at the fake control plane: tokens, credentials over plain HTTP, certificates over TLS.
import { randomBytes } from 'node:crypto'
import { createServer as createPlainServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { FakeCa, fingerprint256 } from './fake-ca.mjs'

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
export const id = (prefix) =>
  prefix + [...randomBytes(26)].map((byte) => BASE32[byte % 32]).join('')

const DAY_MS = 86_400_000

/** Over plain HTTP: the bearer of a secret is the node. */
class Credentials {
  #nodes = new Map()

  createServer(onRequest) {
    return createPlainServer(onRequest)
  }

  completeToken(secret) {
    return secret
  }

  enrol(node) {
    const credential = `fsn_${randomBytes(32).toString('base64url')}`
    this.#nodes.set(credential, node)
    return { credential }
  }

  /** { node } or { code } of the 401. */
  find(request) {
    const node = this.#nodes.get(request.headers.authorization?.replace('Bearer ', ''))
    return node ? { node } : { code: 'unknown_credential' }
  }

  /** Nobody is known any more. */
  forget() {
    this.#nodes.clear()
  }

  session() {
    return {}
  }
}

/** Over TLS: the holder of a certificate of ours, and of the key that is its. */
export class Certificates {
  /** What the next certificates of nodes and all answers say. */
  renewAfterMs = 20 * DAY_MS
  nodeLife = { from: -30, until: 30 }
  /** What is believed and told; the first one signs. */
  authorities = []
  /** fingerprint256 → { node, replaces, ended } */
  #issued = new Map()

  static async make() {
    const certificates = new Certificates()
    certificates.authorities = [await FakeCa.make()]
    certificates.server = await certificates.authorities[0].server()
    return certificates
  }

  get caCertificates() {
    return this.authorities.map(({ pem }) => pem).join('')
  }

  createServer(onRequest) {
    const options = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' }
    return createTlsServer({ ...this.server, ca: this.caCertificates, ...options }, onRequest)
  }

  completeToken(secret) {
    return `${secret}.${this.authorities[0].fingerprint}`
  }

  async #issue(csr, node, replaces) {
    const certificate = await this.authorities[0].node(csr, node.nodeId, this.nodeLife)
    if (!certificate) return null
    this.#issued.set(fingerprint256(certificate), { node, replaces, ended: false })
    const { caCertificates, renewAfterMs } = this
    return { certificate, caCertificates, renewAfterMs }
  }

  enrol(node, csr) {
    return this.#issue(csr, node, null)
  }

  renew(node, csr, request) {
    return this.#issue(csr, node, this.fingerprintOf(request))
  }

  fingerprintOf(request) {
    const { raw } = request.socket.getPeerCertificate()
    return raw ? fingerprint256(raw) : null
  }

  find(request) {
    const issued = this.#issued.get(this.fingerprintOf(request))
    if (!issued) return { code: 'unknown_credential' }
    if (request.socket.authorizationError === 'CERT_HAS_EXPIRED')
      return { code: 'identity_expired' }
    if (issued.ended) return { code: 'identity_revoked' }
    if (!request.socket.authorized) return { code: 'unknown_credential' }
    if (issued.replaces) this.#issued.get(issued.replaces).ended = true
    return { node: issued.node }
  }

  forget() {
    for (const issued of this.#issued.values()) issued.ended = true
  }

  session() {
    const { caCertificates, renewAfterMs } = this
    return { caCertificates, renewAfterMs }
  }
}

export const makeIdentities = (tls) => (tls ? Certificates.make() : new Credentials())
