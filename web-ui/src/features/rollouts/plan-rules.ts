// SPDX-License-Identifier: MIT

import { cordonedVerdict } from '../../components/cordoned-badge.tsx'
import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { RolloutPlan } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'

type PlannedNode = RolloutPlan['nodes']['items'][number]
export type Row = { node: PlannedNode; verdict: Verdict }
/** A part's title, then its nodes. */
export type PlanRow = ({ title: string } | Row) & { key: string }

/** Wave by wave; what is skipped, or has it already, is none of a wave's. `nodes`: those that are known yet, in the plan's order. */
export function planRows(plan: RolloutPlan, nodes: readonly PlannedNode[]): PlanRow[] {
  const rows: PlanRow[] = []
  let before: string | null = null
  for (const node of nodes) {
    const title = titleOf(node, plan)
    if (title !== before && plan.waves > 1) rows.push({ key: title, title })
    before = title
    rows.push({ key: node.nodeId, node, verdict: verdictOf(node) })
  }
  return rows
}

function titleOf({ changes, cordon, wave }: PlannedNode, plan: RolloutPlan): string {
  const { nodes, changingNodes, cordonedNodes, waveNodes } = plan
  if (!changes)
    return t('No change: {nodes, plural, one {# node} other {# nodes}}', {
      nodes: nodes.total - changingNodes - cordonedNodes,
    })
  if (cordon !== null)
    return t('Skipped: {cordonedNodes, plural, one {# node} other {# nodes}}', { cordonedNodes })
  return t('Wave {wave}: {wave2, plural, one {# node} other {# nodes}}', {
    wave: wave + 1,
    wave2: waveNodes[wave] ?? 0,
  })
}

/** It is offered the version. */
export const isToChange = ({ changes, cordon }: Pick<PlannedNode, 'changes' | 'cordon'>) =>
  changes && cordon === null

function verdictOf(node: PlannedNode): Verdict {
  if (node.errors.length > 0) return { label: t('Would refuse it'), tone: 'bad', shape: 'square' }
  if (!node.changes) return { label: t('Runs it already'), tone: 'good', shape: 'disc' }
  if (node.cordon !== null) return { ...cordonedVerdict, label: t('Skipped because cordoned') }
  if (node.willRefuse) return { label: t('Will refuse it'), tone: 'bad', shape: 'square' }
  if (node.isDrifted) return { label: t('Changed by hand'), tone: 'bad', shape: 'diamond' }
  if (!node.connected) return { label: t('Takes it on return'), tone: 'warn', shape: 'ring' }
  return { label: t('Takes it now'), tone: 'info', shape: 'half' }
}

/** Those in which every node runs it already are over as they begin. */
const wavesThatChange = ({ waveNodes }: RolloutPlan): number =>
  waveNodes.filter((nodes) => nodes > 0).length

/** How many nodes can be between two configs at the same time, of those it goes to. */
export function blastRadius(plan: RolloutPlan): string {
  const { nodes, changingNodes, policy } = plan
  const waves = wavesThatChange(plan)
  const most = Math.min(changingNodes, policy.blastBudget ?? changingNodes)
  const percent = Math.round((most / nodes.total) * 100)
  return waves > 1
    ? t(
        '{waves} waves, at most {most, plural, one {# node} other {# nodes}} ({percent} %) between two configs at once',
        { waves, most, percent },
      )
    : t(
        'at most {most, plural, one {# node} other {# nodes}} ({percent} %) between two configs at once',
        { most, percent },
      )
}

/** What pressing the button does: to how many, when, and what follows when it goes wrong. */
export function consequence(plan: RolloutPlan): string {
  const { changingNodes: changing, waveNodes, policy, version } = plan
  const waves = wavesThatChange(plan)
  const first = waveNodes.find((nodes) => nodes > 0) ?? 0
  const time = minutes(policy.minHealthySeconds + policy.soakSeconds)
  if (policy.maxParallel === null) {
    const all = t(
      'v{version} goes to {changing, plural, one {# node} other {# nodes}} at once, and nothing is watched.',
      { version, changing },
    )
    return `${all} ${onFailure(plan)}`
  }
  const when =
    waves > 1
      ? t(
          'v{version} goes to {first, plural, one {# node} other {# nodes}} of {changing} first, then to the others in {waves, plural, one {# further wave} other {# further waves}}; each wave is watched for {time} or more.',
          { version, first, changing: formatCount(changing), waves: waves - 1, time },
        )
      : t(
          '{changing, plural, one {v{version} goes to # node, which is watched for {time} or more.} other {v{version} goes to # nodes, which are watched for {time} or more.}}',
          { version, changing, time },
        )
  return `${when} ${onFailure(plan)}`
}

function onFailure(plan: RolloutPlan): string {
  const { policy } = plan
  const waves = wavesThatChange(plan)
  if (policy.maxParallel === null) {
    return t('When one refuses it or goes back it pauses; the others have it by then.')
  }
  const isCompared = policy.gates.length > 0 && !policy.isAlone
  switch (policy.onFailure) {
    case 'revert':
      if (waves > 1) {
        return isCompared
          ? t(
              'When a node is not well or worse than the others, all that have it go back automatically.',
            )
          : t('When a node is not well, all that have it go back automatically.')
      }
      return isCompared
        ? t('When a node is not well or worse than the others, it goes back automatically.')
        : t('When a node is not well, it goes back automatically.')
    case 'pause':
      return isCompared
        ? t('When a node is not well or worse than the others, it pauses and asks.')
        : t('When a node is not well, it pauses and asks.')
    case 'freeze':
      return isCompared
        ? t('When a node is not well or worse than the others, it ends as it is, on two versions.')
        : t('When a node is not well, it ends as it is, on two versions.')
  }
}

const minutes = (seconds: number) =>
  seconds < 120
    ? t('{seconds, plural, one {# second} other {# seconds}}', { seconds })
    : t('{ceil, plural, one {# minute} other {# minutes}}', { ceil: Math.ceil(seconds / 60) })

export type KindCount = { kind: string; nodes: number }

/** Of all it would go to, and of what is left out already though no node is of it any more. */
export function kindsOf(kinds: readonly KindCount[], excluded: readonly string[]): KindCount[] {
  const nodes = new Map(kinds.map((one) => [one.kind, one.nodes]))
  return [...new Set([...nodes.keys(), ...excluded])]
    .toSorted()
    .map((kind) => ({ kind, nodes: nodes.get(kind) ?? 0 }))
}
