// SPDX-License-Identifier: MIT
// What a message about an offer means, given where the offer stands. Pure. Networks repeat and reorder,
// so each pair has an answer:
//   t  take: news, store it
//   r  repeated: the first time was enough, answer the same
//   s  stale: it contradicts what came after it; taking it would go back in time, so it is answered and forgotten
import type { AssignmentState } from '../db/database.ts'

export type Said = Exclude<AssignmentState, 'offered' | 'withdrawn'>
export type Verdict = 'take' | 'repeated' | 'stale'

const states: AssignmentState[] = [
  'offered',
  'acked',
  'nacked',
  'applied',
  'confirmed',
  'reverted',
  'stuck',
  'withdrawn',
]
const table: Record<Said, string> = {
  // columns: the states above, in their order
  acked: 'trsrrrrs',
  nacked: 'ttrsssss',
  applied: 'ttsrrsss',
  confirmed: 'ttstrsss',
  reverted: 'ttsttrts',
  stuck: 'ttsttsrs',
}
const verdicts: Record<string, Verdict> = { t: 'take', r: 'repeated', s: 'stale' }

export function judge(said: Said, state: AssignmentState): Verdict {
  return verdicts[table[said].charAt(states.indexOf(state))] ?? 'stale'
}
