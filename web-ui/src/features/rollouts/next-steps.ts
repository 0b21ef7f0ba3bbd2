// SPDX-License-Identifier: MIT
// What may be done with a rollout now, what follows from each, and which of them is likely to be right.
import { t } from '../../languages/t.ts'
import type { Rollout } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import type { RolloutAction } from './api.ts'
import { backTo, brings } from './brought-words.ts'
import { nodesBegun } from './rules.ts'

/** Of what it is paused for. What goes on by itself is not here: nobody need do anything. */
const RECOMMENDED: Partial<Record<Rollout['reasonCode'], RolloutAction>> = {
  awaiting_approval: 'approve',
  manual: 'resume',
  gate_failed: 'revert',
  gate_no_data: 'resume',
  gate_inconclusive: 'resume',
  nodes_failed: 'revert',
  deadline: 'revert',
  storage_full: 'resume',
}

export const recommended = ({ reasonCode }: Pick<Rollout, 'reasonCode'>): RolloutAction | null =>
  RECOMMENDED[reasonCode] ?? null

export function consequenceOf(action: RolloutAction, rollout: Rollout): string {
  switch (action) {
    case 'approve':
      return approved(rollout)
    case 'reject':
      return t('The order ends, and no node changes. You say why.')
    case 'cancel':
      return t('The order ends, and no node changes.')
    case 'pause':
      return t('No further node gets {brings}; those that are at it finish.', {
        brings: brings(rollout),
      })
    case 'resume':
      return resumed(rollout)
    case 'skip-gate':
      return `${rollout.phase === 'files' ? afterFiles(rollout) : afterGate(rollout)} ${t('You say why.')}`
    case 'revert':
      return reverted(rollout)
    case 'freeze':
      return frozen(rollout)
  }
}

function approved({ approvals, approvalsNeeded, startAt }: Rollout): string {
  const missing = approvalsNeeded - approvals.length - 1
  if (missing > 0)
    return t('{missing, plural, one {# more person} other {# more people}} must agree after you.', {
      missing,
    })
  return startAt === null ? t('It begins at once.') : t('It begins at the time it was ordered for.')
}

function resumed(rollout: Rollout): string {
  switch (rollout.reasonCode) {
    case 'gate_failed':
    case 'gate_no_data':
    case 'gate_inconclusive':
      return t('The nodes of this wave are watched anew, and its gates decide again.')
    case 'deadline':
      return t('It gets that time once more.')
    case 'nodes_failed':
    case 'nodes_late':
      return t('It goes on without the nodes that failed; they keep what they run.')
    case 'nodes_away':
    case 'too_many_away':
    case 'control_plane_restart':
      return t('It goes on without the nodes that are away; they take it on return.')
    default:
      return t('It goes on with wave {wave} of {max}.', {
        wave: rollout.wave + 1,
        max: Math.max(rollout.waves.length, 1),
      })
  }
}

function afterGate(rollout: Rollout): string {
  const { waves, wave } = rollout
  const next = waves.find(({ index }) => index > wave)
  return next === undefined
    ? t('It ends as succeeded without waiting for evidence.')
    : t(
        '{brings} goes to {nodes, plural, one {# more node} other {# more nodes}} now, without waiting for evidence.',
        { brings: brings(rollout), nodes: next.nodes },
      )
}

function afterFiles(rollout: Rollout): string {
  const { waves, filesFirst } = rollout
  const left = filesFirst?.waitingNodes ?? 0
  const first = waves[0]?.nodes ?? 0
  return left > 0
    ? t(
        '{brings} goes to the first {first, plural, one {# node} other {# nodes}} now, though {left, plural, one {# node lacks} other {# nodes lack}} its files.',
        { brings: brings(rollout), first, left },
      )
    : t('{brings} goes to the first {first, plural, one {# node} other {# nodes}} now.', {
        brings: brings(rollout),
        first,
      })
}

function reverted(rollout: Rollout): string {
  const begun = nodesBegun(rollout)
  if (begun === 0) return t('No node runs it yet: it only ends.')
  return t(
    '{begun, plural, one {# node gets {backTo} again; the others never had {brings}.} other {# nodes get {backTo} again; the others never had {brings}.}}',
    { begun, backTo: backTo(rollout), brings: brings(rollout) },
  )
}

function frozen(rollout: Rollout): string {
  const begun = nodesBegun(rollout)
  const others = rollout.totalNodes - begun
  return others > 0
    ? t(
        '{begun, plural, one {It ends as it is: # node keeps {brings}, {others} what they had. That can’t be undone.} other {It ends as it is: # nodes keep {brings}, {others} what they had. That can’t be undone.}}',
        { begun, brings: brings(rollout), others: formatCount(others) },
      )
    : t(
        '{begun, plural, one {It ends as it is: # node keeps {brings}. That can’t be undone.} other {It ends as it is: # nodes keep {brings}. That can’t be undone.}}',
        { begun, brings: brings(rollout) },
      )
}
