// SPDX-License-Identifier: MIT
// Whom a node that lacks a release is to ask (decision 0186). Of a zone one fetches from the control plane; the others wait,
// and take from who has it whole, so many at once from each. In memory and bounded by the number of nodes.
//
// a question finds                                     | answer
// somebody of the zone who has it, with a place        | ask: that one first, others behind
// only such without a place                            | wait
// nobody; one of the zone fetches it and comes further | wait
// nobody; with acrossZones another zone has it         | ask there
// nobody; with acrossZones another zone fetches it     | wait
// nobody, nor who fetches it                           | fetch from the control plane: this is the first
// for the third time that all named ones have failed   | fetch from the control plane
import type { ReleasesNeighboursRequest } from '../agent-protocol/messages.gen.ts'
import { type Giver, Givers, type Giving } from './givers.ts'

export type Failure = NonNullable<ReleasesNeighboursRequest['failed']>[number]
export type Answer =
  | { kind: 'ask'; givers: Giver[] }
  | { kind: 'wait'; waitMs: number }
  | { kind: 'fetch' }
export type Question = {
  nodeId: string
  zone: string
  manifestSha256: string
  failed: readonly Failure[]
}
export type ExchangeCounts = { giving: number; taking: number; waiting: number; fetching: number }
export type ExchangeRules = { acrossZones: boolean; atOnce: number }

/** What one node lacks now: it fetches one release after the other. */
type Taking = {
  nodeId: string
  zone: string
  manifest: string
  from: 'neighbour' | 'control plane' | 'nobody yet'
  /** Whose place it has. */
  giver: string | null
  /** That it was named: it may tell on these. By the digests of their keys. */
  named: Map<string, string>
  /** That gave it nothing. */
  without: Set<string>
  failures: number
  bytesDone: number
  seenAtMs: number
}

const MOST_NAMED = 4
/** Of those that one node was named, which it may tell on. */
const MOST_REMEMBERED = 32
const FAILURES_MAX = 3
/** Who has not come further for so long is waited for by nobody. */
const FIRST_QUIET_MS = 30_000
const QUIET_MS = 60_000
const REST_MS = 30_000
const WAIT_MS = { least: 1_000, perWaiting: 10, most: 20_000 }
const SPREAD = 0.2

type Deps = {
  monotonicMs: () => number
  /** In [0, 1). */
  random: () => number
  isConnected: (nodeId: string) => boolean
  isTrusted: (nodeId: string) => boolean
}

export class Exchange {
  readonly #givers = new Givers()
  readonly #takings = new Map<string, Taking>()
  readonly #waiting = new Set<string>()
  readonly #deps: Deps
  #sweptAtMs = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  gives(nodeId: string, giving: Giving | null): void {
    if (giving) this.#givers.set(nodeId, giving)
    else this.#givers.remove(nodeId)
  }

  /** As its last message came. */
  spoke(nodeId: string, as: Pick<Giving, 'zone' | 'keySha256'>): void {
    this.#givers.change(nodeId, as)
  }

  giverOf(nodeId: string): { address: string; holds: number; takers: number } | null {
    const giver = this.#givers.get(nodeId)
    if (!giver) return null
    const { address, takers } = giver
    return { address, takers: takers.size, holds: this.#givers.holdsOf(nodeId) }
  }

  counts(isWithin: (nodeId: string) => boolean): ExchangeCounts {
    const givers = [...this.#givers.all()].filter(({ nodeId }) => isWithin(nodeId))
    const giving = givers.filter((giver) => this.#mayGive(giver)).length
    const takings = [...this.#takings.values()].filter(({ nodeId }) => isWithin(nodeId))
    const now = takings.filter((taking) => this.#isAlive(taking))
    const of = (from: Taking['from']) => now.filter((taking) => taking.from === from).length
    return {
      giving,
      taking: of('neighbour'),
      waiting: of('nobody yet'),
      fetching: of('control plane'),
    }
  }

  /** What its report says: whoever comes further keeps its place. */
  fetching(nodeId: string, manifest: string, bytesDone: number): void {
    const taking = this.#takings.get(nodeId)
    if (taking?.manifest !== manifest || bytesDone <= taking.bytesDone) return
    taking.bytesDone = bytesDone
    taking.failures = 0
    taking.seenAtMs = this.#deps.monotonicMs()
  }

  /** Its tree stands. Says which of those that it was named gave it wrong bytes. */
  holds(nodeId: string, manifest: string, failed: readonly Failure[]): string[] {
    const taking = this.#takings.get(nodeId)
    const wrong = taking?.manifest === manifest ? this.#told(taking, failed) : []
    this.#end(nodeId)
    this.#givers.add(nodeId, manifest)
    return wrong
  }

  ask(question: Question, rules: ExchangeRules): { answer: Answer; wrong: string[] } {
    this.#sweep()
    const taking = this.#takingOf(question)
    const wrong = this.#told(taking, question.failed)
    const answer = this.#answer(taking, rules)
    this.#waiting.delete(taking.nodeId)
    if (answer.kind === 'wait') this.#waiting.add(taking.nodeId)
    return { answer, wrong }
  }

  /** The node is gone. */
  forget(nodeId: string): void {
    this.#end(nodeId)
    this.#givers.remove(nodeId)
  }

  #takingOf({ nodeId, zone, manifestSha256: manifest }: Question): Taking {
    const before = this.#takings.get(nodeId)
    const seenAtMs = this.#deps.monotonicMs()
    if (before?.manifest === manifest && before.zone === zone) {
      before.seenAtMs = seenAtMs
      return before
    }
    this.#end(nodeId)
    const taking: Taking = {
      ...{ nodeId, zone, manifest, seenAtMs, from: 'nobody yet', giver: null },
      ...{ named: new Map(), without: new Set(), failures: 0, bytesDone: 0 },
    }
    this.#takings.set(nodeId, taking)
    return taking
  }

  #answer(taking: Taking, rules: ExchangeRules): Answer {
    this.#leavePlace(taking)
    taking.from = 'nobody yet'
    if (taking.failures >= FAILURES_MAX) return fetchHere(taking)
    const own = this.#named(taking, taking.zone, rules)
    if (own !== 'nobody') return own
    const first = this.#fetchingNow(taking, taking.zone)
    if (first) return this.#wait()
    if (rules.acrossZones) {
      const others = this.#named(taking, null, rules)
      if (others !== 'nobody') return others
      if (this.#fetchingNow(taking, null)) return this.#wait()
    }
    return fetchHere(taking)
  }

  /** Those that can give it; the first has a place for it. */
  #named(taking: Taking, zone: string | null, { atOnce }: ExchangeRules): Answer | 'nobody' {
    const free: Giver[] = []
    let isThere = false
    for (const giver of this.#givers.holding(taking.manifest, zone, taking.nodeId)) {
      if (giver.nodeId === taking.nodeId || taking.without.has(giver.nodeId)) continue
      if (!this.#mayGive(giver)) continue
      isThere = true
      if (giver.takers.size < atOnce) free.push(giver)
      if (free.length === MOST_NAMED) break
    }
    const [chosen] = free
    if (!chosen) return isThere ? this.#wait() : 'nobody'
    chosen.takers.add(taking.nodeId)
    taking.giver = chosen.nodeId
    taking.from = 'neighbour'
    for (const { keySha256, nodeId } of free) remember(taking.named, keySha256, nodeId)
    return { kind: 'ask', givers: free }
  }

  #mayGive({ nodeId, restsUntilMs }: Giver): boolean {
    const { isConnected, isTrusted, monotonicMs } = this.#deps
    return isConnected(nodeId) && isTrusted(nodeId) && restsUntilMs <= monotonicMs()
  }

  /** Another of the zone, or of any, that gets it from elsewhere and comes further. */
  #fetchingNow({ nodeId, manifest }: Taking, zone: string | null): Taking | undefined {
    const since = this.#deps.monotonicMs() - FIRST_QUIET_MS
    for (const other of this.#takings.values()) {
      const isOne = other.manifest === manifest && (zone === null || other.zone === zone)
      if (!isOne || other.nodeId === nodeId || other.from === 'nobody yet') continue
      if (other.seenAtMs >= since && this.#deps.isConnected(other.nodeId)) return other
    }
    return undefined
  }

  #wait(): Answer {
    const { least, perWaiting, most } = WAIT_MS
    const waitMs = Math.max(least, Math.min(most, this.#waiting.size * perWaiting))
    return { kind: 'wait', waitMs: Math.round(waitMs * (1 - SPREAD * this.#deps.random())) }
  }

  /** Who gave wrong bytes; a node is believed of those alone that it was named. */
  #told(taking: Taking, failed: readonly Failure[]): string[] {
    const wrong: string[] = []
    let hasFailed = false
    for (const { keySha256, why } of failed) {
      const giverId = taking.named.get(keySha256)
      const giver = giverId === undefined ? undefined : this.#givers.get(giverId)
      if (!giver || why === 'busy') continue
      hasFailed = true
      taking.without.add(giver.nodeId)
      if (why === 'wrongBytes') wrong.push(giver.nodeId)
      else if (why === 'missing') this.#givers.drop(giver.nodeId, taking.manifest)
      else giver.restsUntilMs = this.#deps.monotonicMs() + REST_MS
    }
    if (hasFailed) taking.failures++
    return wrong
  }

  #isAlive({ nodeId, seenAtMs }: Taking): boolean {
    return this.#deps.isConnected(nodeId) && this.#deps.monotonicMs() - seenAtMs <= QUIET_MS
  }

  #leavePlace(taking: Taking): void {
    if (taking.giver !== null) this.#givers.get(taking.giver)?.takers.delete(taking.nodeId)
    taking.giver = null
  }

  #end(nodeId: string): void {
    const taking = this.#takings.get(nodeId)
    if (taking) this.#leavePlace(taking)
    this.#takings.delete(nodeId)
    this.#waiting.delete(nodeId)
  }

  /** Of who says nothing more of it. */
  #sweep(): void {
    const nowMs = this.#deps.monotonicMs()
    if (nowMs - this.#sweptAtMs < WAIT_MS.least) return
    this.#sweptAtMs = nowMs
    for (const taking of this.#takings.values()) {
      if (!this.#isAlive(taking)) this.#end(taking.nodeId)
    }
  }
}

function fetchHere(taking: Taking): Answer {
  taking.from = 'control plane'
  return { kind: 'fetch' }
}

function remember(named: Map<string, string>, keySha256: string, nodeId: string): void {
  named.delete(keySha256)
  named.set(keySha256, nodeId)
  const [oldest] = named.keys()
  if (named.size > MOST_REMEMBERED && oldest !== undefined) named.delete(oldest)
}
