// SPDX-License-Identifier: MIT
// All rules over the windows of one node. Pure.
import type { UnitsQuery } from '../../metrics-store/units.ts'
import type { Units } from './measured.ts'
import { handshakes } from './rules/handshakes.ts'
import { readThreads } from './rules/read-threads.ts'
import type { Verdict } from './rules/rule.ts'
import { slowClients } from './rules/slow-clients.ts'
import { slowNetwork } from './rules/slow-network.ts'
import { statCache } from './rules/stat-cache.ts'
import { type Advice, type Quiet, RULES, type Rule } from './schema.ts'

const RULE_OF: Record<Rule, (units: Units) => Verdict> = {
  readThreads,
  statCache,
  slowClients,
  slowNetwork,
  handshakes,
}

/** What the rules read of a window. */
export const READ: UnitsQuery['wanted'] = {
  stages: [
    ...(['total', 'readWait', 'read', 'statWait', 'stat', 'write', 'handshake'] as const),
    ...(['writeClient', 'writeBuffer', 'writeNetwork', 'roundTrip'] as const),
  ],
  counters: [
    ...['requests', 'bytesSent', 'cacheHits', 'cacheMisses', 'cacheEvictions'],
    ...['tlsHandshakes', 'tlsFullHandshakes', 'retransmittedBytes'],
  ],
  gauges: ['readThreads', 'cacheEntries', 'cacheEntriesLimit'],
}

export function advise(units: Units): { advice: Advice[]; quiet: Quiet[] } {
  const advice: Advice[] = []
  const quiet: Quiet[] = []
  for (const rule of RULES) {
    const verdict = RULE_OF[rule](units)
    if ('advice' in verdict) advice.push({ rule, ...verdict.advice })
    else quiet.push({ rule, why: verdict.quiet })
  }
  return { advice, quiet }
}
