// SPDX-License-Identifier: MIT
import { cordonedVerdict } from '../../components/cordoned-badge.tsx'
import type { Verdict } from '../../components/status-badge.tsx'
import type { RolloutPlan } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'

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
  if (!changes) return `No change: ${plural(nodes.total - changingNodes - cordonedNodes, 'node')}`
  if (cordon !== null) return `Skipped: ${plural(cordonedNodes, 'node')}`
  return `Wave ${wave + 1}: ${plural(waveNodes[wave] ?? 0, 'node')}`
}

/** It is offered the version. */
export const isToChange = ({ changes, cordon }: Pick<PlannedNode, 'changes' | 'cordon'>) =>
  changes && cordon === null

function verdictOf(node: PlannedNode): Verdict {
  if (node.errors.length > 0) return { label: 'Would refuse it', tone: 'bad', shape: 'square' }
  if (!node.changes) return { label: 'Runs it already', tone: 'good', shape: 'disc' }
  if (node.cordon !== null) return { ...cordonedVerdict, label: 'Skipped because cordoned' }
  if (node.willRefuse) return { label: 'Will refuse it', tone: 'bad', shape: 'square' }
  if (node.isDrifted) return { label: 'Changed by hand', tone: 'bad', shape: 'diamond' }
  if (!node.connected) return { label: 'Takes it on return', tone: 'warn', shape: 'ring' }
  return { label: 'Takes it now', tone: 'info', shape: 'half' }
}

/** How many nodes can be between two configs at the same time, of those it goes to. */
export function blastRadius({ nodes, changingNodes, waves, policy }: RolloutPlan): string {
  const most = Math.min(changingNodes, policy.blastBudget ?? changingNodes)
  const percent = Math.round((most / nodes.total) * 100)
  const inWaves = waves > 1 ? `${waves} waves, ` : ''
  return `${inWaves}at most ${plural(most, 'node')} (${percent} %) between two configs at once`
}

/** What pressing the button does: to how many, when, and what follows when it goes wrong. */
export function consequence(plan: RolloutPlan): string {
  const { changingNodes: changing, waveNodes, waves, policy, version } = plan
  const first = waveNodes.find((nodes) => nodes > 0) ?? 0
  const watched = `watched for ${minutes(policy.minHealthySeconds + policy.soakSeconds)} or more`
  const to = (count: number) => `v${version} goes to ${plural(count, 'node')}`
  if (policy.maxParallel === null) {
    return `${to(changing)} at once, and nothing is watched. ${onFailure(plan)}`
  }
  const when =
    waves > 1
      ? `${to(first)} of ${formatCount(changing)} first, then to the others in ${plural(waves - 1, 'further wave')}; each wave is ${watched}.`
      : `${to(changing)}, ${changing === 1 ? 'which is' : 'which are'} ${watched}.`
  return `${when} ${onFailure(plan)}`
}

function onFailure({ policy, waves }: RolloutPlan): string {
  if (policy.maxParallel === null) {
    return 'When one refuses it or goes back it pauses; the others have it by then.'
  }
  const what =
    policy.gates.length > 0 && !policy.isAlone
      ? 'is not well or worse than the others'
      : 'is not well'
  const follows = {
    revert: waves > 1 ? 'all that have it go back automatically' : 'it goes back automatically',
    pause: 'it pauses and asks',
    freeze: 'it ends as it is, on two versions',
  }
  return `When a node ${what}, ${follows[policy.onFailure]}.`
}

const minutes = (seconds: number) =>
  seconds < 120 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute')

export type KindCount = { kind: string; nodes: number }

/** Of all it would go to, and of what is left out already though no node is of it any more. */
export function kindsOf(kinds: readonly KindCount[], excluded: readonly string[]): KindCount[] {
  const nodes = new Map(kinds.map((one) => [one.kind, one.nodes]))
  return [...new Set([...nodes.keys(), ...excluded])]
    .toSorted()
    .map((kind) => ({ kind, nodes: nodes.get(kind) ?? 0 }))
}
