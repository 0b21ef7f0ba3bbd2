// SPDX-License-Identifier: MIT
// The releases of a fake control plane: contents by their digests, manifests of them, and answers that break off, lie
// or wait on demand.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** More at once would be copied for a connection. */
const PIECE_BYTES = 16 << 20

/** In pieces: no more than 2 GiB are taken at once. */
export function sha256(what) {
  const bytes = Buffer.from(what.buffer ?? what, what.byteOffset, what.byteLength)
  const sum = createHash('sha256')
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    sum.update(bytes.subarray(at, at + PIECE_BYTES))
  }
  return sum.digest('hex')
}

/** The order of a walk: by bytes, "/" before all others. */
const walkOrder = (a, b) =>
  Buffer.compare(...[a, b].map((p) => Buffer.from(p.replaceAll('/', '\u0001'))))

async function inPieces(bytes, response) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES)
    await new Promise((resolve) => response.write(piece, () => resolve()))
  }
}

export class FakeReleases {
  /** What there is to give: digest to bytes; manifests are among them. */
  contents = new Map()
  /** Each request for something of a release: { what, digests, from }, of a delta also { base } */
  asked = []
  /** (asked) => undefined, or { cutAfterBytes }, { waitMs }, { status }, { delta } */
  fault = () => undefined
  #numbers = new Map()

  /**
   * Makes a version. `files`: path to its text, or to { link }.
   * @param {string} name @param {Record<string, string | Buffer | { link: string }>} files
   */
  keep(name, files) {
    const lines = Object.keys(files)
      .sort(walkOrder)
      .map((path) => this.#line(path, files[path]))
    return this.keepManifest(name, lines.map((line) => `${line}\n`).join(''))
  }

  /** Of any text, be it a manifest or not. */
  keepManifest(name, text) {
    const number = (this.#numbers.get(name) ?? 0) + 1
    this.#numbers.set(name, number)
    return { name, number, manifestSha256: this.#put(Buffer.from(text)) }
  }

  #put(bytes) {
    const digest = sha256(bytes)
    this.contents.set(digest, bytes)
    return digest
  }

  #line(path, what) {
    const name = JSON.stringify(path)
    if (typeof what.link === 'string') {
      return `{"path":${name},"target":${JSON.stringify(what.link)},"type":"link"}`
    }
    const bytes = Buffer.isBuffer(what) ? what : Buffer.from(what)
    return `{"mode":"600","path":${name},"sha256":"${this.#put(bytes)}","size":${bytes.length},"type":"file"}`
  }

  /** What makes the one manifest of the other; undefined: there is none. */
  #deltaOf(base, digest) {
    if (!this.contents.has(base) || !this.contents.has(digest)) return undefined
    const [before, now] = [base, digest].map((one) =>
      this.contents.get(one).toString().split('\n').slice(0, -1),
    )
    const stays = new Set(now)
    const parts = []
    let [at, of] = [0, 0]
    while (at < now.length || of < before.length) {
      const old = before[of]
      if (old !== undefined && !stays.has(old)) {
        parts.push('-1')
        of++
      } else if (old === now[at]) {
        parts.push('=1')
        of++
        at++
      } else {
        parts.push(now[at++])
      }
    }
    return Buffer.from(parts.map((line) => `${line}\n`).join(''))
  }

  /** Contents that were asked for, manifests not counted. */
  get travelled() {
    return this.asked.flatMap(({ what, digests }) => (what === 'contents' ? digests : []))
  }

  /** @param {string[]} words behind "releases/" @param {{ sha256: string[] } | null} body of a POST */
  async answer([kind, digest, , base], body, range, response) {
    const digests = body ? body.sha256 : [digest]
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    const what = base ? 'deltas' : kind
    const asked = { what, digests, from, ...(base && { base }) }
    this.asked.push(asked)
    const fault = this.fault(asked) ?? {}
    if (fault.waitMs) await sleep(fault.waitMs)
    const all = base
      ? [fault.delta ?? this.#deltaOf(base, digest)]
      : digests.map((one) => this.contents.get(one))
    if (fault.status || all.includes(undefined)) {
      const status = fault.status ?? 404
      response.writeHead(status, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ status, code: 'no_such_release', title: 'There is none.' }))
      return status
    }
    const bytes = (all.length === 1 ? all[0] : Buffer.concat(all)).subarray(from)
    const type = { 'content-type': 'application/octet-stream', 'content-length': bytes.length }
    response.writeHead(from > 0 ? 206 : 200, type)
    const isCut = fault.cutAfterBytes !== undefined && fault.cutAfterBytes < bytes.length
    await inPieces(isCut ? bytes.subarray(0, fault.cutAfterBytes) : bytes, response)
    if (!isCut) {
      response.end()
      return 200
    }
    // What was written is to arrive before the connection ends.
    await sleep(20)
    response.destroy()
    return 200
  }
}
