// SPDX-License-Identifier: MIT
// Numbers as an operator reads them: always with a unit, three significant digits at most.
import { numberLocale } from '../languages/language.ts'
import { t } from '../languages/t.ts'

/** Stands for a number that is not there; the reason stands beside it. */
export const DASH = '–'

const grouped = new Intl.NumberFormat(numberLocale, { maximumFractionDigits: 0 })
const threeDigits = new Intl.NumberFormat(numberLocale, { maximumSignificantDigits: 3 })
const twoDigits = new Intl.NumberFormat(numberLocale, { maximumSignificantDigits: 2 })

const ungrouped = new Intl.NumberFormat(numberLocale, {
  maximumSignificantDigits: 3,
  useGrouping: false,
})

/** Of what has no unit of its own, as "2.25 times". */
export function formatDigits(value: number): string {
  return ungrouped.format(value)
}

export function formatCount(count: number): string {
  return grouped.format(count)
}

export function formatSeconds(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return DASH
  if (seconds === 0) return '0 ms'
  // Units change at 999.5, where three digits would print 1,000.
  if (seconds < 0.0009995) return `${threeDigits.format(seconds * 1e6)} µs`
  if (seconds < 0.9995) return `${threeDigits.format(seconds * 1e3)} ms`
  return `${threeDigits.format(seconds)} s`
}

/** Under one, two digits: a few requests a minute have no third that means something. */
export function formatRate(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return DASH
  if (perSecond > 0 && perSecond < 0.1) return `< ${twoDigits.format(0.1)}`
  if (perSecond < 1) return twoDigits.format(perSecond)
  return perSecond >= 100 ? formatCount(perSecond) : threeDigits.format(perSecond)
}

export function formatRatio(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return DASH
  if (ratio > 0 && ratio < 0.0001) return `< ${twoDigits.format(0.01)} %`
  return `${threeDigits.format(ratio * 100)} %`
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return DASH
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < byteUnits.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${threeDigits.format(value)} ${byteUnits[unit]}`
}

const byteRateUnits = ['B/s', 'kB/s', 'MB/s', 'GB/s'] as const

/** Decimal, as networks are: so that a chart's round numbers stay round. */
export function formatByteRate(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return DASH
  let value = perSecond
  let unit = 0
  while (value >= 999.5 && unit < byteRateUnits.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${threeDigits.format(value)} ${byteRateUnits[unit]}`
}

export type Format = (value: number | null | undefined) => string

/** As they were measured, as far as that means something: to the nanosecond. */
const fine = new Intl.NumberFormat(numberLocale, { maximumFractionDigits: 9 })
const exactUnits = new Map<Format, (value: number) => string>([
  [formatSeconds, (value) => `${fine.format(value)} s`],
  [formatRate, (value) => `${fine.format(value)}/s`],
  [formatRatio, (value) => `${fine.format(value * 100)} %`],
  [formatBytes, (value) => `${fine.format(value)} B`],
  [formatByteRate, (value) => `${fine.format(value)} B/s`],
])

/** What a number is that `format` rounds; null: there is none, or nothing is rounded. */
export function exactWords(value: number | null | undefined, format: Format): string | null {
  const unit = exactUnits.get(format)
  return unit === undefined || value === null || value === undefined ? null : unit(value)
}

/** The first eight hex digits: enough to tell the versions of one farm apart. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 8)
}

const MOST_NAMES = 5

/** "edge-1, edge-2 and 3 more" */
export function namesOf(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, MOST_NAMES)
  const more = total - shown.length
  const listed = shown.join(', ')
  return more > 0 ? t('{names} and {count, number} more', { names: listed, count: more }) : listed
}
