// SPDX-License-Identifier: MIT
// What a fake control plane says of neighbours: the rules, passes, whom to ask; and a node that gives, in small, and
// misbehaves on demand.
import { createHash, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

const HOUR_S = 3600

/** Of a certificate in PEM or DER, as passes and questions have it. */
export function keySha256(certificate) {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(spki).digest('hex')
}

export class FakeNeighbours {
  /** Of what is given; null: off. */
  bounds = { maxBytesPerSecond: 0, atOnce: 4 }
  /** The questions in order: the body, and the key of who asks. */
  asked = []
  /** (asked) => { waitMs, neighbours: [{ address, keySha256 }] }; a pass is added. */
  answer = () => ({ waitMs: 0, neighbours: [] })
  #keys = generateKeyPairSync('ed25519')

  get rules() {
    if (!this.bounds) return null
    const passKey = this.#keys.publicKey.export({ format: 'jwk' }).x
    return { passKeys: [Buffer.from(passKey, 'base64url').toString('hex')], ...this.bounds }
  }

  /** Signed by nobody else, unless `by` says so. */
  pass(manifest, key, { seconds = HOUR_S, by = this.#keys.privateKey } = {}) {
    const text = `1.${manifest}.${key}.${Math.floor(Date.now() / 1000) + seconds}`
    return `${text}.${sign(null, Buffer.from(`farmstead neighbour pass ${text}`), by).toString('hex')}`
  }

  /** Answers a question; undefined: there is none. */
  say(body, certificate) {
    const asked = { ...body, key: keySha256(certificate) }
    this.asked.push(asked)
    if (body.state === 'held') return { waitMs: 0, neighbours: [] }
    const answer = this.answer(asked)
    if (!answer.neighbours.length) return answer
    return { pass: this.pass(body.manifestSha256, asked.key), ...answer }
  }
}

/**
 * A node that gives contents of a fake control plane's releases. `fault` gets the paths that are asked for:
 * undefined, or { status }, { bytes }, { cutAfterBytes }, { waitMs }, { perSecond }.
 */
export class FakeGiver {
  asked = []
  fault = () => undefined
  #server

  constructor(releases, { key, cert }, ca) {
    this.releases = releases
    this.keySha256 = keySha256(cert)
    const options = { key, cert, ca, requestCert: true, rejectUnauthorized: false }
    this.#server = createServer({ ...options, minVersion: 'TLSv1.3' }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  async start() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.address = `127.0.0.1:${this.#server.address().port}`
    return this
  }

  async stop() {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** As an answer names it. */
  get name() {
    return { address: this.address, keySha256: this.keySha256 }
  }

  #contentOf(manifest, path) {
    const lines = this.releases.contents.get(manifest).toString().split('\n').slice(0, -1)
    const line = lines.map((one) => JSON.parse(one)).find((one) => one.path === path)
    return this.releases.contents.get(line.sha256)
  }

  async #serve(request, response) {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const paths = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    this.asked.push({ paths, from, pass: request.headers['farmstead-pass'] })
    const fault = this.fault(paths, from) ?? {}
    if (fault.waitMs) await sleep(fault.waitMs, undefined, { ref: false })
    if (fault.status) {
      response.writeHead(fault.status)
      response.end('no\n')
      return
    }
    const manifest = request.url.split('/').at(-1)
    const all = Buffer.concat(paths.map((path) => this.#contentOf(manifest, path)))
    const bytes = (fault.bytes?.(all) ?? all).subarray(from)
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length })
    if (fault.perSecond) {
      for (let at = 0; at < bytes.length && !response.destroyed; at += fault.perSecond / 4) {
        response.write(bytes.subarray(at, at + fault.perSecond / 4))
        await sleep(250, undefined, { ref: false })
      }
    } else if (fault.cutAfterBytes !== undefined) {
      // What was written is to arrive before the connection ends.
      await new Promise((resolve) =>
        response.write(bytes.subarray(0, fault.cutAfterBytes), resolve),
      )
      await sleep(500)
      response.destroy()
      return
    } else {
      response.write(bytes)
    }
    response.end()
  }
}
