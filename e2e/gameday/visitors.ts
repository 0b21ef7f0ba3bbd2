// SPDX-License-Identifier: MIT
// Visitors of the whole farm, as a balancer sends them: at a rate of their own, whether or not answers come, each to any node
// and, where that gives no answer, to the next one. Times count from when a question was due, so that a wait is never left out.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../real-farm/ask.ts'
import type { Random } from '../real-farm/random.ts'
import type { Page } from '../rollouts/sites.ts'
import type { Member } from './farm.ts'

/** As balancers have it: a node that does not answer is left for the next one. */
const SILENT_MS = 1500
/** So long a node that did not answer comes last. */
const AVOIDED_MS = 2000
/** Above it questions are not begun, and count as not answered: nothing may grow without a bound. */
const MOST_UNDER_WAY = 500

/** One second of the day. `latenciesMs`: of the questions that were due then. */
export type Second = { asked: number; right: number; retried: number; latenciesMs: number[] }
export type Trouble = { atSecond: number; sentence: string }
type Deps = {
  members: readonly Member[]
  pages: readonly Page[]
  perSecond: number
  random: Random
  isGood: (label: string) => boolean
}

export class Visitors {
  readonly seconds: Second[] = []
  /** The first of them; `wrong` counts all. */
  readonly troubles: Trouble[] = []
  wrong = 0
  readonly #deps: Deps
  readonly #avoidedUntilMs = new Map<Member, number>()
  readonly #startedMs = performance.now()
  readonly #underWay = new Set<Promise<void>>()
  readonly #done: Promise<void>
  #isOver = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#done = this.#come()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#done
    await Promise.all(this.#underWay)
  }

  async #come(): Promise<void> {
    const everyMs = 1000 / this.#deps.perSecond
    for (let i = 0; !this.#isOver; i++) {
      const dueMs = this.#startedMs + i * everyMs
      const leftMs = dueMs - performance.now()
      if (leftMs > 0) await sleep(leftMs)
      const visit = this.#visit(dueMs)
      this.#underWay.add(visit)
      void visit.finally(() => this.#underWay.delete(visit))
    }
  }

  #second(dueMs: number): Second {
    const at = Math.floor((dueMs - this.#startedMs) / 1000)
    while (this.seconds.length <= at) {
      this.seconds.push({ asked: 0, right: 0, retried: 0, latenciesMs: [] })
    }
    const second = this.seconds[at]
    if (!second) throw new Error(`there is no second ${at}`)
    return second
  }

  async #visit(dueMs: number): Promise<void> {
    const { pages, random } = this.#deps
    const second = this.#second(dueMs)
    second.asked++
    const page = random.pick(pages)
    const order = this.#order()
    const trouble =
      this.#underWay.size > MOST_UNDER_WAY
        ? `more than ${MOST_UNDER_WAY} questions were under way`
        : await this.#askInTurn(order, page, second)
    second.latenciesMs.push(performance.now() - dueMs)
    if (trouble === null) second.right++
    else this.#note(dueMs, trouble)
  }

  /** Any order, with those that did not answer of late behind. */
  #order(): Member[] {
    const { members, random } = this.#deps
    const nowMs = performance.now()
    const isAvoided = (member: Member) => (this.#avoidedUntilMs.get(member) ?? 0) > nowMs
    const drawn = members.map((member) => ({
      member,
      place: random.next() + (isAvoided(member) ? 1 : 0),
    }))
    return drawn.sort((a, b) => a.place - b.place).map(({ member }) => member)
  }

  /** null: one of them gave the right answer. */
  async #askInTurn(order: readonly Member[], page: Page, second: Second): Promise<string | null> {
    let last = 'there is no node'
    for (const [i, member] of order.entries()) {
      const { host, path, body } = page
      const answer = await ask(member.node, path, host, { silentMs: SILENT_MS })
      if (i > 0) second.retried++
      if (!('trouble' in answer)) return this.#troubleOf(answer, page, member)
      last = `${member.node.name}: ${answer.trouble} (${host}${path}, ${body.length} bytes)`
      this.#avoidedUntilMs.set(member, performance.now() + AVOIDED_MS)
    }
    return `no node answered; the last was ${last}`
  }

  /** A whole answer is the client's, right or wrong: no balancer asks another node for it. */
  #troubleOf(
    { status, body, label }: { status: number; body: Buffer; label: string | null },
    page: Page,
    { node: { name } }: Member,
  ): string | null {
    const what = `${name}, ${page.host}${page.path}`
    if (status !== 200) return `${what}: HTTP ${status}`
    if (!body.equals(page.body)) return `${what}: other bytes than in the file`
    if (label === null || !this.#deps.isGood(label)) return `${what}: of version ${label}`
    return null
  }

  #note(dueMs: number, sentence: string): void {
    this.wrong++
    const atSecond = Math.floor((dueMs - this.#startedMs) / 1000)
    if (this.troubles.length < 200) this.troubles.push({ atSecond, sentence })
  }
}
