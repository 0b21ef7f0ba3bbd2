// SPDX-License-Identifier: MIT
// What ends by time, in words: what is counted down, and what follows.
import { t } from '../../languages/t.ts'
import type { Policy, RolloutTimer, TaskState } from '../../lib/api-types.ts'

const awaited: Partial<Record<TaskState, string>> = {
  pending: t('to be there'),
  offered: t('to accept the version'),
  applying: t('to apply it'),
  applied: t('to be confirmed'),
  confirmed: t('to stay well'),
  reverting: t('to go back'),
}

const onDeadline = { revert: t('it goes back'), freeze: t('it is frozen'), pause: t('it pauses') }

/** "Wave watched", and what follows when its time is over. */
export function timerWords(
  { kind, node }: RolloutTimer,
  policy: Pick<Policy, 'onNoData' | 'onFailure'>,
): { name: string; follows: string } {
  switch (kind) {
    case 'start':
      return { name: t('Start'), follows: t('then it begins by itself') }
    case 'approval':
      return { name: t('Time to approve'), follows: t('then the order expires') }
    case 'window':
      return { name: t('Next change window'), follows: t('then it goes on by itself') }
    case 'files':
      return {
        name: t('One more file must come within'),
        follows: t('else the first wave begins all the same'),
      }
    case 'soak':
      return {
        name: t('The wave is watched'),
        follows: t('then its gates decide, or the next begins'),
      }
    case 'evidence':
      return {
        name: t('Time for evidence'),
        follows:
          policy.onNoData === 'continue'
            ? t('then it goes on without')
            : t('then it pauses and asks'),
      }
    case 'progress':
      return {
        name: t('One more node must be healthy within'),
        follows: t('else {onFailure}', { onFailure: onDeadline[policy.onFailure] }),
      }
    case 'node': {
      const isProof = node?.state === 'confirmed'
      return {
        name: `${node?.nodeName ?? t('A node')} ${(node && awaited[node.state]) ?? t('to answer')}`,
        follows: isProof ? t('then it counts as healthy') : t('else it counts as late'),
      }
    }
  }
}

/** "1 h 4 min", "2 min 08 s", "9 s": a second is a step. */
export function countdownText(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  if (left === 0) return t('any moment')
  if (left < 60) return t('{count} s', { count: left })
  if (left < 3600)
    return t('{floor} min {padStart} s', {
      floor: Math.floor(left / 60),
      padStart: String(left % 60).padStart(2, '0'),
    })
  const minutes = Math.floor(left / 60)
  if (minutes < 1440)
    return t('{floor} h {minutes} min', { floor: Math.floor(minutes / 60), minutes: minutes % 60 })
  return t('{days} d {hours} h', {
    days: Math.floor(minutes / 1440),
    hours: Math.floor((minutes % 1440) / 60),
  })
}
