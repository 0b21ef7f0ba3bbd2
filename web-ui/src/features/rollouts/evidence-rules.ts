// SPDX-License-Identifier: MIT
// The numbers of a comparison as they are read: quantiles by ratio, shares by difference.
import { t } from '../../languages/t.ts'
import type { GateMetric } from '../../lib/api-types.ts'
import { DASH, formatBytes, formatDigits, formatRatio, formatSeconds } from '../../lib/format.ts'
import { isMean, isOfBytes, isShare, isWrong } from './rules.ts'

export function sideText(metric: GateMetric, value: number | null): string {
  if (isOfBytes(metric)) return formatBytes(value)
  return isShare(metric) ? formatRatio(value) : formatSeconds(value)
}

/** "2.25 times", "1/30" of the others', "+1.2 points": of percent, so that it is no share of a share. */
export function differenceText(metric: GateMetric, value: number): string {
  if (isMean(metric)) return `1/${formatDigits(value)}`
  if (!isShare(metric)) return t('{digits} times', { digits: formatDigits(value) })
  if (isWrong(metric)) return `${formatDigits(value * 100)} %`
  const points = Number((value * 100).toPrecision(3))
  const text = formatDigits(points)
  return value > 0
    ? t('+{text} {points, plural, one {point} other {points}}', { text, points })
    : t('{text} {points, plural, one {point} other {points}}', { text, points })
}

export function intervalText(metric: GateMetric, low: number | null, high: number | null): string {
  if (low === null || high === null) return DASH
  const factor = isShare(metric) ? 100 : 1
  return t('{low} to {high}', {
    low: formatDigits(low * factor),
    high: formatDigits(high * factor),
  })
}

export const limitText = (metric: GateMetric, max: number): string =>
  `${isMean(metric) ? '≥' : '≤'} ${differenceText(metric, max).replace('+', '')}`
