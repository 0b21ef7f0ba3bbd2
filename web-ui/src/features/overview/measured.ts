// SPDX-License-Identifier: MIT
// What the farm did in a range, in the few numbers of the overview. Pure.
import { t } from '../../languages/t.ts'
import type { AlertRule, MetricsComparison, MetricsOfSets } from '../../lib/api-types.ts'
import { formatRatio, formatSeconds } from '../../lib/format.ts'
import { type RangeKey, ranges } from '../../lib/time-range.ts'

export const MEDIAN = 0.5
export const P99 = 0.99

export type Window = { fromSeconds: number; toSeconds: number }
export type Asked = { now: Window; before: Window }

/** Sums of many nodes come so late; a step that is not whole would look like a fall. */
const SUMS_LATE_SECONDS = 40

export function askedWindow(range: RangeKey, nowMs: number): Asked {
  const { rangeSeconds, stepSeconds } = ranges[range]
  const end = nowMs / 1000 - SUMS_LATE_SECONDS
  const toSeconds = Math.floor(end / stepSeconds) * stepSeconds
  const fromSeconds = toSeconds - rangeSeconds
  return {
    now: { fromSeconds, toSeconds },
    before: { fromSeconds: fromSeconds - rangeSeconds, toSeconds: fromSeconds },
  }
}

type Column = readonly (number | null)[]
export type Steps = {
  times: readonly number[]
  requestsPerSecond: Column
  bytesPerSecond: Column
  p50: Column
  p99: Column
  errorRatio: Column
  hitRatio: Column
  requests: Column
}
/** null: nothing was measured of it. */
export type Totals = {
  requests: number | null
  errors: number | null
  requestsPerSecond: number | null
  bytesPerSecond: number | null
  errorRatio: number | null
  hitRatio: number | null
}
export type Part = { name: string; ratio: number }
export type Glance = {
  now: Totals
  before: Totals
  steps: Steps
  /** Of all time of all requests; together it is all of it. null: there was none. */
  parts: Part[] | null
}

export function glanceOf({ asked, sets }: { asked: Asked; sets: MetricsOfSets }): Glance {
  const { times, stepSeconds, sets: answered, quantiles } = sets
  const [farm] = answered
  const is = ({ fromSeconds, toSeconds }: Window) =>
    times.flatMap((at, index) => (at >= fromSeconds && at < toSeconds ? [index] : []))
  const now = is(asked.now)
  const read = (column: Column | undefined, indexes: readonly number[]): Column =>
    indexes.map((index) => column?.[index] ?? null)
  const counter = (name: string, indexes: readonly number[]) => read(farm?.counters[name], indexes)
  const perSecond = (column: Column) =>
    column.map((value) => (value === null ? null : value / stepSeconds))
  const quantile = (q: number) => read(farm?.stages.total?.quantiles[quantiles.indexOf(q)], now)
  const totals = (indexes: readonly number[]): Totals => {
    const sum = (name: string) => sumOf(counter(name, indexes))
    const requests = sum('requests')
    const errors = sum('responses5xx')
    const hits = sum('cacheHits')
    const seconds = knownIn(counter('requests', indexes)) * stepSeconds
    const rate = (total: number | null) => (total === null ? null : total / seconds)
    return {
      ...{ requests, errors },
      requestsPerSecond: rate(requests),
      bytesPerSecond: rate(sum('bytesSent')),
      errorRatio: shareOf(errors, requests),
      hitRatio: shareOf(hits, added(hits, sum('cacheMisses'))),
    }
  }
  const requests = counter('requests', now)
  const hits = counter('cacheHits', now)
  const misses = counter('cacheMisses', now)
  return {
    now: totals(now),
    before: totals(is(asked.before)),
    steps: {
      times: now.map((index) => times[index] ?? 0),
      requests,
      requestsPerSecond: perSecond(requests),
      bytesPerSecond: perSecond(counter('bytesSent', now)),
      p50: quantile(MEDIAN),
      p99: quantile(P99),
      errorRatio: counter('responses5xx', now).map((one, i) => shareOf(one, requests[i] ?? null)),
      hitRatio: hits.map((one, i) => shareOf(one, added(one, misses[i] ?? null))),
    },
    parts: partsOf((stage) => sumOf(read(farm?.stages[stage]?.sumSeconds, now)) ?? 0),
  }
}

/** Until the first byte, and what the write after it waited for: these follow each other, so they add up to the whole. */
function partsOf(secondsOf: (stage: string) => number): Part[] | null {
  const [total, firstByte, write] = [secondsOf('total'), secondsOf('firstByte'), secondsOf('write')]
  if (total <= 0) return null
  const client = secondsOf('writeClient')
  const network = secondsOf('writeNetwork')
  const buffer = secondsOf('writeBuffer')
  const parts: [string, number][] = [
    [t('Until the first byte'), firstByte],
    [t('Client takes it'), client],
    [t('Network'), network],
    [t('Send buffer'), buffer],
    [t('Rest of the write'), write - client - network - buffer],
  ]
  const whole = parts.reduce((sum, [, seconds]) => sum + Math.max(0, seconds), 0)
  if (whole <= 0) return null
  return parts.map(([name, seconds]) => ({ name, ratio: Math.max(0, seconds) / whole }))
}

const knownIn = (column: Column) => column.filter((value) => value !== null).length
const sumOf = (column: Column): number | null =>
  knownIn(column) === 0 ? null : column.reduce<number>((sum, value) => sum + (value ?? 0), 0)
const added = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b)
const shareOf = (part: number | null, whole: number | null) =>
  part === null || whole === null || whole === 0 ? null : part / whole

const beforeWords = (range: RangeKey) => t('the {label} before', { label: ranges[range].label })

/** Below it a change is not worth a word. */
const NOTICEABLE = 0.01

/** "12 % more than the 24 h before" */
export function changeWords(now: number | null, before: number | null, range: RangeKey): string {
  if (now === null) return ''
  const earlier = beforeWords(range)
  if (before === null || before === 0)
    return now === 0 ? '' : t('Nothing to compare with {earlier}', { earlier })
  const change = now / before - 1
  if (Math.abs(change) < NOTICEABLE) return t('Same as {earlier}', { earlier })
  return change > 0
    ? t('{abs} more than {earlier}', { abs: formatRatio(Math.abs(change)), earlier })
    : t('{abs} less than {earlier}', { abs: formatRatio(Math.abs(change)), earlier })
}

type Interval = NonNullable<MetricsComparison['errors']['difference']>

/** A difference that may be chance is none. */
export function latencyWords(
  ratio: Interval | null,
  requestsBefore: number,
  range: RangeKey,
): string {
  if (requestsBefore === 0)
    return t('Nothing to compare with {beforeWords}', { beforeWords: beforeWords(range) })
  if (ratio === null) return t('Too little measured to compare')
  const { value, low, high } = ratio
  if (low <= 1 && high >= 1)
    return t('No clear difference from {beforeWords}', { beforeWords: beforeWords(range) })
  const change = formatRatio(Math.abs(value - 1))
  return value > 1
    ? t('{change} slower than {beforeWords}', { change, beforeWords: beforeWords(range) })
    : t('{change} faster than {beforeWords}', { change, beforeWords: beforeWords(range) })
}

export type Objective = { ratio: number; withinSeconds: number | null; ruleName: string }

/** What alert rules say that the whole farm is to keep: the first for latency, the first for errors. */
export function objectivesOf(rules: readonly AlertRule[]) {
  const all = rules.flatMap(({ name, enabled, appliesTo, condition }): Objective[] => {
    if (!enabled || appliesTo !== 'farm' || condition.kind !== 'burn-rate') return []
    const { objective, slowerThanSeconds = null } = condition
    return [{ ratio: objective, withinSeconds: slowerThanSeconds, ruleName: name }]
  })
  return {
    latency: all.find(({ withinSeconds }) => withinSeconds !== null) ?? null,
    errors: all.find(({ withinSeconds }) => withinSeconds === null) ?? null,
  }
}

export type Judged = { isMet: boolean; words: string }

/** `seconds`: so long the objective's share of requests takes. */
export function judgeLatency(objective: Objective | null, seconds: number | null): Judged | null {
  if (!objective || objective.withinSeconds === null || seconds === null) return null
  const { ratio, withinSeconds } = objective
  const isMet = seconds <= withinSeconds
  const aim = t('{ratio} within {withinSeconds}', {
    ratio: percent(ratio),
    withinSeconds: formatSeconds(withinSeconds),
  })
  return {
    isMet,
    words: isMet ? t('Objective met: {aim}', { aim }) : t('Objective missed: {aim}', { aim }),
  }
}

export function judgeErrors(objective: Objective | null, errorRatio: number | null): Judged | null {
  if (!objective || errorRatio === null) return null
  const isMet = 1 - errorRatio >= objective.ratio
  const words = isMet
    ? t('Objective met: {ratio} without a 5xx', { ratio: percent(objective.ratio) })
    : t('Objective missed: {ratio} without a 5xx', { ratio: percent(objective.ratio) })
  return { isMet, words }
}

/** 99.95 % is not 100 %. */
const percent = (ratio: number) => `${Number((ratio * 100).toPrecision(6))} %`
