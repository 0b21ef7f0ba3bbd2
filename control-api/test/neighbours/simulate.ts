// SPDX-License-Identifier: MIT
// A release to many nodes by the real exchange, with time and transfers that are reckoned: from whom each got how much, and
// when all had it. The same seed gives the same run.
import { seededRandom } from '../../src/base/seeded-random.ts'
import { type Answer, Exchange, type Failure } from '../../src/neighbours/exchange.ts'

/** What is wrong with a node: as a giver, or (leaves) while it fetches. */
const FAULTS = ['deaf', 'refuses', 'slow', 'lies', 'breaks off', 'leaves'] as const
type Fault = (typeof FAULTS)[number]

export type Case = {
  nodes: number
  zones: number
  acrossZones: boolean
  /** Of the nodes; 0 to 1. */
  failing: number
  /** All of it from one other, whoever that is. */
  transferMs: number
  seed: number
}
export type Outcome = {
  /** Bytes out of the control plane, as so many times the release. */
  sent: number
  /** Until all had it that stayed, in times of one transfer. */
  rounds: number
  through: number
  left: number
  distrusted: number
  questions: number
}

const MANIFEST = 'a'.repeat(64)
const AT_ONCE = 4
const REPORT_MS = 5_000
const BEGIN_WITHIN_MS = 5_000
/** Until it is noticed. */
const UNREACHED_MS = 3_000
const SLOW_MS = 10_000
const LIE_MS = 1_000
const BREAK_SHARE = 0.5

type Sim = {
  id: string
  zone: string
  fault: Fault | null
  done: number
  isGone: boolean
  /** Under way: when it began with how much, and how much of the release each millisecond brings. */
  coming: { sinceMs: number; perMs: number } | null
}
type Try = { ms: number; share: number; why: Failure['why'] | null }

export function simulate({ nodes, zones, acrossZones, failing, transferMs, seed }: Case): Outcome {
  const random = seededRandom(seed)
  const all = Array.from({ length: nodes }, (_, i): Sim => {
    const fault = random() < failing ? (FAULTS[Math.floor(random() * FAULTS.length)] ?? null) : null
    return {
      ...{ id: `node_${i}`, zone: `zone-${i % zones}`, fault },
      ...{ done: 0, isGone: false, coming: null },
    }
  })
  const byKey = new Map(all.map((node) => [`key of ${node.id}`, node]))
  const distrusted = new Set<string>()
  let nowMs = 0
  const exchange = new Exchange({
    ...{ monotonicMs: () => nowMs, random },
    isConnected: (id) => byKey.get(`key of ${id}`)?.isGone === false,
    isTrusted: (id) => !distrusted.has(id),
  })
  const outcome = { sent: 0, through: 0, left: 0, questions: 0, endMs: 0 }
  const agenda = new Agenda()

  for (const node of all) {
    const { id, zone } = node
    const keySha256 = `key of ${id}`
    exchange.gives(id, { zone, keySha256, address: `${id}:8444`, holds: [] })
    agenda.at(random() * BEGIN_WITHIN_MS, () => ask(node, []))
    agenda.at(random() * REPORT_MS, () => report(node))
  }
  for (let next = agenda.take(); next; next = agenda.take()) {
    nowMs = next.atMs
    next.act()
  }
  const { endMs, ...counted } = outcome
  return { ...counted, rounds: endMs / transferMs, distrusted: distrusted.size }

  function report(node: Sim): void {
    if (node.isGone || node.done === 1) return
    if (node.coming) {
      const { sinceMs, perMs } = node.coming
      exchange.fetching(node.id, MANIFEST, node.done + (nowMs - sinceMs) * perMs)
    }
    agenda.at(nowMs + REPORT_MS, () => report(node))
  }

  function ask(node: Sim, failed: readonly Failure[]): void {
    outcome.questions++
    const question = { nodeId: node.id, zone: node.zone, manifestSha256: MANIFEST, failed }
    const { answer, wrong } = exchange.ask(question, { acrossZones, atOnce: AT_ONCE })
    for (const id of wrong) distrusted.add(id)
    follow(node, answer)
  }

  function follow(node: Sim, answer: Answer): void {
    if (answer.kind === 'wait') agenda.at(nowMs + answer.waitMs, () => ask(node, []))
    else if (answer.kind === 'ask') tryNext(node, [...answer.givers], [])
    else {
      fetch(node, 1 - node.done, (share) => {
        outcome.sent += share
        end(node, [])
      })
    }
  }

  /** So much of it comes in its time, unless the node leaves before. */
  function fetch(node: Sim, share: number, then: (share: number) => void): void {
    const leaves = node.fault === 'leaves' && node.done + share > BREAK_SHARE
    const comes = leaves ? Math.max(0, BREAK_SHARE - node.done) : share
    node.coming = { sinceMs: nowMs, perMs: 1 / transferMs }
    agenda.at(nowMs + comes * transferMs, () => {
      node.coming = null
      node.done = Math.min(1, node.done + comes)
      if (leaves) {
        node.isGone = true
        outcome.left++
      }
      then(comes)
    })
  }

  function tryNext(node: Sim, givers: { nodeId: string; keySha256: string }[], failed: Failure[]) {
    if (node.isGone) return
    const [giver, ...others] = givers
    if (!giver) return ask(node, failed)
    const from = byKey.get(giver.keySha256)
    const { ms, share, why } = tryOf(from, 1 - node.done)
    const go = () => {
      if (node.isGone) return
      if (why === null) end(node, failed)
      else tryNext(node, others, [...failed, { keySha256: giver.keySha256, why }])
    }
    if (share > 0) fetch(node, share, go)
    else agenda.at(nowMs + ms, go)
  }

  function end(node: Sim, failed: readonly Failure[]): void {
    if (node.isGone) return
    node.done = 1
    for (const id of exchange.holds(node.id, MANIFEST, failed)) distrusted.add(id)
    outcome.through++
    outcome.endMs = nowMs
  }
}

/** What comes of asking that one for so much. */
function tryOf(from: Sim | undefined, lacking: number): Try {
  if (!from || from.isGone || from.fault === 'deaf') {
    return { ms: UNREACHED_MS, share: 0, why: 'unreached' }
  }
  if (from.fault === 'refuses') return { ms: 0, share: 0, why: 'refused' }
  if (from.fault === 'slow') return { ms: SLOW_MS, share: 0, why: 'slow' }
  if (from.fault === 'lies') return { ms: LIE_MS, share: 0, why: 'wrongBytes' }
  if (from.fault === 'breaks off') {
    return { ms: 0, share: lacking * BREAK_SHARE, why: 'unreached' }
  }
  return { ms: 0, share: lacking, why: null }
}

type Entry = { atMs: number; place: number; act: () => void }

/** What is to happen, the soonest first; of the same moment what was written down first. */
class Agenda {
  readonly #heap: Entry[] = []
  #place = 0

  at(atMs: number, act: () => void): void {
    const heap = this.#heap
    let at = heap.push({ atMs, place: this.#place++, act }) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  take(): Entry | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (heap.length === 0 || !last) return first
    heap[0] = last
    let at = 0
    for (;;) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#isBefore(child, least)) least = child
      }
      if (least === at) return first
      this.#swap(at, least)
      at = least
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (!one || !other) return false
    return one.atMs === other.atMs ? one.place < other.place : one.atMs < other.atMs
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (one && other) [this.#heap[a], this.#heap[b]] = [other, one]
  }
}
