// SPDX-License-Identifier: MIT
// A node in this process: speaks the agent protocol over the real agent listener, by the rules of
// server-c/agent-protocol/README.md, and can be told to misbehave in the ways real ones do.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  AckRequest,
  AheadStates,
  ConfirmResponse,
  DesiredResponse,
  Effective,
  EnrolResponse,
  Host,
  NackRequest,
  Policy,
  ReportRequest,
  RequestSample,
  RequestSearch,
  SamplesRequest,
  SamplesResponse,
  Window,
} from '../src/agent-protocol/messages.gen.ts'
import { digestOf } from '../src/features/configs/text/digest.ts'
import { parseConfigText } from '../src/features/configs/text/text.ts'

type Assignment = NonNullable<DesiredResponse['assignment']>
/** What it does with an offer. */
export type Conduct =
  | { kind: 'good' }
  /** `at`: the words of the text, as it was given, that the refusal is about. */
  | { kind: 'nack'; code: NackRequest['code']; message: string; at?: string }
  /** `of`: only with this text. */
  | { kind: 'revert'; of?: string }
  /** Acknowledges, then says nothing more about it. */
  | { kind: 'hang' }
  /** Applies, and does not ask whether it may keep it. */
  | { kind: 'unconfirmed' }

/** Says one message and returns the answer; throws when that is an error. */
export type Speak = <T>(message: string, body: object, signal?: AbortSignal) => Promise<T>

const hex = () => randomBytes(16).toString('hex')

export class SimulatedNode {
  readonly id: string
  readonly name: string
  conduct: Conduct = { kind: 'good' }
  capabilities = ['confirm']
  /** What the owner of its machine allows; null: it is too old to say. */
  policy: Policy | null = null
  /** What it was to fetch from itself, in order. */
  readonly probes: NonNullable<DesiredResponse['probes']>[] = []
  /** For how long it was told to send single requests, each time that it was. */
  readonly watched: number[] = []
  /** What it was told to search for, the last time that anything was said of it. */
  searches: readonly RequestSearch[] = []
  /** Texts it ran, in order. */
  readonly ran: string[] = []
  effective: Effective | null = null
  /** Of its machine; null: it does not tell. */
  host: Host | null = null
  /** What it answers of ACME challenges, by token. */
  challenges = new Map<string, string>()
  /** What it says of versions that it is to hold ahead of their turn; null: it is too old for that. */
  ahead: AheadStates | null = null
  /** What becomes of those that it is told newly. */
  fetches: Omit<AheadStates[number], 'manifestSha256'> = { state: 'held' }
  /** The newest it was given. */
  newest: Assignment | null = null
  readonly say: Speak
  /** How long its question for what to run may wait for an answer. */
  readonly #waitMs: number
  readonly #bootId = hex()
  readonly #incarnation = hex()
  #have: { generation: number; digest: string } | null = null
  #seq = 0
  #uptimeMs = 0
  #online: AbortController | null = null
  #loop: Promise<void> = Promise.resolve()

  constructor({ id, name }: { id: string; name: string }, say: Speak, waitMs = 5_000) {
    this.id = id
    this.name = name
    this.say = say
    this.#waitMs = waitMs
  }

  static async join(url: string, token: string, name: string): Promise<SimulatedNode> {
    const facts = { hostname: name, version: '0.1.0', os: 'Debian GNU/Linux 12', arch: 'x86_64' }
    const response = await fetch(`${url}/agent/v1/enrol`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, name, protocol: { min: 1, max: 1 }, ...facts }),
    })
    if (!response.ok) throw new Error(await response.text())
    const { nodeId: id, name: given, credential } = (await response.json()) as EnrolResponse
    if (credential === undefined) throw new Error('enrolled without a credential')
    return new SimulatedNode({ id, name: given }, speakTo(url, credential))
  }

  /** Says hello and obeys from then on. */
  async connect(): Promise<void> {
    this.#online = new AbortController()
    await this.hello()
    this.#loop = this.#obey(this.#online.signal)
  }

  /** Falls silent; what it runs stays. */
  async disconnect(): Promise<void> {
    this.#online?.abort()
    await this.#loop
  }

  async hello(): Promise<void> {
    await this.say('hello', {
      protocol: { min: 1, max: 1 },
      nodeId: this.id,
      bootId: this.#bootId,
      incarnation: this.#incarnation,
      version: '0.1.0',
      os: 'Debian GNU/Linux 12',
      arch: 'x86_64',
      hostname: this.name,
      capabilities: this.capabilities,
      schemaDigest: `sha256:${'0'.repeat(64)}`,
      effective: this.effective,
      lastKnownGood: null,
      fences: { maxEpoch: 0, maxGeneration: this.#have?.generation ?? 0 },
      lastResult: null,
      ...(this.policy && { policy: this.policy }),
    })
  }

  /** One window that ended now, after those that were not taken; the answer is the sequence number taken. */
  async report(
    series: Window['series'],
    durationMs = 5_000,
    notTaken: readonly Window[] = [],
  ): Promise<number> {
    const window = { seq: ++this.#seq, startedMs: this.#uptimeMs, durationMs, series }
    this.#uptimeMs += durationMs
    return this.send([...notTaken, window])
  }

  async send(windows: Window[], fetching?: ReportRequest['fetching']): Promise<number> {
    const report: ReportRequest = {
      bootId: this.#bootId,
      incarnation: this.#incarnation,
      uptimeMs: this.#uptimeMs,
      effective: this.effective,
      lostWindows: 0,
      windows,
      gauges: { openConnections: 1 },
      ...(this.host && { host: this.host }),
      ...(fetching && { fetching }),
    }
    const { acknowledgedSeq } = await this.say<{ acknowledgedSeq: number }>('report', report)
    return acknowledgedSeq
  }

  /** Single requests, some of those that were `seen`; the answer is for how long it is to go on. */
  async sendSamples(
    samples: RequestSample[],
    {
      seen = samples.length,
      uptimeUs = this.#uptimeMs * 1000,
      searches = [] as NonNullable<SamplesRequest['searches']>,
    } = {},
  ): Promise<number> {
    const from = { bootId: this.#bootId, incarnation: this.#incarnation }
    const answer = await this.say<SamplesResponse>('samples', {
      ...from,
      ...{ uptimeUs, seen, samples },
      ...(searches.length > 0 && { searches }),
    })
    this.searches = answer.searches ?? []
    return answer.forMs
  }

  async #obey(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const request = {
          bootId: this.#bootId,
          incarnation: this.#incarnation,
          have: this.#have,
          waitMs: this.#waitMs,
          challenges: [...this.challenges.keys()],
          ...(this.ahead && { ahead: this.ahead }),
        }
        const answer = await this.say<DesiredResponse>('desired', request, signal)
        const { assignment, probes, samples, challenges, ahead } = answer
        if (ahead && this.ahead) this.ahead = this.#told(ahead)
        if (challenges) {
          this.challenges = new Map(
            challenges.map(({ token, keyAuthorization }) => [token, keyAuthorization]),
          )
        }
        if (probes) this.probes.push(probes)
        if (samples) this.watched.push(samples.forMs)
        if (samples) this.searches = samples.searches ?? []
        if (assignment) await this.#take(assignment)
      } catch {
        // Cut off, or superseded: ask again, as a real one does.
        if (!signal.aborted) await sleep(20)
      }
    }
  }

  #told(versions: NonNullable<DesiredResponse['ahead']>): AheadStates {
    return versions.map(({ manifestSha256 }) => {
      const known = this.ahead?.find((one) => one.manifestSha256 === manifestSha256)
      return known ?? { manifestSha256, ...this.fetches }
    })
  }

  /** It has come to that with all that it is to hold ahead, and says so at once. */
  async holds(now: Omit<AheadStates[number], 'manifestSha256'>): Promise<void> {
    this.ahead = (this.ahead ?? []).map(({ manifestSha256 }) => ({ manifestSha256, ...now }))
    const who = { bootId: this.#bootId, incarnation: this.#incarnation }
    await this.say('desired', { ...who, have: this.#have, waitMs: 0, ahead: this.ahead })
  }

  async #take(assignment: Assignment): Promise<void> {
    this.newest = assignment
    const { generation, offerId, release } = assignment
    const parsed = parseConfigText(release.configText)
    const digest = parsed.ok ? digestOf(parsed.value) : ''
    if (digest !== release.configDigest) throw new Error('the digest is not of this text')
    const about = { generation, offerId, digest }
    this.#have = { generation, digest }
    const { conduct } = this
    if (conduct.kind === 'nack') {
      const { code, message, at } = conduct
      const errors = at === undefined ? [] : [errorAt(release.configText, at, message)]
      const refusal: NackRequest = { ...about, code, message, errors }
      await this.say('nack', refusal)
      return
    }
    const ack: AckRequest = { ...about, warnings: [] }
    await this.say('ack', ack)
    if (conduct.kind === 'hang') return
    const before = this.effective
    // Over plain HTTP it is given no keys: it says what it would serve.
    const { certificates, releases } = release
    const running = {
      ...{ generation, digest, bootId: this.#bootId, reloads: this.ran.length },
      ...(certificates && { certificates }),
      ...(releases && { releases }),
    }
    const nothing = { reason: null, message: '', evidence: [] }
    await this.say('result', { ...about, outcome: 'applied', effective: running, ...nothing })
    this.effective = running
    this.ran.push(release.configText)
    const isBad =
      conduct.kind === 'revert' && (conduct.of ?? release.configText) === release.configText
    if (isBad) {
      this.effective = before
      const why = {
        reason: 'crash_loop',
        message: 'crashed twice within 60 s',
        evidence: ['segfault'],
      }
      await this.say('result', { ...about, outcome: 'reverted', effective: before, ...why })
      return
    }
    if (conduct.kind === 'unconfirmed') return
    for (;;) {
      const answer = await this.say<ConfirmResponse>('confirm', {
        ...about,
        effective: this.effective,
      })
      if (answer.confirmed) return
      await sleep(answer.retryAfterMs)
    }
  }
}

function speakTo(url: string, credential: string): Speak {
  return async <T>(message: string, body: object, signal?: AbortSignal) => {
    const response = await fetch(`${url}/agent/v1/${message}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    if (!response.ok) throw new Error(`${message}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
}

function errorAt(text: string, words: string, message: string): NackRequest['errors'][number] {
  const before = text.slice(0, text.indexOf(words)).split('\n')
  const line = before.length
  const column = (before.at(-1)?.length ?? 0) + 1
  const endColumn = column + words.length
  return { pointer: '', line, column, endLine: line, endColumn, code: 'missing_file', message }
}
