// SPDX-License-Identifier: MIT
// Clients take what they asked for slowly: their windows were full, that of TCP by the kernel’s count or those of HTTP/2.
import type { Units } from '../measured.ts'
import { inBytes, inPercent } from '../words.ts'
import { drawn, type Verdict } from './rule.ts'
import { MOST_OF_IT, sendingOf, tooEven, unnamed } from './sending.ts'

export function slowClients(units: Units): Verdict {
  const sending = sendingOf(units)
  if (typeof sending === 'string') return { quiet: sending }
  const { networks, share, pace } = sending
  if (networks === null) return { quiet: unnamed(units) }
  const even = tooEven(networks)
  if (even) return { quiet: even }
  if (networks.high > 1 - MOST_OF_IT) {
    return {
      quiet: `Of the waiting for sockets ${inPercent(networks.value)} is for the network, not for clients.`,
    }
  }
  return {
    advice: {
      title: 'Clients take what they asked for slowly',
      sentence: `${inPercent(share.value)} of the time goes into sending, at ${inBytes(pace)} a second for each response, while the disks have done their part. Clients are slow, not this server and not the network: ${inPercent(1 - networks.value)} of the waiting was for clients that took nothing.`,
      figures: [
        ...sending.figures,
        drawn(
          {
            ...{ name: 'clientShare', label: 'For clients, of the waiting', unit: 'share' },
            atLeast: MOST_OF_IT,
          },
          { value: 1 - networks.value, low: 1 - networks.high, high: 1 - networks.low },
        ),
      ],
      arithmetic: sending.arithmetic,
      change: null,
      whyNoChange:
        'No value of the config makes clients faster. Smaller files do: see compression.',
    },
  }
}
