// SPDX-License-Identifier: MIT
// What a run must reach, as it is typed, and whether it did.
import { Failure } from '../failures.ts'
import type { Counted, Times } from './heart.ts'

export type Objective = { name: string; wanted: string; got: string; met: boolean }

const QUANTILES = {
  p50: 'p50Seconds',
  p90: 'p90Seconds',
  p95: 'p95Seconds',
  p99: 'p99Seconds',
  p999: 'p999Seconds',
} as const satisfies Record<string, keyof Times>
export type Quantile = keyof typeof QUANTILES
/** So many of all may be above it. */
const ABOVE: Record<Quantile | 'max', number> = {
  ...{ p50: 0.5, p90: 0.1, p95: 0.05, p99: 0.01, p999: 0.001 },
  max: 0,
}
export const QUANTILE_NAMES = Object.keys(QUANTILES) as Quantile[]

const SECONDS: Record<string, number> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }

/** `option`: what messages call it. */
export function secondsOf(option: string, typed: string): number {
  const [, amount, unit = ''] = /^(\d{1,9}(?:\.\d{1,6})?)(us|ms|s|m|h)$/.exec(typed) ?? []
  const seconds = Number(amount) * (SECONDS[unit] ?? Number.NaN)
  if (seconds > 0) return seconds
  throw new Failure(`${option} is a time as in 500us, 20ms, 1.5s or 2m, not "${typed}".`)
}

function shareOf(option: string, typed: string): number {
  const percent = /^\d{1,3}(\.\d{1,9})?%?$/.test(typed) ? Number.parseFloat(typed) : Number.NaN
  if (percent <= 100) return percent
  throw new Failure(`${option} is a share in percent, as in 99.99, not "${typed}".`)
}

export function durationText(seconds: number): string {
  const [size, unit] = seconds < 1e-3 ? [1e6, 'µs'] : seconds < 1 ? [1e3, 'ms'] : [1, 's']
  return `${Number((seconds * size).toPrecision(3))} ${unit}`
}

/** Never rounded up to what was wished: 99.9999 is not 100. */
export function percentText(part: number, whole: number): string {
  if (whole === 0) return '-'
  const percent = Math.floor((1e6 * part) / whole) / 1e4
  return `${percent} %`
}

export const quantile = (times: Times, name: Quantile): number | null =>
  times[QUANTILES[name]] ?? null

export type Wishes = Partial<Record<Quantile | 'max' | 'availability' | 'good', string>>

type Judge = (counted: Counted) => Objective

/** Read before the run: a slip of the pen must not cost it. */
export function readWishes(wishes: Wishes): Judge[] {
  const times = [...QUANTILE_NAMES, 'max'] as const
  return [
    ...times.flatMap((name) => {
      const typed = wishes[name]
      return typed === undefined ? [] : [timeJudge(name, secondsOf(`--${name}`, typed))]
    }),
    ...(['availability', 'good'] as const).flatMap((name) => {
      const typed = wishes[name]
      return typed === undefined ? [] : [shareJudge(name, shareOf(`--${name}`, typed))]
    }),
  ]
}

/** Who was refused at once has no latency, and was not answered in time either. */
const timeJudge =
  (name: Quantile | 'max', most: number): Judge =>
  ({ requests, stages: { latency } }) => {
    const wanted = `at most ${durationText(most)}`
    const seconds = name === 'max' ? latency.maxNs / 1e9 : quantile(latency, name)
    if (latency.count === 0 || seconds === null) {
      return { name, wanted, got: 'no answers', met: false }
    }
    const unanswered = requests - latency.count
    const isOfEnough = unanswered <= ABOVE[name] * requests
    const more = isOfEnough ? '' : `, and no answer to ${percentText(unanswered, requests)}`
    return {
      name,
      wanted,
      got: `${durationText(seconds)}${more}`,
      met: isOfEnough && seconds <= most,
    }
  }

const shareJudge =
  (name: 'availability' | 'good', least: number): Judge =>
  (counted) => {
    const { requests, socketFaults, good } = counted
    const part = name === 'good' ? good : requests - socketFaults
    return {
      name,
      wanted: `at least ${least} %`,
      got: requests > 0 ? percentText(part, requests) : 'no requests',
      met: requests > 0 && (100 * part) / requests >= least,
    }
  }
