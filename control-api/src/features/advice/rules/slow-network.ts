// SPDX-License-Identifier: MIT
// The way to clients is narrow, long or loses packets: neither they nor this server are slow.
import { quantile } from '../../../histogram/histogram.ts'
import { counted, stageOf, sumOf, type Units } from '../measured.ts'
import { inBytes, inPercent, inSeconds } from '../words.ts'
import { drawn, plain, type Verdict } from './rule.ts'
import { MOST_OF_IT, sendingOf, tooEven, unnamed } from './sending.ts'

/** More than a hundredth of the bytes sent again is loss that TCP slows down for. */
const LOSS = 0.01

export function slowNetwork(units: Units): Verdict {
  const sending = sendingOf(units)
  if (typeof sending === 'string') return { quiet: sending }
  const { networks, share, pace } = sending
  if (networks === null) return { quiet: unnamed(units) }
  const even = tooEven(networks)
  if (even) return { quiet: even }
  if (networks.low < MOST_OF_IT) {
    return {
      quiet: `Of the waiting for sockets ${inPercent(1 - networks.value)} is for clients, not for the network.`,
    }
  }
  const sent = sumOf(units, (unit) => counted(unit, 'bytesSent'))
  const again = sumOf(units, (unit) => counted(unit, 'retransmittedBytes'))
  const lost = sent > 0 ? again / sent : 0
  const trips = stageOf(units, 'roundTrip')
  const trip = (trips && quantile(trips, 0.5)) ?? 0
  const why =
    lost >= LOSS
      ? `${inPercent(lost)} of the bytes were sent again: packets are lost on the way`
      : `hardly anything was sent again, so the way is narrow or long (${inSeconds(trip)} there and back)`
  return {
    advice: {
      title: 'The network to clients is slow',
      sentence: `${inPercent(share.value)} of the time goes into sending, at ${inBytes(pace)} a second for each response, and ${inPercent(networks.value)} of the waiting was for the network; ${why}. Neither clients nor this server and its version are slow.`,
      figures: [
        ...sending.figures,
        drawn(
          {
            ...{ name: 'networkShare', label: 'For the network, of the waiting', unit: 'share' },
            atLeast: MOST_OF_IT,
          },
          networks,
        ),
        plain(
          { name: 'roundTripP50', label: 'There and back, half of them', unit: 'seconds' },
          trip,
        ),
        plain({ name: 'lostShare', label: 'Bytes sent again', unit: 'share' }, lost),
      ],
      arithmetic: [
        ...sending.arithmetic,
        `Sent again: ${inBytes(again)} of ${inBytes(sent)} = ${inPercent(lost)}`,
      ],
      change: null,
      whyNoChange:
        'No value of the config makes the network faster. Nodes nearer to clients and smaller files do; a send buffer that is too small is the machine’s net.ipv4.tcp_wmem.',
    },
  }
}
