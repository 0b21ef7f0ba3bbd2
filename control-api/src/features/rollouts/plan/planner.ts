// SPDX-License-Identifier: MIT
// What a rollout of a version would do, node by node: who gets it, rendered as each gets it, and checked
// as each node would check it.
import { contentId } from '../../../agent-protocol/content.ts'
import type { CertificateVersion } from '../../../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../../../api-shapes/common.ts'
import { versionOfDigest } from '../../../assignments/store.ts'
import type { Reader } from '../../../db/database.ts'
import type { ReadGrouping } from '../../../fleet/config-ports.ts'
import {
  type Grouping,
  type NodeGroup,
  type RenderTarget,
  takesConfig,
  targetOf,
} from '../../../labels/grouping.ts'
import { formatSelector, matches, type Selector } from '../../../labels/selector.ts'
import { activeNodes, type FleetNode, type LatestAssignment, latestProven } from '../store/nodes.ts'

/** The version as one node would get it. */
export type Checked = {
  text: string
  /** Of the text and its certificates: agent-protocol/content.ts. */
  digest: string | null
  configDigest: string | null
  certificates: readonly CertificateVersion[]
  errors: ConfigError[]
  unavailable: string | null
  /** Turns places in `text` into places in the version's. */
  toAuthor: (error: ConfigError) => ConfigError
}
/** Of one version, for each of its nodes. */
export type CheckFor = (versionText: string) => (target: RenderTarget) => Promise<Checked>

export type PlannedNode = Checked & {
  node: FleetNode
  group: string
  textId: string
  /** The generation that brought what it runs, when the rollout has nothing to change on it, nor to prove there. */
  settledGeneration: number | null
  fromVersion: number | null
}
export type ExcludedNode = { node: FleetNode; group: string; reason: string }
export type Plan = { nodes: PlannedNode[]; excluded: ExcludedNode[]; grouping: Grouping }

type Deps = { db: Reader; checkFor: CheckFor; readGrouping: ReadGrouping }
type Ordered = {
  config: string
  text: string
  selector: Selector
  /** undefined: the order names none. */
  nodeIds: ReadonlySet<string> | undefined
  excludeKinds: readonly string[]
}

/** Nodes of one kind refuse the same things. */
export const kindOf = ({ os, version, capabilities }: Kind): string =>
  [os, version, ...(JSON.parse(capabilities) as string[])].join(' · ')
type Kind = Pick<FleetNode, 'os' | 'version' | 'capabilities'>

export async function planRollout({ db, checkFor, readGrouping }: Deps, ordered: Ordered) {
  const { config, text } = ordered
  const grouping = await readGrouping(db)
  const nodes = await activeNodes(db)
  const assigned = await latestProven(
    db,
    nodes.map(({ id }) => id),
  )
  const check = checkFor(text)
  const plan: Plan = { nodes: [], excluded: [], grouping }
  for (const node of nodes) {
    const target = targetOf(grouping, node)
    const group = target.group.name
    const reason =
      whyExcluded(grouping, target, ordered) ??
      notNamed(node, ordered) ??
      ofExcludedKind(node, ordered)
    if (reason !== null) {
      plan.excluded.push({ node, group, reason })
      continue
    }
    // One at a time: editors are waiting for their checks.
    const checked = await check(target)
    const running = runningDigest(node)
    const wanted = { config, digest: checked.digest, effective: node.effective }
    const latest = assigned.get(node.id)
    plan.nodes.push({
      ...checked,
      node,
      group,
      textId: contentId(checked.text, checked.certificates),
      settledGeneration: latest?.isProven ? settledGeneration(wanted, latest) : null,
      fromVersion:
        running === null
          ? null
          : await versionOfDigest(db, { nodeId: node.id, digest: running }, config),
    })
  }
  return plan
}

export const runningDigest = ({ effective }: Pick<FleetNode, 'effective'>): string | null =>
  effective === null ? null : JSON.parse(effective).digest

type Wanted = { config: string; digest: string | null; effective: string | null }

/** The generation that brought it what it is to run and does; unconfirmed, it may yet go back by itself. */
export function settledGeneration(
  { config, digest, effective }: Wanted,
  latest: LatestAssignment | undefined,
): number | null {
  if (digest === null || latest?.state !== 'confirmed' || latest.config !== config) return null
  const isIt = latest.digest === digest && runningDigest({ effective }) === digest
  return isIt ? latest.generation : null
}

type Target = { group: NodeGroup; node: Pick<RenderTarget['node'], 'labels'> }

function whyExcluded(
  { claimed }: Grouping,
  { group, node }: Target,
  { config, selector }: Pick<Ordered, 'config' | 'selector'>,
): string | null {
  if (!takesConfig({ group, claimed }, config)) {
    return group.config === null
      ? `${config} is a group's own; its group ${group.name} gets only configs that are not.`
      : `Its group ${group.name} gets the config ${group.config}.`
  }
  return matches(selector, node.labels)
    ? null
    : `The rollout is only for ${formatSelector(selector)}.`
}

const notNamed = ({ id }: FleetNode, { nodeIds }: Ordered) =>
  nodeIds === undefined || nodeIds.has(id) ? null : 'The order names other nodes.'

const ofExcludedKind = (node: FleetNode, { excludeKinds }: Ordered) =>
  excludeKinds.includes(kindOf(node)) ? `The order leaves out its kind: ${kindOf(node)}.` : null

/** Whether the fleet is still the one that was planned for. */
export function isSameFleet(
  { nodes, excluded, grouping }: Plan,
  now: { nodes: readonly FleetNode[]; grouping: Grouping },
): boolean {
  const key = (list: readonly FleetNode[]) =>
    list
      .map((node) => `${node.id}:${node.revision}`)
      .sort()
      .join()
  const planned = [...nodes, ...excluded].map(({ node }) => node)
  return key(planned) === key(now.nodes) && grouping.fingerprint === now.grouping.fingerprint
}
