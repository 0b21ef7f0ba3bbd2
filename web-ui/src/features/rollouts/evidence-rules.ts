// SPDX-License-Identifier: MIT
// The numbers of a comparison as they are read: quantiles by ratio, shares by difference.
import { numberLocale } from '../../languages/language.ts'
import { t } from '../../languages/t.ts'
import type { GateMetric } from '../../lib/api-types.ts'
import { DASH, formatBytes, formatRatio, formatSeconds } from '../../lib/format.ts'
import { isMean, isOfBytes, isShare, isWrong } from './rules.ts'

export function sideText(metric: GateMetric, value: number | null): string {
  if (isOfBytes(metric)) return formatBytes(value)
  return isShare(metric) ? formatRatio(value) : formatSeconds(value)
}

const digits = new Intl.NumberFormat(numberLocale, {
  maximumSignificantDigits: 3,
  useGrouping: false,
})
const threeDigits = (value: number) => digits.format(value)

/** "2.25 times", "1/30" of the others', "+1.2 points": of percent, so that it is no share of a share. */
export function differenceText(metric: GateMetric, value: number): string {
  if (isMean(metric)) return `1/${threeDigits(value)}`
  if (!isShare(metric)) return t('{threeDigits} times', { threeDigits: threeDigits(value) })
  if (isWrong(metric)) return `${threeDigits(value * 100)} %`
  const points = Number((value * 100).toPrecision(3))
  const text = threeDigits(points)
  return value > 0
    ? t('+{text} {points, plural, one {point} other {points}}', { text, points })
    : t('{text} {points, plural, one {point} other {points}}', { text, points })
}

export function intervalText(metric: GateMetric, low: number | null, high: number | null): string {
  if (low === null || high === null) return DASH
  const factor = isShare(metric) ? 100 : 1
  return t('{low} to {high}', { low: threeDigits(low * factor), high: threeDigits(high * factor) })
}

export const limitText = (metric: GateMetric, max: number): string =>
  `${isMean(metric) ? '≥' : '≤'} ${differenceText(metric, max).replace('+', '')}`
