// SPDX-License-Identifier: MIT
// Before anything is ordered, nodes are asked what the version would do on their own machines: whether they
// would take it, and what they would answer sample paths with. Nothing is stored and nothing is offered.

import { wholeError } from '../../../agent-protocol/config-errors.ts'
import type { Effective, NackCode, ReleaseVersion } from '../../../agent-protocol/messages.gen.ts'
import type { Releases } from '../../../fleet/agent-ports.ts'
import type { CheckAnswer, CheckQuestion } from '../../../fleet/questions.ts'
import { targetOf } from '../../../labels/grouping.ts'
import type { ChangesOf } from '../../../release-store/changes.ts'
import type { Preflight, PreflightNode } from '../shapes/preflight-schema.ts'
import type { Probe } from '../shapes/schema.ts'
import type { FleetNode } from '../store/nodes.ts'
import { kindOf, type Plan, type PlannedNode } from './planner.ts'

export type AskNode = (
  nodeId: string,
  question: CheckQuestion,
  withinMs: number,
) => Promise<CheckAnswer | null | 'busy'>
export type PreflightDeps = {
  askNode: AskNode
  isConnected: (nodeId: string) => boolean
  errorsForAuthor: Releases['errorsForAuthor']
  /** What a config's text says; null: nobody can read it. */
  readText: (text: string) => unknown
  changesOf: ChangesOf
  monotonicMs: () => number
}

/** As many as the answer names; of a larger farm some of each kind. */
export const MOST_NODES = 50
const AT_ONCE = 10
const EACH_WITHIN_MS = 5_000
const ALL_WITHIN_MS = 15_000
const MOST_PATHS = 20
const CAN = 'check'
const LACKS_RELEASE: NackCode = 'release_content'

type Asking = { plan: Plan; versionText: string; paths: readonly Probe[] | undefined }

export async function askNodes(
  deps: PreflightDeps,
  { plan, versionText, paths }: Asking,
): Promise<Preflight> {
  const changing = plan.nodes.filter(
    ({ node, digest, settledGeneration }) =>
      digest !== null && settledGeneration === null && node.cordon === null,
  )
  const able = changing.filter(({ node }) => canCheck(node) && deps.isConnected(node.id))
  const chosen = ofEachKind(able).slice(0, MOST_NODES)
  const samplePaths = [...(paths ?? pathsOf(deps.readText(versionText)))]
  const endsMs = deps.monotonicMs() + ALL_WITHIN_MS
  const waiting = [...chosen]
  const said: PreflightNode[] = []
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const leftMs = Math.min(EACH_WITHIN_MS, endsMs - deps.monotonicMs())
      const answer = leftMs > 0 ? await ask(deps, next, samplePaths, leftMs) : null
      said.push(viewNode(deps, { plan, versionText, planned: next, said: answer }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  // Of an earlier version it does not know which release is meant, and can't say without the files of the one that runs.
  const nodes = said.filter(({ code }) => code !== LACKS_RELEASE)
  const answered = nodes.filter(({ state }) => state === 'takes' || state === 'refuses').length
  return {
    samplePaths,
    nodes: nodes.toSorted((a, b) => (a.nodeName < b.nodeName ? -1 : 1)),
    answered,
    notConnected: changing.filter(({ node }) => !deps.isConnected(node.id)).length,
    tooOld: changing.filter(({ node }) => deps.isConnected(node.id) && !canCheck(node)).length,
    notAsked: able.length - nodes.length,
    isWhole: answered === changing.length,
  }
}

async function ask(
  { askNode, changesOf }: PreflightDeps,
  { node, configDigest, text, releases }: PlannedNode,
  paths: Probe[],
  ms: number,
) {
  const question = { digest: configDigest ?? '', text, paths }
  if (releases.length === 0) return await askNode(node.id, question, ms)
  const needed = await neededOf(changesOf, node, releases)
  return await askNode(node.id, { ...question, releases: needed }, ms)
}

type Needed = NonNullable<CheckQuestion['releases']>

/** What it would fetch and hold of each, by what it runs. Where nobody can tell, it finds out by itself. */
async function neededOf(
  changesOf: ChangesOf,
  { effective }: Pick<FleetNode, 'effective'>,
  releases: readonly ReleaseVersion[],
): Promise<Needed> {
  const { releases: runs = [] } = (JSON.parse(effective ?? '{}') ?? {}) as Partial<Effective>
  const needed: Needed = []
  for (const one of releases) {
    const from = runs.find(({ name }) => name === one.name)?.manifestSha256 ?? null
    const { name, number, manifestSha256 } = one
    const changes =
      (await changesOf(from, manifestSha256)) ?? (await changesOf(null, manifestSha256))
    const { fetchBytes = 0, heldBytes = 0 } = changes ?? {}
    needed.push({ name, number, manifestSha256, fetchBytes, heldBytes })
  }
  return needed
}

const canCheck = ({ capabilities }: PlannedNode['node']) =>
  (JSON.parse(capabilities) as string[]).includes(CAN)

/** One of each kind and text first, then the next ones of each: what is alike answers alike. */
function ofEachKind(nodes: readonly PlannedNode[]): PlannedNode[] {
  const alike = [...Map.groupBy(nodes, ({ node, textId }) => `${kindOf(node)} ${textId}`).values()]
  const deepest = Math.max(0, ...alike.map(({ length }) => length))
  return Array.from({ length: deepest }, (_, i) => alike.flatMap((same) => same[i] ?? [])).flat()
}

type Said = {
  plan: Plan
  versionText: string
  planned: PlannedNode
  said: Awaited<ReturnType<AskNode>>
}

function viewNode(
  { errorsForAuthor }: PreflightDeps,
  { plan, versionText, planned, said }: Said,
): PreflightNode {
  const { node, text } = planned
  const who = { nodeId: node.id, nodeName: node.name }
  const nothing = { code: null, message: '', errors: [], paths: [] }
  if (said === null) return { ...who, state: 'no_answer', ...nothing }
  if (said === 'busy') return { ...who, state: 'busy', ...nothing }
  const { code, message, paths } = said
  const target = targetOf(plan.grouping, node)
  const errors = errorsForAuthor({ versionText, target, given: text }, said.errors.map(wholeError))
  return { ...who, state: code === null ? 'takes' : 'refuses', code, message, errors, paths }
}

/** The front page of each site that has a name, else of the node. */
function pathsOf(config: unknown): Probe[] {
  const hosts = hostsOf(config)
  const named = hosts.filter((host) => /^[A-Za-z0-9.-]{1,253}$/.test(host))
  const paths = [...new Set(named)].slice(0, MOST_PATHS).map((host) => ({ host, path: '/' }))
  return paths.length > 0 ? paths : [{ path: '/' }]
}

function hostsOf(config: unknown): string[] {
  const { sites } = Object(config) as { sites?: unknown }
  const all = Array.isArray(sites) ? sites : []
  return all.flatMap((site) => {
    const { hosts } = Object(site) as { hosts?: unknown }
    return Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : []
  })
}
