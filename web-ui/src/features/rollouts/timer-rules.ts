// SPDX-License-Identifier: MIT
// What ends by time, in words: what is counted down, and what follows.
import type { Policy, RolloutTimer, TaskState } from '../../lib/api-types.ts'

const awaited: Partial<Record<TaskState, string>> = {
  pending: 'to be there',
  offered: 'to accept the version',
  applying: 'to apply it',
  applied: 'to be confirmed',
  confirmed: 'to stay well',
  reverting: 'to go back',
}

const onDeadline = { revert: 'it goes back', freeze: 'it is frozen', pause: 'it pauses' }

/** "Wave watched", and what follows when its time is over. */
export function timerWords(
  { kind, node }: RolloutTimer,
  policy: Pick<Policy, 'onNoData' | 'onFailure'>,
): { name: string; follows: string } {
  switch (kind) {
    case 'start':
      return { name: 'Start', follows: 'then it begins by itself' }
    case 'approval':
      return { name: 'Time to approve', follows: 'then the order expires' }
    case 'window':
      return { name: 'Next change window', follows: 'then it goes on by itself' }
    case 'files':
      return {
        name: 'One more file must come within',
        follows: 'else the first wave begins all the same',
      }
    case 'soak':
      return { name: 'The wave is watched', follows: 'then its gates decide, or the next begins' }
    case 'evidence':
      return {
        name: 'Time for evidence',
        follows:
          policy.onNoData === 'continue' ? 'then it goes on without' : 'then it pauses and asks',
      }
    case 'progress':
      return {
        name: 'One more node must be healthy within',
        follows: `else ${onDeadline[policy.onFailure]}`,
      }
    case 'node': {
      const isProof = node?.state === 'confirmed'
      return {
        name: `${node?.nodeName ?? 'A node'} ${(node && awaited[node.state]) ?? 'to answer'}`,
        follows: isProof ? 'then it counts as healthy' : 'else it counts as late',
      }
    }
  }
}

/** "1 h 4 min", "2 min 08 s", "9 s": a second is a step. */
export function countdownText(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  if (left === 0) return 'any moment'
  if (left < 60) return `${left} s`
  if (left < 3600) return `${Math.floor(left / 60)} min ${String(left % 60).padStart(2, '0')} s`
  const minutes = Math.floor(left / 60)
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`
}
