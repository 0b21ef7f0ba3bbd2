// SPDX-License-Identifier: MIT
// Handshakes take most of the time, and hardly any resumes an earlier session: resumption is broken, or nobody uses it.
import { quantile } from '../../../histogram/histogram.ts'
import { areEnough, counted, secondsOf, shareIn, stageOf, sumOf, type Units } from '../measured.ts'
import { inDigits, inPercent, inSeconds } from '../words.ts'
import { drawn, plain, type Verdict } from './rule.ts'

const FEWEST_HANDSHAKES = 100
/** Of the time of requests and handshakes together. */
const LEAST_SHARE = 0.5
/** Of all handshakes: those that resume nothing. */
const LEAST_FULL = 0.9
/** Of each request: fewer are paid back by what the connection carries. */
const LEAST_PER_REQUEST = 0.5

export function handshakes(units: Units): Verdict {
  const done = sumOf(units, (unit) => counted(unit, 'tlsHandshakes'))
  const full = sumOf(units, (unit) => counted(unit, 'tlsFullHandshakes'))
  const requests = sumOf(units, (unit) => counted(unit, 'requests'))
  const stage = stageOf(units, 'handshake')
  if (!stage || done < FEWEST_HANDSHAKES || !areEnough(units)) {
    return { quiet: `${done} TLS handshakes; ${FEWEST_HANDSHAKES} are needed to judge.` }
  }
  const share = shareIn(units, (unit) => ({
    part: secondsOf(unit, 'handshake'),
    whole: secondsOf(unit, 'handshake', 'total'),
  }))
  // A node of an older version counts no full ones: then nothing is said.
  const fullShare = shareIn(units, (unit) => ({
    part: counted(unit, 'tlsFullHandshakes'),
    whole: counted(unit, 'tlsHandshakes'),
  }))
  const perRequest = shareIn(units, (unit) => ({
    part: counted(unit, 'tlsHandshakes'),
    whole: counted(unit, 'requests'),
  }))
  const isMost = share !== null && share.low >= LEAST_SHARE
  const isFull = fullShare !== null && fullShare.low >= LEAST_FULL
  const isOften = perRequest !== null && perRequest.low >= LEAST_PER_REQUEST
  if (!isMost || !isFull || !isOften) {
    return {
      quiet: `${done} TLS handshakes for ${requests} requests take ${inPercent(share?.value ?? 0)} of the time.`,
    }
  }
  const p99 = quantile(stage, 0.99) ?? 0
  return {
    advice: {
      title: 'TLS sessions are not resumed',
      sentence: `${inPercent(share.value)} of the time goes into TLS handshakes, and ${inPercent(fullShare.value)} of them are full ones: clients connect for nearly each request and resume no session. Look at what connects: a proxy or a client that keeps neither connections nor sessions, or a balancer that sends clients to nodes of another group, whose keys for sessions differ.`,
      figures: [
        drawn(
          {
            ...{ name: 'handshakeShare', label: 'Handshakes, of all time', unit: 'share' },
            atLeast: LEAST_SHARE,
          },
          share,
        ),
        drawn(
          {
            ...{ name: 'fullShare', label: 'Full handshakes', unit: 'share' },
            atLeast: LEAST_FULL,
          },
          fullShare,
        ),
        drawn(
          {
            ...{ name: 'perRequest', label: 'Handshakes for each request', unit: 'times' },
            atLeast: LEAST_PER_REQUEST,
          },
          perRequest,
        ),
        plain({ name: 'handshakeP99', label: 'Handshake, 99 %', unit: 'seconds' }, p99),
        plain(
          { name: 'handshakes', label: 'Handshakes', unit: 'count', atLeast: FEWEST_HANDSHAKES },
          done,
        ),
      ],
      arithmetic: [
        `Handshakes, of all time: ${inSeconds(stage.sumSeconds)} / (${inSeconds(stage.sumSeconds)} + all requests’ ${inSeconds(sumOf(units, (unit) => secondsOf(unit, 'total')))}) = ${inPercent(share.value)}`,
        `Full ones: ${full} of ${done} = ${inPercent(fullShare.value)}`,
        `For each request: ${done} / ${requests} = ${inDigits(perRequest.value)}`,
      ],
      change: null,
      whyNoChange:
        'Sessions are always offered, and nodes of a group share their keys: no value of the config changes it.',
    },
  }
}
