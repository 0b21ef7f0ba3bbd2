// SPDX-License-Identifier: MIT
// Tells of ends that come near, once for each number of days, as events: the audit, the console and webhooks have them from there.
// What counts is what ends first: the newest version, or what a node still serves of an older one. A renewal that nobody
// rolled out is not to be taken for one.
import type { Kysely } from 'kysely'
import type { Write } from '../audit/write.ts'
import { nextTurn } from '../base/slices.ts'
import type { Database } from '../db/database.ts'
import { type CertificateState, stateOf, toTell } from './expiry.ts'
import { type Ending, endings, setTold } from './store.ts'

const LOOK_EVERY_MS = 3600_000
/** Others get their turn in between. */
const AT_ONCE = 500
const FIRST = [0, ''] as const

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  onError: (error: unknown) => void
}

/** As long as the newest version's, up to what ends first. */
export function lifeOf({ notBeforeMs, notAfterMs, servedNotAfterMs }: Ending) {
  const toMs = Math.min(notAfterMs, servedNotAfterMs ?? notAfterMs)
  return { fromMs: toMs - (notAfterMs - notBeforeMs), toMs }
}

/** `look` is called each hour, and at the start; `stop` resolves when nothing is under way. */
export function watchExpiry({ db, write, now, onError }: Deps) {
  const isNews = ({ toldDays, toldEndMs }: Ending, days: number, endMs: number) =>
    toldEndMs !== endMs || toldDays === null || days < toldDays

  async function tellOf(ending: Ending): Promise<void> {
    const life = lifeOf(ending)
    const days = toTell(life, now())
    if (days === null || !isNews(ending, days, life.toMs)) return
    const { name, latest, notAfterMs } = ending
    const isServedOlder = life.toMs < notAfterMs
    await write(async (unit) => {
      await setTold(unit.trx, name, { days, endMs: life.toMs })
      const data = {
        days,
        notAfter: new Date(life.toMs).toISOString(),
        newestVersion: latest,
        ...(isServedOlder && {
          hint: 'nodes still serve an older version: roll the newest one out',
        }),
      }
      const action = days === 0 ? 'expired' : 'expiring'
      await unit.emit({ kind: 'certificate', id: name, action, data })
    })
  }

  async function tellOfAll(): Promise<void> {
    for (let after: readonly [number, string] = FIRST; ; ) {
      const some = await endings(db, { after, limit: AT_ONCE })
      for (const one of some) await tellOf(one)
      const last = some.at(-1)
      if (!last || some.length < AT_ONCE) return
      after = [last.notAfterMs, last.name]
      await nextTurn()
    }
  }

  let looking = Promise.resolve()
  const look = (): Promise<void> => {
    looking = looking.then(tellOfAll).catch(onError)
    return looking
  }
  void look()
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  timer.unref()
  const stop = (): Promise<void> => {
    clearInterval(timer)
    return looking
  }
  return { look, stop }
}

/** As many have a number of their own among the measurements: those that end first. */
const MEASURED = 200

export type Measured = {
  /** All there are. */
  byState: [CertificateState, number][]
  ends: { name: string; notAfterMs: number; servedNotAfterMs: number | null }[]
}

/** Each is looked at, and anybody may ask. */
const MEASURE_AGAIN_MS = 10_000

export function createEndsMeasure({ db, now }: Pick<Deps, 'db' | 'now'>) {
  let known: { measured: Promise<Measured>; atMs: number } | null = null
  return (): Promise<Measured> => {
    const nowMs = now()
    if (known === null || Math.abs(nowMs - known.atMs) > MEASURE_AGAIN_MS) {
      known = { measured: measureEnds(db, nowMs), atMs: nowMs }
      known.measured.catch(() => {
        known = null
      })
    }
    return known.measured
  }
}

async function measureEnds(db: Kysely<Database>, nowMs: number): Promise<Measured> {
  const counts: Record<CertificateState, number> = { good: 0, expiring: 0, expired: 0 }
  const ends: Measured['ends'] = []
  for (let after: readonly [number, string] = FIRST; ; ) {
    const some = await endings(db, { after, limit: AT_ONCE })
    for (const one of some) {
      counts[stateOf(lifeOf(one), nowMs)]++
      if (ends.length < MEASURED) ends.push(one)
    }
    const last = some.at(-1)
    if (!last || some.length < AT_ONCE)
      return { byState: Object.entries(counts) as Measured['byState'], ends }
    after = [last.notAfterMs, last.name]
  }
}
