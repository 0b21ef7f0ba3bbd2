// SPDX-License-Identifier: MIT
// Most of the time goes into sending, while no disk is waited for: whom it is waited for. Two rules speak of it, slow-clients.ts and
// slow-network.ts, and never both.
import { quantile } from '../../../histogram/histogram.ts'
import type { Interval } from '../../../metrics-store/bootstrap.ts'
import type { Unit } from '../../../metrics-store/units.ts'
import { areEnough, counted, secondsOf, shareIn, stageOf, sumOf, type Units } from '../measured.ts'
import type { Figure } from '../schema.ts'
import { inBytes, inPercent, inSeconds } from '../words.ts'
import { drawn, plain } from './rule.ts'

const FEWEST_RESPONSES = 50
/** Below it nobody notices. */
const LEAST_WRITE_SECONDS = 0.1
/** Of the time of all requests. */
const LEAST_SHARE = 0.6
/** Ten megabits: what is slower is a network's or a client's pace. */
const MOST_BYTES_PER_SECOND = 1_250_000
/** Of the waiting: who has most of it. */
export const MOST_OF_IT = 0.5

/** A large file is read while it is sent: that much of it may be the disk's. */
const sending = (unit: Unit) =>
  Math.max(0, secondsOf(unit, 'write') - secondsOf(unit, 'readWait', 'read'))
const clients = (unit: Unit) => secondsOf(unit, 'writeClient')
/** A send buffer that is too small for the way is the way's, too. */
const network = (unit: Unit) => secondsOf(unit, 'writeNetwork', 'writeBuffer')
const waiting = (unit: Unit) => clients(unit) + network(unit)

/** null: one of them has most of it for certain. */
export const tooEven = ({ value, low, high }: Interval): string | null =>
  low < MOST_OF_IT && high > 1 - MOST_OF_IT
    ? `Of the waiting for sockets ${inPercent(value)} is for the network and the rest for clients: with its uncertainty that is too even to name one.`
    : null

/** Why nobody is named of whom sending waited. */
export const unnamed = (units: Units): string =>
  'Sending takes most of the time, but ' +
  (sumOf(units, waiting) > 0
    ? 'neither clients nor the network hold it up: a rate of the config does (connectionBytesPerSecond, bytesPerSecond), or busy event loops.'
    : 'the node told of no wait for a socket. Either a rate of the config holds it up (connectionBytesPerSecond, bytesPerSecond), or busy event loops; or the node does not measure such waits, as versions from before them and Unix sockets don’t, and whose doing it is is not known.')

export type Sending = {
  p99: number
  pace: number
  /** Of all time. */
  share: Interval
  /** Of the waiting for sockets: the network's. null: nothing waited for its socket, or little of the time went there. */
  networks: Interval | null
  figures: Figure[]
  arithmetic: string[]
}

/** A sentence: why sending is nothing to speak of. */
export function sendingOf(units: Units): Sending | string {
  const write = stageOf(units, 'write')
  if (!write || write.count < FEWEST_RESPONSES || !areEnough(units)) {
    return `${write?.count ?? 0} responses sent; ${FEWEST_RESPONSES} are needed to judge.`
  }
  const p99 = quantile(write, 0.99) ?? 0
  const share = shareIn(units, (unit) => ({ part: sending(unit), whole: secondsOf(unit, 'total') }))
  const bytes = sumOf(units, (unit) => counted(unit, 'bytesSent'))
  const pace = write.sumSeconds > 0 ? bytes / write.sumSeconds : Number.POSITIVE_INFINITY
  const isMost = share !== null && share.low >= LEAST_SHARE
  if (!isMost || p99 < LEAST_WRITE_SECONDS || pace > MOST_BYTES_PER_SECOND) {
    return `99 of 100 responses are sent within ${inSeconds(p99)}.`
  }
  const seconds = (read: (unit: Unit) => number) => inSeconds(sumOf(units, read))
  const waited = shareIn(units, (unit) => ({
    part: waiting(unit),
    whole: Math.max(waiting(unit), sending(unit)),
  }))
  const networks = shareIn(units, (unit) => ({ part: network(unit), whole: waiting(unit) }))
  return {
    ...{ p99, pace, share },
    networks: waited !== null && waited.low >= MOST_OF_IT ? networks : null,
    figures: [
      drawn(
        {
          ...{ name: 'writeShare', label: 'Sending, of all time', unit: 'share' },
          atLeast: LEAST_SHARE,
        },
        share,
      ),
      plain(
        {
          ...{ name: 'writeP99', label: 'Sending, 99 %', unit: 'seconds' },
          atLeast: LEAST_WRITE_SECONDS,
        },
        p99,
      ),
      plain(
        {
          ...{ name: 'pace', label: 'Pace of a response', unit: 'bytesPerSecond' },
          atMost: MOST_BYTES_PER_SECOND,
        },
        pace,
      ),
      plain(
        { name: 'responses', label: 'Responses', unit: 'count', atLeast: FEWEST_RESPONSES },
        write.count,
      ),
    ],
    arithmetic: [
      `Sending: ${inSeconds(write.sumSeconds)}, less ${seconds((unit) => secondsOf(unit, 'readWait', 'read'))} of waiting for disks meanwhile, of all requests’ ${seconds((unit) => secondsOf(unit, 'total'))} = ${inPercent(share.value)}`,
      `Pace: ${inBytes(bytes)} / ${inSeconds(write.sumSeconds)} of sending = ${inBytes(pace)} a second`,
      `Waiting for sockets: ${seconds(clients)} for clients that took nothing, ${seconds((unit) => secondsOf(unit, 'writeNetwork'))} for the network, ${seconds((unit) => secondsOf(unit, 'writeBuffer'))} for a send buffer that was too small for it`,
    ],
  }
}
