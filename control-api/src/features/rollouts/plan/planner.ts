// SPDX-License-Identifier: MIT
// What a rollout of a version would do, node by node: who gets it, rendered as each gets it, and checked
// as each node would check it.
import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import { contentId } from '../../../agent-protocol/content.ts'
import type { CertificateVersion, ReleaseVersion } from '../../../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../../../api-shapes/common.ts'
import { versionsOfDigests } from '../../../assignments/store.ts'
import { inSlices, nextTurn } from '../../../base/slices.ts'
import type { Reader, Trx } from '../../../db/database.ts'
import type { ReadGrouping } from '../../../fleet/config-ports.ts'
import {
  type Grouping,
  type NodeGroup,
  type RenderTarget,
  takesConfig,
  targetOf,
} from '../../../labels/grouping.ts'
import { formatSelector, matches, type Selector } from '../../../labels/selector.ts'
import type { Chosen } from '../../../releases/given-store.ts'
import { TooManyTexts } from '../shapes/errors.ts'
import type { PlannedRelease } from '../shapes/release-schema.ts'
import {
  activeNodes,
  type FleetNode,
  fleetText,
  fleetTextOf,
  type LatestAssignment,
  latestProven,
} from '../store/nodes.ts'
import { type Following, UNFOLLOWED } from './plans-under-way.ts'
import type { Arranged } from './strategy.ts'
import type { WaveNode } from './waves.ts'

/** The version as one node would get it. */
export type Checked = {
  text: string
  /** Of the text and what goes with it: agent-protocol/content.ts. */
  digest: string | null
  configDigest: string | null
  certificates: readonly CertificateVersion[]
  releases: readonly ReleaseVersion[]
  errors: ConfigError[]
  unavailable: string | null
  /** Turns places in `text` into places in the version's. */
  toAuthor: (error: ConfigError) => ConfigError
}
/** Of one version. */
export type TextChecks = {
  /** What a node would get: nothing is asked. */
  textFor: (target: RenderTarget) => string
  check: (target: RenderTarget) => Promise<Checked>
}
/** `chosen`: the versions of releases that the order names. */
export type CheckFor = (versionText: string, chosen?: Chosen) => TextChecks

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
/** With its waves. */
export type Arrangement = Plan & {
  arranged: Arranged
  /** What waves were cut by, of the nodes that are in one. */
  weights: ReadonlyMap<string, WaveNode>
  planDigest: string
  releases: readonly PlannedRelease[]
  matchesNone: boolean
}

type Deps = { db: Reader; checkFor: CheckFor; readGrouping: ReadGrouping }
type Ordered = {
  config: string
  text: string
  releases?: Chosen
  selector: Selector
  /** undefined: the order names none. */
  nodeIds: ReadonlySet<string> | undefined
  excludeKinds: readonly string[]
}

/** Nodes of one kind refuse the same things. */
export const kindOf = ({ os, version, capabilities }: Kind): string =>
  [os, version, ...(JSON.parse(capabilities) as string[])].join(' · ')
type Kind = Pick<FleetNode, 'os' | 'version' | 'capabilities'>

/** How many nodes are looked at before somebody else may have a turn: few turns, for each may be that of long work. */
const AT_A_TIME = 250

/** As many as the answers that are kept: node-check/kept-checks.ts. */
const MOST_TEXTS = 20_000
/** The plan holds each until it is stored. */
const MOST_CHARACTERS = 256 * 1024 * 1024

type Most = { texts: number; characters: number }
type Making = { following?: Following; most?: Partial<Most> }

/** Throws TooManyTexts, and PlanStopped. */
export async function planRollout(
  deps: Deps,
  ordered: Ordered,
  { following = UNFOLLOWED, most }: Making = {},
): Promise<Plan> {
  const grouping = await deps.readGrouping(deps.db)
  const plan: Plan = { nodes: [], excluded: [], grouping }
  const chosen: ChosenNode[] = []
  for (const [i, node] of (await activeNodes(deps.db)).entries()) {
    if (i % AT_A_TIME === AT_A_TIME - 1) await nextTurn()
    const target = targetOf(grouping, node)
    const group = target.group.name
    const reason =
      whyExcluded(grouping, target, ordered) ??
      notNamed(node, ordered) ??
      ofExcludedKind(node, ordered)
    if (reason === null) chosen.push({ node, target })
    else plan.excluded.push({ node, group, reason })
  }
  const { textFor, check } = deps.checkFor(ordered.text, ordered.releases)
  const bounds = { texts: MOST_TEXTS, characters: MOST_CHARACTERS, ...most }
  following.counted(await countTexts(chosen, textFor, bounds))
  const checked = new Set<string>()
  const checkAndTell: TextChecks['check'] = async (target) => {
    // Not one more when somebody has stopped it.
    following.checked(checked.size)
    const answer = await check(target)
    checked.add(answer.text)
    following.checked(checked.size)
    return answer
  }
  const made = { config: ordered.config, check: checkAndTell, idOf: createContentIds() }
  for (const some of inSlices(chosen, AT_A_TIME)) {
    await nextTurn()
    plan.nodes.push(...(await planSome(deps.db, some, made)))
  }
  return plan
}

/** Of texts that are new, between two turns of the loop: each is put together. */
const CHARACTERS_AT_A_TIME = 64 * 1024

/** Before one of them is checked, so that too many are refused at once, and all know how many there are. */
async function countTexts(
  chosen: readonly ChosenNode[],
  textFor: TextChecks['textFor'],
  most: Most,
): Promise<number> {
  const texts = new Set<string>()
  let characters = 0
  let turnAt = CHARACTERS_AT_A_TIME
  for (const [i, { target }] of chosen.entries()) {
    const isFull = characters >= turnAt
    if (isFull || i % AT_A_TIME === 0) await nextTurn()
    if (isFull) turnAt = characters + CHARACTERS_AT_A_TIME
    const text = textFor(target)
    if (texts.has(text)) continue
    texts.add(text)
    characters += text.length
    if (texts.size > most.texts) throw new TooManyTexts(`more than ${most.texts} different texts`)
    if (characters > most.characters)
      throw new TooManyTexts(`different texts of more than ${most.characters} characters in all`)
  }
  return texts.size
}

type ChosenNode = { node: FleetNode; target: RenderTarget & { group: NodeGroup } }
type With = {
  config: string
  check: TextChecks['check']
  idOf: (content: Pick<Checked, 'text' | 'certificates' | 'releases'>) => string
}

async function planSome(
  db: Reader,
  chosen: readonly ChosenNode[],
  { config, check, idOf }: With,
): Promise<PlannedNode[]> {
  const assigned = await latestProven(
    db,
    chosen.map(({ node }) => node.id),
  )
  const running = chosen.flatMap(({ node }) => {
    const digest = runningDigest(node)
    return digest === null ? [] : [{ nodeId: node.id, digest }]
  })
  const versions = await versionsOfDigests(db, running, config)
  return await pLimit(CHECKS_AT_ONCE).map(chosen, async ({ node, target }) => {
    const checked = await check(target)
    const wanted = { config, digest: checked.digest, effective: node.effective }
    const latest = assigned.get(node.id)
    return {
      ...checked,
      node,
      group: target.group.name,
      textId: idOf(checked),
      settledGeneration: latest?.isProven ? settledGeneration(wanted, latest) : null,
      fromVersion: versions.get(node.id) ?? null,
    }
  })
}

/** Each new text is a process. No more: editors are waiting for their checks. */
const CHECKS_AT_ONCE = availableParallelism()

/** Nodes that render alike share a text, and it may be a megabyte. */
function createContentIds(): With['idOf'] {
  const known = new Map<string, string>()
  return ({ text, certificates, releases }) => {
    if (certificates.length + releases.length > 0) return contentId(text, certificates, releases)
    const id = known.get(text) ?? contentId(text)
    known.set(text, id)
    return id
  }
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

/** Stands for the farm that was planned for. */
export const plannedFleet = ({ nodes, excluded }: Plan): string =>
  fleetTextOf([...nodes, ...excluded].map(({ node }) => node))

/** Whether it is still that one. */
export const isSameFleet = async (
  trx: Trx,
  { fleet, grouping }: { fleet: string; grouping: Grouping },
  now: Grouping,
): Promise<boolean> => grouping.fingerprint === now.fingerprint && (await fleetText(trx)) === fleet
