// SPDX-License-Identifier: MIT
// What a comparison says, in words and as places on a line. Pure.
import { t } from '../../languages/t.ts'
import type { Comparison } from '../../lib/api-types.ts'
import { formatRatio } from '../../lib/format.ts'

export type Interval = NonNullable<Comparison['errors']['difference']>
export type Verdict = 'slower' | 'faster' | 'same' | 'unknown'

/** An interval that has 1 in it says that no difference was found. */
export function verdictOf(ratio: Interval | null): Verdict {
  if (ratio === null) return 'unknown'
  if (ratio.low > 1) return 'slower'
  return ratio.high < 1 ? 'faster' : 'same'
}

const times = (value: number): string => String(Number(value.toPrecision(3)))
export const ratioWords = (ratio: Interval | null): string =>
  ratio === null
    ? '–'
    : t('{times} × ({low} to {high})', {
        times: times(ratio.value),
        low: times(ratio.low),
        high: times(ratio.high),
      })

/** `what`: "p99", as in "the p99 of …". */
export function sentence(
  { a, b }: { a: string; b: string },
  what: string,
  ratio: Interval | null,
): string {
  if (ratio === null)
    return t('There is too little of one of them to compare their {what}.', { what })
  const { value, low, high } = ratio
  const range = t('between {low} and {high} times', { low: times(low), high: times(high) })
  switch (verdictOf(ratio)) {
    case 'slower':
      return t(
        '{a}: its {what} is {times} times that of {b}. With 95 % confidence it is {range}, so it is slower.',
        { a, what, times: times(value), b, range },
      )
    case 'faster':
      return t(
        '{a}: its {what} is {times} times that of {b}. With 95 % confidence it is {range}, so it is faster.',
        { a, what, times: times(value), b, range },
      )
    default:
      return t(
        'No difference in {what} was found: with 95 % confidence that of {a} is {range} that of {b}, and “the same” is among these.',
        { what, a, range, b },
      )
  }
}

const share = (title: string, { requests, errors }: { requests: number; errors: number }) =>
  t('{title}: {errors} of {requests, plural, one {# request} other {# requests}}', {
    title,
    errors: formatRatio(requests === 0 ? null : errors / requests),
    requests,
  })

export function errorsSentence({ a, b, errors }: Comparison): string {
  const { difference } = errors
  const shares = t('Answers with 5xx. {share}; {share2}', {
    share: share(a.title, errors.a),
    share2: share(b.title, errors.b),
  })
  if (difference === null) return t('{shares}. That is too little to compare.', { shares })
  if (difference.low > 0) return t('{shares}. The first has more, and not by chance.', { shares })
  return difference.high < 0
    ? t('{shares}. The first has less, and not by chance.', { shares })
    : t('{shares}. No difference was found.', { shares })
}

/** The line goes from a quarter to four times, in equal steps of twice as much. */
const WIDEST = 4
export const ticks = [0.25, 0.5, 1, 2, 4] as const

/** From 0 to 1 along the line; what is beyond its ends stands at them. */
export const placeOf = (ratio: number): number => {
  const within = Math.min(WIDEST, Math.max(1 / WIDEST, ratio))
  return 0.5 + Math.log(within) / (2 * Math.log(WIDEST))
}
export const isBeyond = ({ low, high }: Interval): boolean => low < 1 / WIDEST || high > WIDEST
