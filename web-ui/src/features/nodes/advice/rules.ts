// SPDX-License-Identifier: MIT
import { t } from '../../../languages/t.ts'
import type { Advice } from '../../../lib/api-types.ts'
import { formatBytes, formatCount, formatDigits, formatSeconds } from '../../../lib/format.ts'

type Figure = Advice['figures'][number]
type Change = NonNullable<Advice['change']>

const inUnit: Record<Figure['unit'], (value: number) => string> = {
  seconds: formatSeconds,
  share: (value) => `${formatDigits(value * 100)} %`,
  times: (value) => t('{digits} times', { digits: formatDigits(value) }),
  count: formatCount,
  bytesPerSecond: (value) => t('{bytes} a second', { bytes: formatBytes(value) }),
}

/** The number, how sure it is, and the bound that it is held against. */
export function figureWords({ unit, value, low, high, atLeast, atMost }: Figure): string {
  const say = inUnit[unit]
  const range =
    low !== null && high !== null ? t(' ({low} to {high})', { low: say(low), high: say(high) }) : ''
  const bound =
    atLeast !== null
      ? t('; at least {atLeast}', { atLeast: say(atLeast) })
      : atMost !== null
        ? t('; at most {atMost}', { atMost: say(atMost) })
        : ''
  return `${say(value)}${range}${bound}`
}

const gateWords: Record<Change['gate']['metric'], string> = {
  readWaitP99: t('reads do not wait clearly less'),
  cacheHits: t('the cache does not answer more look-ups'),
}

/** What a trial does, before it is asked for. */
export function trialWords({ pointer, now, times, most, gate }: Change): string {
  const name = pointer.slice(1).replaceAll('/', '.')
  const to =
    now === null ? t('{times} times what it is', { times }) : String(Math.min(most, now * times))
  const metric = gateWords[gate.metric]
  return now === null
    ? t(
        'A trial saves a version with {name} to {to} and rolls it out to this node only. The node goes back if {metric}.',
        { name, to, metric },
      )
    : t(
        'A trial saves a version with {name} from {now} to {to} and rolls it out to this node only. The node goes back if {metric}.',
        { name, now, to, metric },
      )
}
