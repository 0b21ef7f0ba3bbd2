// SPDX-License-Identifier: MIT
// What may be done with a rollout now, what follows from each, and which of them is likely to be right.
import type { Rollout } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'
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
      return 'The order ends, and no node changes. You say why.'
    case 'cancel':
      return 'The order ends, and no node changes.'
    case 'pause':
      return `No further node gets ${brings(rollout)}; those that are at it finish.`
    case 'resume':
      return resumed(rollout)
    case 'skip-gate':
      return `${rollout.phase === 'files' ? afterFiles(rollout) : afterGate(rollout)} You say why.`
    case 'revert':
      return reverted(rollout)
    case 'freeze':
      return frozen(rollout)
  }
}

function approved({ approvals, approvalsNeeded, startAt }: Rollout): string {
  const missing = approvalsNeeded - approvals.length - 1
  if (missing > 0) return `${plural(missing, 'more person', 'more people')} must agree after you.`
  return startAt === null ? 'It begins at once.' : 'It begins at the time it was ordered for.'
}

function resumed(rollout: Rollout): string {
  switch (rollout.reasonCode) {
    case 'gate_failed':
    case 'gate_no_data':
    case 'gate_inconclusive':
      return 'The nodes of this wave are watched anew, and its gates decide again.'
    case 'deadline':
      return 'It gets that time once more.'
    case 'nodes_failed':
    case 'nodes_late':
      return 'It goes on without the nodes that failed; they keep what they run.'
    case 'nodes_away':
    case 'too_many_away':
    case 'control_plane_restart':
      return 'It goes on without the nodes that are away; they take it on return.'
    default:
      return `It goes on with wave ${rollout.wave + 1} of ${Math.max(rollout.waves.length, 1)}.`
  }
}

function afterGate(rollout: Rollout): string {
  const { waves, wave } = rollout
  const next = waves.find(({ index }) => index > wave)
  return next === undefined
    ? 'It ends as succeeded without waiting for evidence.'
    : `${brings(rollout)} goes to ${plural(next.nodes, 'more node')} now, without waiting for evidence.`
}

function afterFiles(rollout: Rollout): string {
  const { waves, filesFirst } = rollout
  const left = filesFirst?.waitingNodes ?? 0
  const without =
    left > 0 ? `, though ${plural(left, 'node')} ${left === 1 ? 'lacks' : 'lack'} its files` : ''
  return `${brings(rollout)} goes to the first ${plural(waves[0]?.nodes ?? 0, 'node')} now${without}.`
}

function reverted(rollout: Rollout): string {
  const begun = nodesBegun(rollout)
  if (begun === 0) return 'No node runs it yet: it only ends.'
  return `${plural(begun, 'node')} ${begun === 1 ? 'gets' : 'get'} ${backTo(rollout)} again; the others never had ${brings(rollout)}.`
}

function frozen(rollout: Rollout): string {
  const begun = nodesBegun(rollout)
  const others = rollout.totalNodes - begun
  const keep = `${plural(begun, 'node')} ${begun === 1 ? 'keeps' : 'keep'} ${brings(rollout)}`
  const rest = others > 0 ? `, ${formatCount(others)} what they had` : ''
  return `It ends as it is: ${keep}${rest}. That can’t be undone.`
}
