// SPDX-License-Identifier: MIT
// What a game day comes to in numbers.
import type { Done, Look } from './day.ts'
import type { Second } from './visitors.ts'

/** What is promised after each deed; later is told. */
const AGREED_WITHIN_MS = 10_000
const LANES: readonly Done['lane'][] = ['deed', 'nodes', 'control plane']

/** Nearest rank; null: there is nothing to rank. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

export type Summary = {
  asked: number
  right: number
  retried: number
  /** 1 is all. */
  availability: number
  p50Ms: number | null
  p99Ms: number | null
  looks: number
  lookP99Ms: number | null
}

export function summarise(seconds: readonly Second[], looks: readonly Look[]): Summary {
  const sum = (of: (second: Second) => number) => seconds.reduce((n, one) => n + of(one), 0)
  const asked = sum((one) => one.asked)
  const right = sum((one) => one.right)
  const all = seconds.flatMap(({ latenciesMs }) => latenciesMs)
  const answered = looks.flatMap(({ afterMs }) => afterMs ?? [])
  return {
    ...{ asked, right, retried: sum((one) => one.retried) },
    availability: asked === 0 ? 0 : right / asked,
    p50Ms: quantile(all, 0.5),
    p99Ms: quantile(all, 0.99),
    looks: looks.length,
    lookP99Ms: quantile(answered, 0.99),
  }
}

/** One row for each kind of deed, then of attack. */
export type KindRow = {
  kind: string
  lane: Done['lane']
  times: number
  medianMs: number | null
  slowestMs: number | null
  late: number
  unrecovered: number
  lastAbout: string
}

export function byKind(done: readonly Done[]): KindRow[] {
  const kinds = Map.groupBy(done, ({ kind }) => kind)
  const rows = [...kinds].map(([kind, all]) => {
    const recovered = all.flatMap(({ recoveredAfterMs }) => recoveredAfterMs ?? [])
    const last = all.at(-1)
    return {
      ...{ kind, lane: last?.lane ?? 'deed', times: all.length },
      medianMs: quantile(recovered, 0.5),
      slowestMs: quantile(recovered, 1),
      late: recovered.filter((ms) => ms > AGREED_WITHIN_MS).length,
      unrecovered: all.length - recovered.length,
      lastAbout: last?.about ?? '',
    }
  })
  return LANES.flatMap((lane) => rows.filter((row) => row.lane === lane))
}

/** Of each `every` seconds: the share that was answered right (null: nobody asked) and the 99th percentile. */
export function overTime(seconds: readonly Second[], every: number) {
  return Array.from({ length: Math.ceil(seconds.length / every) }, (_, i) => {
    const some = seconds.slice(i * every, (i + 1) * every)
    const { asked, availability, p99Ms } = summarise(some, [])
    return { at: i * every, availability: asked === 0 ? null : availability, p99Ms }
  })
}
