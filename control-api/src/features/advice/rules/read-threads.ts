// SPDX-License-Identifier: MIT
// Reads wait far longer for a thread than they take: too few read threads, or too slow a disk.
import { quantile } from '../../../histogram/histogram.ts'
import type { Unit } from '../../../metrics-store/units.ts'
import {
  areEnough,
  latest,
  secondsOf,
  shareIn,
  stageOf,
  sumOf,
  timesAs,
  type Units,
} from '../measured.ts'
import { inDigits, inPercent, inSeconds } from '../words.ts'
import { meanWaitSeconds } from './erlang.ts'
import { drawn, plain, type Verdict } from './rule.ts'

const FEWEST_READS = 100
/** Below it nobody notices. */
const LEAST_WAIT_SECONDS = 0.005
const LEAST_TIMES = 2
/** Of the time of all requests. */
const LEAST_SHARE = 0.2
/** Threads that idle are not too few. */
const LEAST_BUSY = 0.5
/** A read this long is a disk's doing, whatever the number of threads. */
const SLOW_READ_SECONDS = 0.02
const TIMES_MORE = 2
const MOST_THREADS = 256
/** The wait must fall by a fifth at least, or the node goes back. */
const GATE = { metric: 'readWaitP99', max: 0.8 } as const

/** Their number may have changed meanwhile. */
const threadSeconds = (unit: Unit) => (unit.gauges.readThreads?.mean ?? 0) * unit.coveredSeconds

export function readThreads(units: Units): Verdict {
  const wait = stageOf(units, 'readWait')
  const read = stageOf(units, 'read')
  if (!wait || !read || read.count < FEWEST_READS || !areEnough(units)) {
    return { quiet: `${read?.count ?? 0} reads from disk; ${FEWEST_READS} are needed to judge.` }
  }
  const [waitP99 = 0, readP99 = 0] = [wait, read].map((stage) => quantile(stage, 0.99) ?? 0)
  const threads = latest(units, 'readThreads')
  const times = timesAs(units, { one: 'readWait', other: 'read' }, 0.99)
  const share = shareIn(units, (unit) => ({
    part: secondsOf(unit, 'readWait'),
    whole: secondsOf(unit, 'total'),
  }))
  const busy = shareIn(units, (unit) => ({
    part: secondsOf(unit, 'read'),
    whole: threadSeconds(unit),
  }))
  const isFar = times !== null && times.low >= LEAST_TIMES && waitP99 >= LEAST_WAIT_SECONDS
  const isMuch = share !== null && share.low >= LEAST_SHARE
  const isBusy = busy !== null && busy.low >= LEAST_BUSY
  if (!isFar || !isMuch || !isBusy) {
    const used = busy ? `; read threads are busy ${inPercent(busy.value)} of the time` : ''
    return {
      quiet: `99 of 100 reads wait at most ${inSeconds(waitP99)} for a thread and take at most ${inSeconds(readP99)}${used}.`,
    }
  }
  const meanRead = read.sumSeconds / read.count
  const seconds = sumOf(units, (unit) => unit.coveredSeconds)
  const perSecond = read.count / seconds
  const more = Math.min(MOST_THREADS, threads * TIMES_MORE)
  const expected = meanWaitSeconds({ threads: more, perSecond, meanSeconds: meanRead })
  const isSlowDisk = meanRead >= SLOW_READ_SECONDS
  return {
    advice: {
      title: isSlowDisk ? 'Reads wait: the disk is slow' : 'Reads wait for a thread',
      sentence:
        `The slowest of 100 reads waits ${inSeconds(waitP99)} for a read thread and then takes ${inSeconds(readP99)}. ` +
        (isSlowDisk
          ? `A read takes ${inSeconds(meanRead)} on average, which is slow for a disk. More threads help only if it can do more at once; otherwise it needs a faster disk or more memory for files.`
          : `The disk answers quickly, but all ${threads} threads are busy ${inPercent(busy.value)} of the time. More threads should help.`),
      figures: [
        plain(
          {
            ...{ name: 'readWaitP99', label: 'Read wait, 99 %', unit: 'seconds' },
            atLeast: LEAST_WAIT_SECONDS,
          },
          waitP99,
        ),
        plain({ name: 'readP99', label: 'Read, 99 %', unit: 'seconds' }, readP99),
        drawn(
          {
            ...{ name: 'waitToRead', label: 'Wait to read', unit: 'times' },
            atLeast: LEAST_TIMES,
          },
          times,
        ),
        drawn(
          {
            ...{ name: 'waitShare', label: 'Waiting, of all time', unit: 'share' },
            atLeast: LEAST_SHARE,
          },
          share,
        ),
        drawn(
          { name: 'busy', label: 'Read threads at work', unit: 'share', atLeast: LEAST_BUSY },
          busy,
        ),
        plain({ name: 'reads', label: 'Reads', unit: 'count', atLeast: FEWEST_READS }, read.count),
      ],
      arithmetic: [
        `Wait to read: ${inSeconds(waitP99)} / ${inSeconds(readP99)} = ${inDigits(times.value)}`,
        `Waiting, of all time: ${inSeconds(wait.sumSeconds)} of all requests’ ${inSeconds(stageOf(units, 'total')?.sumSeconds ?? 0)} = ${inPercent(share.value)}`,
        `Threads at work, measured: ${inSeconds(read.sumSeconds)} of reading / ${inSeconds(sumOf(units, threadSeconds))} that the threads had = ${inPercent(busy.value)}`,
        expected === null
          ? `Estimate for ${more} threads (M/M/c, ${inDigits(perSecond)} reads a second of ${inSeconds(meanRead)}): they would be full, too.`
          : `Estimate for ${more} threads (M/M/c, ${inDigits(perSecond)} reads a second of ${inSeconds(meanRead)}): a mean wait of ${inSeconds(expected)}, now ${inSeconds(wait.sumSeconds / wait.count)}. It takes for granted that reads get no slower and no more of them come.`,
      ],
      change:
        threads > 0 && threads < MOST_THREADS
          ? {
              ...{ pointer: '/io/readThreads', now: threads, times: TIMES_MORE },
              ...{ most: MOST_THREADS, gate: GATE },
            }
          : null,
      whyNoChange:
        threads < MOST_THREADS ? null : `It has ${threads} read threads, the most there may be.`,
    },
  }
}
