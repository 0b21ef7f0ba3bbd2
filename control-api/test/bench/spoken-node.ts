// SPDX-License-Identifier: MIT
// One of the nodes that many-agents.ts speaks for: reports and is answered when there is news, as a real node does, by the
// rules of server-c/agent-protocol/README.md. What was not taken it says again; it can be told to be one that gives trouble.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  ConfirmResponse,
  DesiredResponse,
  Effective,
  ReportResponse,
} from '../../src/agent-protocol/messages.gen.ts'
import { RECORDED, REPORT_EVERY_MS, windowText } from './recorded-report.ts'
import { type Channel, Refused } from './spoken-channel.ts'

export type Spoken = { id: string; name: string; certificate: string; runs: Effective }
/** slow: takes its time with an order; crashing: begins anew; flapping: loses its connection; skewed: its clock is wrong. */
export type Conduct = 'good' | 'slow' | 'nacking' | 'flapping' | 'crashing' | 'skewed'

/** What all of a process have met; `late`: reports that were due when the one after was. */
export type Met = {
  reports: number
  polls: number
  late: number
  failed: number
  lastFailure: string
  /** Told to come again: 429, and 503 but for what the protocol asks by it. */
  turnedAway: number
  clonesDetected: number
}

/** How long an outage lasts at least and at most, from one try to the next (rule N5). */
const AGAIN_FROM_MS = 500
const AGAIN_TO_MS = 5_000
/** As long as a node keeps what was not taken, and as many as a report may have. */
const MOST_KEPT_WINDOWS = 180
const SLOW_MS = 3_000
/** About how long one that flaps or crashes is well. */
const WELL_MS = 20_000
const SKEWED_BY_MS = 5 * 3600_000

type Assignment = NonNullable<DesiredResponse['assignment']>
type About = { generation: number; offerId: string; digest: string }
type Order = About & { next: 'ack' | 'result' | 'confirm'; effective: Effective }
type Kept = { seq: number; startedMs: number; durationMs: number; generation: number }

export class SpokenNode {
  conduct: Conduct = 'good'
  /** When its first hello since forgetBack() was answered, by the machine's clock; null: none was. */
  backAtMs: number | null = null
  /** The newest generation that it acknowledged, and when that was answered. */
  acknowledged = { generation: 0, atMs: 0 }
  /** Given up, for there was no room. */
  lostWindows = 0
  readonly #about: Spoken
  readonly #channel: Channel
  readonly #met: Met
  #boot = hex()
  #incarnation = hex()
  #effective: Effective
  #have: { generation: number; digest: string }
  #order: Order | null = null
  #mustHello = true
  #failures = 0
  #seq = 0
  #kept: Kept[] = []
  /** As the control plane wants it. */
  #everyMs = REPORT_EVERY_MS
  #reportMs = 0
  #uptimeMs = 0

  constructor(about: Spoken, channel: Channel, met: Met) {
    this.#about = about
    this.#effective = about.runs
    this.#have = { generation: about.runs.generation, digest: about.runs.digest }
    this.#channel = channel
    this.#met = met
  }

  get id(): string {
    return this.#about.id
  }

  /** Windows that were made and not taken yet, but for the newest: its answer is held until the next is due. */
  get waitingWindows(): number {
    return Math.max(0, this.#kept.length - 1)
  }

  /** Resolves when it was answered for the first time; speaks on. */
  async begin(): Promise<void> {
    await this.#hello()
    this.speakOn()
  }

  speakOn(): void {
    // Spread over the time between two reports.
    this.#reportMs = performance.now() + Math.random() * REPORT_EVERY_MS
    void this.#speak()
  }

  forgetBack(): void {
    this.backAtMs = null
  }

  /** What one that flaps or crashes does now and then. */
  #giveTrouble(): void {
    if (this.conduct === 'crashing') {
      this.#boot = hex()
      this.#incarnation = hex()
      this.#seq = this.#uptimeMs = 0
      this.#kept = []
      this.#order = null
    }
    this.#mustHello = true
    this.#channel.hangUp()
  }

  async #speak(): Promise<void> {
    let wellUntilMs = Number.POSITIVE_INFINITY
    for (;;) {
      try {
        if (this.conduct !== 'flapping' && this.conduct !== 'crashing')
          wellUntilMs = Number.POSITIVE_INFINITY
        else if (wellUntilMs === Number.POSITIVE_INFINITY) wellUntilMs = wellFor()
        else if (performance.now() > wellUntilMs) {
          wellUntilMs = wellFor()
          this.#giveTrouble()
        }
        if (this.#mustHello) await this.#hello()
        else if (this.#order) await this.#goOn(this.#order)
        else if (this.#leftMs() > 0) await this.#poll(this.#leftMs())
        else await this.#report()
        this.#failures = 0
      } catch (error) {
        await this.#failed(error)
      }
    }
  }

  #leftMs = () => Math.max(0, Math.round(this.#reportMs - performance.now()))

  async #hello(): Promise<void> {
    await this.#say('hello', {
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
    this.#mustHello = false
    this.backAtMs ??= Date.now()
  }

  async #say<T>(message: string, body: object): Promise<T> {
    return await this.#channel.ask<T>(message, JSON.stringify(body))
  }

  /** Whose answer waits, as that to a poll. */
  async #report(): Promise<void> {
    for (; this.#reportMs + this.#everyMs < performance.now(); this.#reportMs += this.#everyMs) {
      this.#met.late++
    }
    this.#reportMs += this.#everyMs
    this.#keepWindow()
    const windows = this.#kept.map(({ seq, generation, ...place }) =>
      windowText(seq, generation, place),
    )
    const head = `"bootId":"${this.#boot}","incarnation":"${this.#incarnation}","uptimeMs":${this.#uptimeMs},"effective":${JSON.stringify(this.#effective)},"lostWindows":${this.lostWindows}`
    const wish = { have: this.#have, waitMs: this.#leftMs(), challenges: [] }
    const said = `"drift":null,"desired":${JSON.stringify(wish)},"windows":[${windows.join(',')}]`
    const rest = this.conduct === 'skewed' ? SKEWED_REST : REST
    const answer = await this.#channel.ask<ReportResponse>('report', `{${head},${said},${rest}`)
    const { acknowledgedSeq, desired, reportEveryMs = REPORT_EVERY_MS } = answer
    this.#kept = this.#kept.filter(({ seq }) => seq > acknowledgedSeq)
    this.#everyMs = reportEveryMs
    this.#met.reports++
    if (desired?.assignment) this.#take(desired.assignment)
  }

  #keepWindow(): void {
    const place = { startedMs: this.#uptimeMs, durationMs: this.#everyMs }
    this.#uptimeMs += this.#everyMs
    this.#kept.push({ seq: ++this.#seq, ...place, generation: this.#effective.generation })
    if (this.#kept.length <= MOST_KEPT_WINDOWS) return
    this.#kept.shift()
    this.lostWindows++
  }

  async #poll(waitMs: number): Promise<void> {
    const { assignment } = await this.#say<DesiredResponse>('desired', {
      ...{ bootId: this.#boot, incarnation: this.#incarnation, have: this.#have },
      ...{ waitMs, challenges: [] },
    })
    this.#met.polls++
    if (assignment) this.#take(assignment)
  }

  #take({ generation, offerId, release }: Assignment): void {
    const digest = release.configDigest
    this.#have = { generation, digest }
    const effective = { generation, digest, bootId: this.#boot, reloads: 0 }
    this.#order = { generation, offerId, digest, next: 'ack', effective }
  }

  /** A step at a time: one that failed is said again. */
  async #goOn(order: Order): Promise<void> {
    const { generation, offerId, digest, effective } = order
    const about: About = { generation, offerId, digest }
    if (this.conduct === 'slow') await sleep(Math.random() * SLOW_MS)
    if (order.next === 'confirm') {
      const answer = await this.#say<ConfirmResponse>('confirm', { ...about, effective })
      if (answer.confirmed) this.#order = null
      else await sleep(answer.retryAfterMs)
    } else if (order.next === 'result') {
      const applied = { outcome: 'applied', reason: null, message: '', evidence: [] }
      await this.#say('result', { ...about, ...applied, effective })
      this.#effective = effective
      order.next = 'confirm'
    } else if (this.conduct === 'nacking') {
      const why = { code: 'missing_file', message: 'the root is not there', errors: [] }
      await this.#say('nack', { ...about, ...why })
      this.#order = null
    } else {
      await this.#say('ack', { ...about, warnings: [] })
      this.acknowledged = { generation, atMs: Date.now() }
      order.next = 'result'
    }
  }

  /** By the protocol's codes; everything else is an outage. */
  async #failed(error: unknown): Promise<void> {
    this.#met.failed++
    this.#met.lastFailure = String(error)
    const { status, code } = error instanceof Refused ? error : { status: 0, code: '' }
    if (status === 429 || (status === 503 && code !== 'say_again')) this.#met.turnedAway++
    if (code === 'clone_detected') this.#met.clonesDetected++
    if (code === 'superseded') this.#order = null
    else this.#mustHello = true
    if (code === 'superseded' || (code === 'say_hello' && this.#failures === 0)) return
    const mostMs = Math.min(AGAIN_TO_MS, AGAIN_FROM_MS * 2 ** this.#failures++)
    await sleep(mostMs * (0.5 + Math.random() / 2))
  }
}

const hex = () => randomBytes(16).toString('hex')
const wellFor = () => performance.now() + WELL_MS * (0.5 + Math.random())

const restOf = (host: typeof RECORDED.host) =>
  JSON.stringify({ gauges: RECORDED.gauges, host }).slice(1)
const REST = restOf(RECORDED.host)
const SKEWED_REST = restOf(
  RECORDED.host && { ...RECORDED.host, unixTimeMs: Date.now() - SKEWED_BY_MS },
)
