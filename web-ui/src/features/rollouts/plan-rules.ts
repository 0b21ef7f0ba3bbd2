// SPDX-License-Identifier: MIT
import { cordonedVerdict } from '../../components/cordoned-badge.tsx'
import type { Verdict } from '../../components/status-badge.tsx'
import type { RolloutPlan } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'

type PlannedNode = RolloutPlan['nodes'][number]
export type Row = { node: PlannedNode; verdict: Verdict }
type Part = { title: string; nodes: Row[] }

/** Wave by wave; what has it already, or is skipped, is none of a wave's. */
export function planParts({ nodes, waves }: Pick<RolloutPlan, 'nodes' | 'waves'>): Part[] {
  const rows = nodes.map((node) => ({ node, verdict: verdictOf(node) }))
  if (waves < 2) return [{ title: '', nodes: rows }]
  const [skipped, unchanged] = [waves, waves + 1]
  const partOf = ({ changes, cordon, wave }: PlannedNode) =>
    changes ? (cordon === null ? wave : skipped) : unchanged
  const titleOf = (part: number) =>
    part === unchanged ? 'No change' : part === skipped ? 'Skipped' : `Wave ${part + 1}`
  return [...Map.groupBy(rows, ({ node }) => partOf(node))]
    .toSorted(([a], [b]) => a - b)
    .map(([part, inPart]) => ({
      title: `${titleOf(part)}: ${plural(inPart.length, 'node')}`,
      nodes: inPart,
    }))
}

/** A part's title, then its nodes. */
export type PlanRow = ({ title: string } | Row) & { key: string }

export const planRows = (plan: Pick<RolloutPlan, 'nodes' | 'waves'>): PlanRow[] =>
  planParts(plan).flatMap(({ title, nodes }) => [
    ...(title === '' ? [] : [{ key: title, title }]),
    ...nodes.map((row) => ({ key: row.node.nodeId, ...row })),
  ])

/** It is offered the version. */
export const isToChange = ({ changes, cordon }: Pick<PlannedNode, 'changes' | 'cordon'>) =>
  changes && cordon === null

function verdictOf(node: PlannedNode): Verdict {
  if (node.errors.length > 0) return { label: 'Would refuse it', tone: 'bad', shape: 'square' }
  if (!node.changes) return { label: 'Runs it already', tone: 'good', shape: 'disc' }
  if (node.cordon !== null) return { ...cordonedVerdict, label: 'Skipped, being cordoned' }
  if (node.willRefuse) return { label: 'Will refuse it', tone: 'bad', shape: 'square' }
  if (node.isDrifted) return { label: 'Changed by hand', tone: 'bad', shape: 'diamond' }
  if (!node.connected) return { label: 'Takes it on return', tone: 'warn', shape: 'ring' }
  return { label: 'Takes it now', tone: 'info', shape: 'half' }
}

/** How many nodes can be between two configs at the same time, of those it goes to. */
export function blastRadius({ nodes, waves, policy: { blastBudget } }: RolloutPlan): string {
  const changing = nodes.filter(isToChange).length
  const most = Math.min(changing, blastBudget ?? changing)
  const percent = Math.round((most / nodes.length) * 100)
  const inWaves = waves > 1 ? `${waves} waves, ` : ''
  return `${inWaves}at most ${plural(most, 'node')} (${percent} %) between two configs at once`
}

/** What pressing the button does: to how many, when, and what follows when it goes wrong. */
export function consequence(plan: RolloutPlan): string {
  const { nodes, waves, policy, version } = plan
  const changing = nodes.filter(isToChange)
  const first = changing.filter(({ wave }) => wave === Math.min(...changing.map((one) => one.wave)))
  const watched = `watched for ${minutes(policy.minHealthySeconds + policy.soakSeconds)} or more`
  const to = (count: number) => `v${version} goes to ${plural(count, 'node')}`
  if (policy.maxParallel === null) {
    return `${to(changing.length)} at once, and nothing is watched. ${onFailure(plan)}`
  }
  const when =
    waves > 1
      ? `${to(first.length)} of ${changing.length} first, then to the others in ${plural(waves - 1, 'further wave')}; each wave is ${watched}.`
      : `${to(changing.length)}, ${changing.length === 1 ? 'which is' : 'which are'} ${watched}.`
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
    revert: waves > 1 ? 'all that have it go back by themselves' : 'it goes back by itself',
    pause: 'it pauses and asks',
    freeze: 'it ends as it is, on two versions',
  }
  return `When a node ${what}, ${follows[policy.onFailure]}.`
}

const minutes = (seconds: number) =>
  seconds < 120 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute')

export type KindCount = { kind: string; nodes: number }

/** Of all it would go to, and of what is left out already though no node is of it any more. */
export function kindsOf(
  nodes: readonly Pick<PlannedNode, 'kind'>[],
  excluded: readonly string[],
): KindCount[] {
  const byKind = Map.groupBy(nodes, ({ kind }) => kind)
  return [...new Set([...byKind.keys(), ...excluded])]
    .toSorted()
    .map((kind) => ({ kind, nodes: byKind.get(kind)?.length ?? 0 }))
}
