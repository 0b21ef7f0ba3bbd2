// SPDX-License-Identifier: MIT
import type { Advice } from '../../../lib/api-types.ts'
import { formatBytes, formatCount, formatSeconds } from '../../../lib/format.ts'

type Figure = Advice['figures'][number]
type Change = NonNullable<Advice['change']>

const inUnit: Record<Figure['unit'], (value: number) => string> = {
  seconds: formatSeconds,
  share: (value) => `${digits(value * 100)} %`,
  times: (value) => `${digits(value)} times`,
  count: formatCount,
  bytesPerSecond: (value) => `${formatBytes(value)} a second`,
}
const digits = (value: number) => String(Number(value.toPrecision(3)))

/** The number, how sure it is, and the bound that it is held against. */
export function figureWords({ unit, value, low, high, atLeast, atMost }: Figure): string {
  const say = inUnit[unit]
  const range = low !== null && high !== null ? ` (${say(low)} to ${say(high)})` : ''
  const bound =
    atLeast !== null
      ? `; at least ${say(atLeast)}`
      : atMost !== null
        ? `; at most ${say(atMost)}`
        : ''
  return `${say(value)}${range}${bound}`
}

const gateWords: Record<Change['gate']['metric'], string> = {
  readWaitP99: 'reads do not wait clearly less',
  cacheHits: 'the cache does not answer more look-ups',
}

/** What a trial does, before it is asked for. */
export function trialWords({ pointer, now, times, most, gate }: Change): string {
  const name = pointer.slice(1).replaceAll('/', '.')
  const to = now === null ? `${times} times what it is` : String(Math.min(most, now * times))
  const from = now === null ? '' : ` from ${now}`
  return `A trial saves a version with ${name}${from} to ${to} and rolls it out to this node only. The node goes back if ${gateWords[gate.metric]}.`
}
