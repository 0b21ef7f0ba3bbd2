// SPDX-License-Identifier: MIT
// A server at work: started with its config, asked until it answers, checked for the right answers.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { fetchOnce, OtherProtocol } from './fetch.mjs'
import { giveAway, hasEnded, processTree, startPinned, stop } from './processes.mjs'

const READY_WITHIN_MS = 10_000
/** Until a server that compresses files itself does so for one. */
const COMPRESSES_WITHIN_MS = 10_000
/** Neither connections nor files that are sent on them. */
export const OTHER_DESCRIPTORS = 500
const LEAST_FILES = 100

/** What is wrong with an answer, or null. */
function mistake(wanted, { status, headers, body }) {
  if (status !== wanted.status) return `status ${status} instead of ${wanted.status}`
  for (const [name, value] of Object.entries(wanted.expect ?? {})) {
    const is = headers[name.toLowerCase()]
    if (is !== value) return `${name}: ${is} instead of ${value}`
  }
  if (status === 304) return null
  if ('content-length' in headers && Number(headers['content-length']) !== body.length)
    return `Content-Length ${headers['content-length']} and ${body.length} bytes`
  const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  return plain.equals(wanted.body) ? null : `${plain.length} bytes that are not the file's`
}

export class Instance {
  /**
   * @param {import('./peers.mjs').Server} server
   * @param {{ label: string, loops: number, cores: number[] }} how
   * @param {{ dir: string, root: string, connections: number, descriptors: number, group?: string, protocol: string, certificate?: import('./certificates.mjs').Certificate, prepared: import('./loads.mjs').Prepared }} where
   */
  constructor(server, how, where) {
    this.server = server
    this.label = how.label
    this.how = how
    this.where = where
    /** Headers that every request of the load has, once the server's ETag is known. */
    this.headers = where.prepared.headers ?? {}
  }

  async start() {
    const { loops, cores } = this.how
    const { root, connections, descriptors, group, protocol, certificate, prepared } = this.where
    const dir = this.#folder()
    this.port = await freePort()
    this.log = join(dir, 'output.log')
    const cachedFiles = Math.max(LEAST_FILES, descriptors - 2 * connections - OTHER_DESCRIPTORS)
    const limits = { connections, descriptors, cachedFiles }
    const setting = { dir, root, port: this.port, loops, protocol, certificate, ...limits }
    const command = this.server.command(setting, prepared)
    this.child = startPinned(command, { cores, descriptors, group, log: this.log, cwd: dir })
    await this.#ready()
  }

  #fetch(path, headers) {
    return fetchOnce(this.port, path, headers, this.where.protocol)
  }

  #folder() {
    const dir = join(this.where.dir, this.label.replace(/\W+/g, '-'))
    rmSync(dir, { recursive: true, force: true })
    for (const path of [dir, join(dir, 'cache')]) {
      mkdirSync(path, { recursive: true })
      giveAway(path)
    }
    return dir
  }

  async #ready() {
    const until = performance.now() + READY_WITHIN_MS
    for (;;) {
      if (this.hasEnded()) throw new Error(`it ended at once: ${this.#lastWords()}`)
      try {
        await this.#fetch(this.where.prepared.path)
        return
      } catch (error) {
        if (error instanceof OtherProtocol) throw error
        if (performance.now() > until) throw new Error(`no answer: ${error.message}`)
      }
      await sleep(20)
    }
  }

  #lastWords() {
    return readFileSync(this.log, 'utf8').trim().split('\n').slice(-3).join(' | ')
  }

  hasEnded() {
    return hasEnded(this.child)
  }

  pids() {
    return processTree(this.child.pid)
  }

  /** Says what is wrong with the first wrong answer, or null. */
  async verify() {
    const until = performance.now() + (this.where.prepared.compresses ? COMPRESSES_WITHIN_MS : 0)
    for (;;) {
      const wrong = await this.#verifyOnce()
      if (!wrong || performance.now() > until) return wrong
      await sleep(100)
    }
  }

  async #verifyOnce() {
    const { prepared } = this.where
    const { answers } = this.server.kind === 'floor' ? prepared.floor : prepared
    for (const answer of answers) {
      const conditional = answer.status === 304 ? await this.#learnEtag(answer.path) : {}
      const got = await this.#fetch(answer.path, { ...answer.headers, ...conditional })
      const wrong = mistake(answer, got)
      if (wrong) return `${answer.path}: ${wrong}`
    }
    return null
  }

  async #learnEtag(path) {
    const { headers } = await this.#fetch(path)
    const conditional = { 'If-None-Match': headers.etag ?? '"none"' }
    if (this.where.prepared.sendsEtag) this.headers = { ...this.headers, ...conditional }
    return conditional
  }

  async stop() {
    if (this.child) await stop(this.child)
  }
}
