// SPDX-License-Identifier: MIT
// A process that speaks for thousands of nodes, for `npm run bench -- farm`: each with a connection of its own over mutual
// TLS, on which it reports and is answered when there is news, as a real node does. HTTP is read and written by hand: what the nodes cost
// takes time from who is measured. Told what to do by its parent.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import type {
  ConfirmResponse,
  DesiredResponse,
  Effective,
  ReportResponse,
} from '../../src/agent-protocol/messages.gen.ts'
import { RECORDED, REPORT_EVERY_MS, windowText } from './recorded-report.ts'

export type Spoken = { id: string; name: string; certificate: string; runs: Effective }
export type ToAgents =
  | {
      kind: 'connect'
      port: number
      key: string
      ca: string
      nodes: Spoken[]
    }
  | { kind: 'count' }
/** Answers so far; `late`: reports that were due when the one after was. */
export type Counted = {
  kind: 'counted'
  reports: number
  polls: number
  late: number
  failed: number
  lastFailure: string
}
export type FromAgents = { kind: 'connected' } | Counted

const REST = JSON.stringify({ gauges: RECORDED.gauges, host: RECORDED.host }).slice(1)
const AGAIN_MS = 1_000
/** Handshakes under way at once. */
const AT_ONCE = 16
const HEAD_END = Buffer.from('\r\n\r\n')

const counted: Counted = {
  kind: 'counted',
  reports: 0,
  polls: 0,
  late: 0,
  failed: 0,
  lastFailure: '',
}

/** One connection, opened when something is asked; one question at a time. */
class Channel {
  readonly #open: () => TLSSocket
  #socket: TLSSocket | null = null
  #answer: { resolve(text: string): void; reject(error: Error): void } | null = null
  #read = Buffer.alloc(0)

  constructor(open: () => TLSSocket) {
    this.#open = open
  }

  async ask<T>(message: string, body: string): Promise<T> {
    return JSON.parse(await this.#ask(message, body)) as T
  }

  #ask(message: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject }
      this.#socket ??= this.#connect()
      this.#socket.write(
        `POST /agent/v1/${message} HTTP/1.1\r\nhost: farm\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  }

  #connect(): TLSSocket {
    const socket = this.#open()
    const over = (error?: Error) => {
      if (this.#socket !== socket) return
      this.#socket = null
      this.#read = Buffer.alloc(0)
      this.#settle()?.reject(error ?? new Error('the connection was closed'))
    }
    socket.on('error', over).on('close', () => over())
    socket.on('data', (bytes) => {
      this.#read = this.#read.length === 0 ? bytes : Buffer.concat([this.#read, bytes])
      this.#take()
    })
    return socket
  }

  #take(): void {
    const end = this.#read.indexOf(HEAD_END)
    if (end < 0) return
    const head = this.#read.toString('latin1', 0, end)
    const from = end + HEAD_END.length
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#read.length < from + length) return
    const text = this.#read.toString('utf8', from, from + length)
    this.#read = Buffer.alloc(0)
    const answer = this.#settle()
    if (head.startsWith('HTTP/1.1 200')) answer?.resolve(text)
    else answer?.reject(new Error(`${head.split('\r\n')[0]}: ${text}`))
  }

  #settle() {
    const answer = this.#answer
    this.#answer = null
    return answer
  }
}

class ManyNode {
  readonly #about: Spoken
  readonly #boot = randomBytes(16).toString('hex')
  readonly #incarnation = randomBytes(16).toString('hex')
  readonly #channel: Channel
  #effective: Effective
  #have: { generation: number; digest: string }
  #seq = 0
  /** As the control plane wants it. */
  #everyMs = REPORT_EVERY_MS
  #uptimeMs = 0

  constructor(about: Spoken, open: () => TLSSocket) {
    this.#about = about
    this.#effective = about.runs
    this.#have = { generation: about.runs.generation, digest: about.runs.digest }
    this.#channel = new Channel(open)
  }

  async begin(): Promise<void> {
    await this.#hello()
    void this.#speak()
  }

  #hello(): Promise<unknown> {
    return this.#say('hello', {
      protocol: { min: 1, max: 1 },
      nodeId: this.#about.id,
      bootId: this.#boot,
      incarnation: this.#incarnation,
      version: '0.1.0',
      os: 'Debian GNU/Linux 12',
      arch: 'x86_64',
      hostname: this.#about.name,
      capabilities: ['confirm'],
      schemaDigest: `sha256:${'0'.repeat(64)}`,
      effective: this.#effective,
      lastKnownGood: null,
      fences: { maxEpoch: 0, maxGeneration: this.#have.generation },
      lastResult: null,
    })
  }

  #say<T>(message: string, body: object): Promise<T> {
    return this.#channel.ask<T>(message, JSON.stringify(body))
  }

  async #speak(): Promise<void> {
    // Spread over the time between two reports.
    let reportMs = performance.now() + Math.random() * REPORT_EVERY_MS
    const leftMs = () => Math.max(0, Math.round(reportMs - performance.now()))
    for (;;) {
      try {
        if (leftMs() > 0) {
          await this.#poll(leftMs())
          continue
        }
        for (; reportMs + this.#everyMs < performance.now(); reportMs += this.#everyMs) {
          counted.late++
        }
        reportMs += this.#everyMs
        await this.#report(leftMs())
      } catch (error) {
        noteFailure(error)
        await sleep(AGAIN_MS)
      }
    }
  }

  /** Whose answer waits, as that to a poll. */
  async #report(waitMs: number): Promise<void> {
    const seq = ++this.#seq
    const durationMs = this.#everyMs
    const place = { startedMs: this.#uptimeMs, durationMs }
    this.#uptimeMs += durationMs
    const window = windowText(seq, this.#effective.generation, place)
    const head = `"bootId":"${this.#boot}","incarnation":"${this.#incarnation}","uptimeMs":${this.#uptimeMs},"effective":${JSON.stringify(this.#effective)},"lostWindows":0`
    const wish = JSON.stringify({ have: this.#have, waitMs, challenges: [] })
    const body = `{${head},"drift":null,"desired":${wish},"windows":[${window}],${REST}`
    const answer = await this.#channel.ask<ReportResponse>('report', body)
    const { desired, reportEveryMs = REPORT_EVERY_MS } = answer
    this.#everyMs = reportEveryMs
    counted.reports++
    if (desired?.assignment) await this.#obey(desired.assignment)
  }

  async #poll(waitMs: number): Promise<void> {
    const { assignment } = await this.#say<DesiredResponse>('desired', {
      ...{ bootId: this.#boot, incarnation: this.#incarnation, have: this.#have },
      ...{ waitMs, challenges: [] },
    })
    counted.polls++
    if (assignment) await this.#obey(assignment)
  }

  async #obey(assignment: NonNullable<DesiredResponse['assignment']>): Promise<void> {
    const { generation, offerId, release } = assignment
    const digest = release.configDigest
    const about = { generation, offerId, digest }
    this.#have = { generation, digest }
    await this.#say('ack', { ...about, warnings: [] })
    const effective = { generation, digest, bootId: this.#boot, reloads: 0 }
    const applied = { outcome: 'applied', reason: null, message: '', evidence: [] }
    await this.#say('result', { ...about, ...applied, effective })
    this.#effective = effective
    for (;;) {
      const answer = await this.#say<ConfirmResponse>('confirm', { ...about, effective })
      if (answer.confirmed) return
      await sleep(answer.retryAfterMs)
    }
  }
}

function noteFailure(error: unknown): void {
  counted.failed++
  counted.lastFailure = String(error)
}

async function connectAll({ port, key, ca, nodes }: Extract<ToAgents, { kind: 'connect' }>) {
  const open = (context: () => SecureContext) => () => {
    const socket = connect({
      ...{ host: '127.0.0.1', port, secureContext: context() },
      // Whose it is the farm's CA says, not a name.
      checkServerIdentity: () => undefined,
    })
    return socket.setNoDelay(true)
  }
  const all = nodes.map((about) => {
    const context = () =>
      createSecureContext({ key, ca, cert: about.certificate, minVersion: 'TLSv1.3' })
    return new ManyNode(about, open(context))
  })
  const left = all.values()
  const lane = async () => {
    for (const node of left) await node.begin()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

const tell = (message: FromAgents) => process.send?.(message)

process.on('message', (message: ToAgents) => {
  if (message.kind === 'count') tell(counted)
  else
    connectAll(message).then(
      () => tell({ kind: 'connected' }),
      (error) => {
        throw error
      },
    )
})
process.on('disconnect', () => process.exit(0))
