// SPDX-License-Identifier: MIT
// One game day: deeds one after another, attacks beside them, visitors all the while, an operator who looks every second; and
// what is asked of the farm when it is over.
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf } from '../client/api.ts'
import type { Random } from '../real-farm/random.ts'
import { DEEDS, type Deed } from './deeds.ts'
import type { GameFarm } from './farm.ts'
import { AGAINST_CONTROL_PLANE } from './hostile-operators.ts'
import { AGAINST_NODES, type Attack } from './hostile-visitors.ts'
import type { Visitors } from './visitors.ts'

const GIVEN_UP_MS = 120_000
const PAUSE_MS = 3000
const LOOK_EVERY_MS = 1000

/** Seconds are of the day. `recoveredAfterMs`: since the deed was over; null: it never was. */
export type Done = {
  kind: string
  lane: 'deed' | 'nodes' | 'control plane'
  from: number
  to: number
  about: string
  recoveredAfterMs: number | null
}
/** An operator's question: when, and how long the answer took; null: there was none while there should have been. */
export type Look = { at: number; afterMs: number | null }
/** What must hold; `broken` says how it did not. */
export type Promised = { what: string; broken: string | null }

export class Day {
  readonly done: Done[] = []
  readonly looks: Look[] = []
  readonly #farm: GameFarm
  readonly #visitors: Visitors
  readonly #randomFor: (what: string) => Random
  readonly #say: (line: string) => void
  readonly #startedMs = performance.now()

  constructor(
    farm: GameFarm,
    visitors: Visitors,
    { randomFor, say }: { randomFor: (what: string) => Random; say: (line: string) => void },
  ) {
    this.#farm = farm
    this.#visitors = visitors
    this.#randomFor = randomFor
    this.#say = say
  }

  get #at(): number {
    return (performance.now() - this.#startedMs) / 1000
  }

  async run(minutes: number): Promise<void> {
    const endsAt = minutes * 60
    const isOver = () => this.#at >= endsAt
    await Promise.all([
      this.#deeds(isOver),
      this.#attacks(AGAINST_NODES, isOver),
      this.#attacks(AGAINST_CONTROL_PLANE, isOver),
      this.#lookOn(isOver),
    ])
  }

  /** In an order of the seed's, each once before any comes again. */
  async #deeds(isOver: () => boolean): Promise<void> {
    const random = this.#randomFor('deeds')
    let left: Deed[] = []
    while (!isOver()) {
      if (left.length === 0) left = shuffled(DEEDS, random)
      const deed = left.pop()
      if (deed) await this.#do(deed, random)
      await sleep(random.below(PAUSE_MS))
    }
  }

  async #do(deed: Deed, random: Random): Promise<void> {
    const from = this.#at
    const farm = this.#farm
    const entry = { kind: deed.name, lane: 'deed' as const, from }
    try {
      if (deed.push === 'good') await farm.push()
      if (deed.push === 'bad') await farm.pushBad()
      const about = await deed.run(farm, random)
      const to = this.#at
      const { afterMs, why } = await farm.untilAgreed(GIVEN_UP_MS)
      this.#note({ ...entry, to, about: why ?? about, recoveredAfterMs: why ? null : afterMs })
    } catch (error) {
      const about = error instanceof Error ? error.message : String(error)
      this.#note({ ...entry, to: this.#at, about, recoveredAfterMs: null })
    }
  }

  async #attacks(kinds: readonly Attack[], isOver: () => boolean): Promise<void> {
    const random = this.#randomFor(kinds[0]?.against ?? 'attacks')
    let left: Attack[] = []
    while (!isOver()) {
      if (left.length === 0) left = shuffled(kinds, random)
      const attack = left.pop()
      if (!attack) return
      const from = this.#at
      const about = await attack.run(this.#farm, random).catch(String)
      const entry = { kind: attack.name, lane: attack.against, from, to: this.#at, about }
      this.#note({ ...entry, recoveredAfterMs: 0 })
      await sleep(random.below(PAUSE_MS))
    }
  }

  #note(done: Done): void {
    this.done.push(done)
    const after = done.recoveredAfterMs
    const recovered = after === null ? 'NOT RECOVERED' : `well after ${(after / 1000).toFixed(1)} s`
    const end = done.lane === 'deed' ? ` (${recovered})` : ''
    this.#say(`${clock(done.from)} ${done.kind}: ${done.about}${end}`)
  }

  /** While nothing keeps the control plane from answering, it answers. */
  async #lookOn(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const at = this.#at
      const wasDown = this.#farm.isControlPlaneDown
      const answered = await this.#farm.controlPlane.api.nodes().then(
        () => true,
        () => false,
      )
      const isExcused = wasDown || this.#farm.isControlPlaneDown
      if (answered) this.looks.push({ at, afterMs: (this.#at - at) * 1000 })
      else if (!isExcused) this.looks.push({ at, afterMs: null })
      await sleep(LOOK_EVERY_MS)
    }
  }

  // --- what must hold ---------------------------------------------------------------------------

  async promises(unexplained: readonly string[]): Promise<Promised[]> {
    // These take a while, and visitors still come: what they got is judged after.
    const asked = [
      await this.#nothingLost(),
      await this.#takesTheNext(),
      ...(await this.#windows()),
    ]
    const { wrong, troubles } = this.#visitors
    const never = this.done.filter(({ recoveredAfterMs }) => recoveredAfterMs === null)
    const unanswered = this.looks.filter(({ afterMs }) => afterMs === null)
    return [
      {
        what: 'every visitor got the right bytes of a version that was pushed',
        broken: wrong === 0 ? null : `${wrong} did not: ${troubles[0]?.sentence}`,
      },
      {
        what: 'after each deed every node serves what the control plane believes',
        broken:
          never.length === 0
            ? null
            : never.map(({ kind, about }) => `${kind}: ${about}`).join('; '),
      },
      {
        what: 'the control plane answers its operator whenever it runs',
        broken: unanswered.length === 0 ? null : `${unanswered.length} questions were not answered`,
      },
      { what: 'no process logged what no deed explains', broken: unexplained[0] ?? null },
      ...asked,
    ]
  }

  async #nothingLost(): Promise<Promised> {
    const what = 'every version that was saved and every rollout that was ordered is still there'
    const { api } = this.#farm.controlPlane
    for (const { number, text } of this.#farm.saved) {
      if ((await api.textOf(number)) !== text) return { what, broken: `version ${number} is other` }
    }
    for (const id of this.#farm.orders) await api.rollout(id)
    const params = { query: { limit: 1 } }
    const audit = await bodyOf(api.call.GET('/api/v1/audit', { params }))
    return { what, broken: audit.items.length > 0 ? null : 'the audit log is empty' }
  }

  async #takesTheNext(): Promise<Promised> {
    const what = 'with nothing in the way the next version reaches every node'
    const label = await this.#farm.push()
    const { why } = await this.#farm.untilAgreed(GIVEN_UP_MS)
    const served = await Promise.all(this.#farm.members.map(({ node }) => node.see()))
    const others = served.filter((seen) => seen.label !== label)
    return { what, broken: why ?? (others.length > 0 ? `${others.length} serve another` : null) }
  }

  async #windows(): Promise<Promised[]> {
    const { simulated } = this.#farm
    if (!simulated) return []
    const what = `no measurement of ${simulated.size} simulated nodes was lost`
    const { lostWindows, reports } = await simulated.count()
    const broken = reports === 0 ? 'none was ever taken' : `${lostWindows} windows were given up`
    return [{ what, broken: reports > 0 && lostWindows === 0 ? null : broken }]
  }
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  const drawn = all.map((one) => ({ one, place: random.next() }))
  return drawn.sort((a, b) => a.place - b.place).map(({ one }) => one)
}

/** Of seconds, as min:s. */
export const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
