// SPDX-License-Identifier: MIT
// Who visits a node by TLS: one keeps its connection, one downloads all the while, and some come anew each time and
// believe nothing but the root, as browsers do.
import { createHash, type Hash } from 'node:crypto'
import { Agent, get } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { HOST } from '../real-farm/host.ts'
import { Child, cleanEnv } from '../real-farm/processes.ts'

const NEWCOMERS_PER_SECOND = 8
const ASK_EVERY_MS = 200
/** So slow that a download of `DOWNLOAD_BYTES` is under way in all of a rollout. */
const SIP_BYTES = 32 * 1024
const SIP_EVERY_MS = 50
export const DOWNLOAD_BYTES = 48 * 1024 * 1024

export type TlsPlace = { name: string; host: string; port: number; rootFile: string; ca: string }
const wayTo = ({ host, port, ca }: TlsPlace) => ({ host: HOST, port, servername: host, ca })

/** The fingerprint of what it shows to who comes now, whether that can be believed or not; null: no handshake. */
export function shownBy(place: TlsPlace): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const socket: TLSSocket = connect({ ...wayTo(place), rejectUnauthorized: false }, () => {
    const shown = socket.getPeerX509Certificate()?.fingerprint256
    resolve(shown?.replaceAll(':', '').toLowerCase() ?? null)
    socket.end()
  })
  socket.setTimeout(2000, () => socket.destroy())
  socket.on('error', () => resolve(null))
  socket.on('close', () => resolve(null))
  return promise
}

/** What newcomers got since they were asked last: answers, and handshakes they ended for the certificate. */
export type Newcomers = { answers: number; refusals: number; others: string[] }

/** curl, as it ends a handshake that it does not believe by an alert; Node.js only hangs up after it. */
export class Visits {
  readonly #place: TlsPlace
  readonly #curl: Child
  #begun = ''
  #seen: Newcomers = { answers: 0, refusals: 0, others: [] }

  constructor(place: TlsPlace, logFile: string) {
    this.#place = place
    const { host, port, rootFile } = place
    const words = ['--no-progress-meter', '--http1.1', '--no-sessionid', '--cacert', rootFile]
    const way = ['--resolve', `${host}:${port}:${HOST}`, '--header', 'Connection: close']
    const rate = ['--rate', `${NEWCOMERS_PER_SECOND}/s`, '--output', '/dev/null']
    // stdout would be kept back until there is a block of it.
    const told = ['--write-out', '%{stderr}came %{exitcode} %{http_code}\n', '--max-time', '2']
    const command = ['curl', ...words, ...way, ...rate, ...told]
    this.#curl = new Child({
      command: [...command, `https://${host}:${port}/?[1-1000000]`],
      env: cleanEnv(),
      logFile,
      onOutput: (text) => this.#read(text),
    })
  }

  /** Since this was called last. */
  take(): Newcomers {
    const seen = this.#seen
    this.#seen = { answers: 0, refusals: 0, others: [] }
    return seen
  }

  get lives(): boolean {
    return this.#curl.lives
  }

  async end(): Promise<void> {
    await this.#curl.end('SIGTERM')
  }

  /** A line may come in two pieces. */
  #read(text: string): void {
    const lines = (this.#begun + text).split('\n')
    this.#begun = lines.pop() ?? ''
    for (const line of lines) {
      const [, exit, status] = /came (\d+) (\d+)$/.exec(line) ?? []
      if (exit === undefined) continue
      if (exit === '60') this.#seen.refusals++
      else if (exit === '0' && status === '200') this.#seen.answers++
      else this.#seen.others.push(`${this.#place.name}: curl ${exit}, HTTP ${status}`)
    }
  }
}

/** Asks over one connection, again and again. Resolves, when it was told to stop, to what broke it; null: nothing did. */
export function keepConnection(place: TlsPlace): () => Promise<string | null> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let isOver = false
  const work = async (): Promise<string | null> => {
    let first: unknown = null
    while (!isOver) {
      const { promise, resolve } = Promise.withResolvers<string | null>()
      const asked = get({ ...wayTo(place), agent, path: '/', headers: { host: place.host } })
      asked.on('socket', (socket) => {
        first ??= socket
        if (socket !== first) resolve('its connection had been closed')
      })
      asked.on('response', (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode === 200 ? null : 'no 200'))
        response.on('error', ({ message }) => resolve(message))
      })
      asked.on('error', ({ message }) => resolve(message))
      const trouble = await promise
      if (trouble !== null) return trouble
      await sleep(ASK_EVERY_MS)
    }
    return null
  }
  const done = work().finally(() => agent.destroy())
  return () => {
    isOver = true
    return done
  }
}

/** Sips at a large file; told to finish, it drinks up. Resolves to what was wrong with it; null: every byte came. */
export function downloadSlowly(
  place: TlsPlace,
  { path, sha256 }: { path: string; sha256: string },
): () => Promise<string | null> {
  const hash: Hash = createHash('sha256')
  const { promise, resolve } = Promise.withResolvers<string | null>()
  let isThirsty = false
  let wasEarly = false
  const asked = get({ ...wayTo(place), path, agent: false, headers: { host: place.host } })
  asked.on('error', ({ message }) => resolve(message))
  asked.on('response', async (response) => {
    let bytes = 0
    response.on('error', ({ message }) => resolve(message))
    response.on('end', () => {
      wasEarly = !isThirsty
      const isWhole = bytes === DOWNLOAD_BYTES && hash.digest('hex') === sha256
      resolve(isWhole ? null : `${bytes} bytes came, of ${DOWNLOAD_BYTES}, or others`)
    })
    while (!isThirsty && response.readable) {
      const sip: Buffer | null = response.read(SIP_BYTES) ?? response.read()
      if (sip) {
        bytes += sip.length
        hash.update(sip)
      }
      await sleep(SIP_EVERY_MS)
    }
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      hash.update(chunk)
    })
  })
  return async () => {
    isThirsty = true
    const trouble = await promise
    return trouble ?? (wasEarly ? 'it was over before it was told to: nothing was tried' : null)
  }
}
