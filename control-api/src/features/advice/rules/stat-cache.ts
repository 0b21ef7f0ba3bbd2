// SPDX-License-Identifier: MIT
// Look-ups are slow and mostly not in the stat cache: it is too small, or what it knows is trusted for too short a time.
import { quantile } from '../../../histogram/histogram.ts'
import {
  areEnough,
  counted,
  greatest,
  latest,
  secondsOf,
  shareIn,
  stageOf,
  sumOf,
  type Units,
} from '../measured.ts'
import type { Change } from '../schema.ts'
import { inDigits, inPercent, inSeconds } from '../words.ts'
import { drawn, plain, type Verdict } from './rule.ts'

const FEWEST_MISSES = 100
/** Below it nobody notices. */
const LEAST_STAT_SECONDS = 0.005
/** Of all look-ups. */
const MOST_HITS = 0.8
/** Of the time of all requests. */
const LEAST_SHARE = 0.2
/** Of misses: so many that pushed another entry out say that the cache is full. */
const LEAST_EVICTED = 0.3
/** Look-ups of each path that is remembered: fewer are first visits, which no cache spares. */
const LEAST_AGAIN = 3
const MOST_ENTRIES = 10_000_000
const MOST_TTL_MILLIS = 3_600_000
/** Not one hit of a hundred less than before, or the node goes back. */
const GATE = { metric: 'cacheHits', max: 0 } as const

export function statCache(units: Units): Verdict {
  const stat = stageOf(units, 'stat')
  const misses = sumOf(units, (unit) => counted(unit, 'cacheMisses'))
  const lookUps = sumOf(units, (unit) => counted(unit, 'cacheHits', 'cacheMisses'))
  if (!stat || misses < FEWEST_MISSES || !areEnough(units)) {
    return {
      quiet: `${misses} look-ups that asked the disk; ${FEWEST_MISSES} are needed to judge.`,
    }
  }
  const p99 = quantile(stat, 0.99) ?? 0
  const hits = shareIn(units, (unit) => ({
    part: counted(unit, 'cacheHits'),
    whole: counted(unit, 'cacheHits', 'cacheMisses'),
  }))
  const share = shareIn(units, (unit) => ({
    part: secondsOf(unit, 'statWait', 'stat'),
    whole: secondsOf(unit, 'total'),
  }))
  const isSlow = p99 >= LEAST_STAT_SECONDS && share !== null && share.low >= LEAST_SHARE
  if (!isSlow || !hits || hits.high > MOST_HITS) {
    const known = hits ? `, ${inPercent(hits.value)} of look-ups are in the cache` : ''
    return { quiet: `99 of 100 look-ups on disk take at most ${inSeconds(p99)}${known}.` }
  }
  const entries = greatest(units, 'cacheEntries')
  const limit = latest(units, 'cacheEntriesLimit')
  const evictions = sumOf(units, (unit) => counted(unit, 'cacheEvictions'))
  const again = misses / Math.max(1, entries)
  const isFull = evictions / misses >= LEAST_EVICTED
  if (!isFull && again < LEAST_AGAIN) {
    return {
      quiet: `Each of ${entries} remembered paths was looked up on disk ${inDigits(again)} times: first visits, which no cache spares.`,
    }
  }
  const isLargest = isFull && limit >= MOST_ENTRIES
  const change: Change = isFull
    ? {
        ...{ pointer: '/statCache/maxEntries', now: limit > 0 ? limit : null, times: 4 },
        ...{ most: MOST_ENTRIES, gate: GATE },
      }
    : {
        ...{ pointer: '/statCache/ttlMillis', now: null, times: 10 },
        ...{ most: MOST_TTL_MILLIS, gate: GATE },
      }
  return {
    advice: {
      title: isFull ? 'The stat cache is too small' : 'The stat cache forgets too soon',
      sentence:
        `Only ${inPercent(hits.value)} of look-ups are answered from the stat cache, and the slowest of 100 others takes ${inSeconds(p99)}. ` +
        (isFull
          ? `It is full at ${limit} entries: ${inPercent(evictions / misses)} of what came in pushed another out. A larger one should help, unless a crawler asks for each file once.`
          : `It has room, but each path was looked up on disk ${inDigits(again)} times: what is known is trusted for too short a time. A longer one should help; changes on disk are then seen later.`),
      figures: [
        drawn(
          {
            ...{ name: 'hits', label: 'Look-ups in the cache', unit: 'share' },
            atMost: MOST_HITS,
          },
          hits,
        ),
        plain(
          {
            ...{ name: 'statP99', label: 'Look-up on disk, 99 %', unit: 'seconds' },
            atLeast: LEAST_STAT_SECONDS,
          },
          p99,
        ),
        drawn(
          {
            ...{ name: 'statShare', label: 'Looking up, of all time', unit: 'share' },
            atLeast: LEAST_SHARE,
          },
          share,
        ),
        plain(
          { name: 'misses', label: 'Look-ups on disk', unit: 'count', atLeast: FEWEST_MISSES },
          misses,
        ),
        isFull
          ? plain(
              {
                ...{ name: 'evicted', label: 'Pushed another out', unit: 'share' },
                atLeast: LEAST_EVICTED,
              },
              evictions / misses,
            )
          : plain(
              {
                ...{ name: 'again', label: 'Look-ups of each path', unit: 'times' },
                atLeast: LEAST_AGAIN,
              },
              again,
            ),
      ],
      arithmetic: [
        `In the cache: ${lookUps - misses} of ${lookUps} look-ups = ${inPercent(hits.value)}`,
        `Looking up, of all time: ${inSeconds(sumOf(units, (unit) => secondsOf(unit, 'statWait', 'stat')))} of all requests’ ${inSeconds(sumOf(units, (unit) => secondsOf(unit, 'total')))} = ${inPercent(share.value)}`,
        `Pushed out: ${evictions} / ${misses} look-ups on disk = ${inPercent(evictions / misses)}`,
        `Look-ups of each path: ${misses} / ${entries} entries = ${inDigits(again)}`,
      ],
      change: isLargest ? null : change,
      whyNoChange: isLargest ? `It has room for ${limit} entries, the most there may be.` : null,
    },
  }
}
