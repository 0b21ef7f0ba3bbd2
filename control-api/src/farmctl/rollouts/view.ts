// SPDX-License-Identifier: MIT
// A plan and a rollout as lines for eyes: what happens to whom, and why it is where it is.
import type {
  Evidence,
  Gate,
  NodeTask,
  Policy,
  Preflight,
  Probe,
  Rollout,
  RolloutPlan,
} from '../api-types.ts'
import { atPosition } from '../failures.ts'
import { progressOf } from '../resources.ts'
import { age, sizeText, tableLines } from '../table.ts'
import { type Some, stateText, taskLines } from './tasks.ts'

export function planLines(plan: RolloutPlan): string[] {
  const { config, version, nodes, waves, waveNodes, planDigest, excluded, releases } = plan
  const rows = nodes.items.map((node) => [
    String(node.wave + 1),
    node.nodeName,
    node.connected ? 'yes' : 'no, when it returns',
    node.fromVersion === null ? '' : String(node.fromVersion),
    changeText(node),
  ])
  const more = nodes.total - rows.length
  return [
    `${config}@${version}: ${planSummary(plan)}`,
    ...releases.map((one) => `Release ${releaseText(one)}`),
    ...policyLines(plan),
    ...(more > 0 && waves > 1 ? [`Nodes of the waves: ${waveNodes.join(', ')}`] : []),
    ...waveTable(['NODE', 'CONNECTED', 'FROM', 'CHANGE'], rows, waves > 1),
    ...(more > 0 ? [`and ${more} more; --json has each`] : []),
    ...outlookLines(plan),
    ...refusalLines(plan),
    ...(excluded.total > 0 ? [`It does not go to ${excluded.total} others.`] : []),
    `Plan ${planDigest}`,
  ]
}

function releaseText({ name, number, before, changes }: RolloutPlan['releases'][number]): string {
  if (before?.number === number) return `${name} v${number}`
  const which = before === null ? `${name} v${number}` : `${name} v${before.number} → v${number}`
  if (changes === null) return which
  const { added, changed, removed, fetchBytes } = changes
  const counts = `${added} added, ${changed} changed, ${removed} removed`
  return `${which}: ${counts}, ${sizeText(fetchBytes)} to fetch`
}

type PlannedNode = RolloutPlan['nodes']['items'][number]

function changeText({ errors, changes, cordon, willRefuse }: PlannedNode): string {
  if (errors.length > 0) return 'refused'
  if (!changes) return 'none'
  if (cordon) return 'skipped: cordoned'
  return willRefuse ? 'it will refuse' : 'new text'
}

type Version = Pick<RolloutPlan, 'config' | 'version'>
type Findings = RolloutPlan['textErrors']['findings']

/** With the first of the nodes of each. */
export function findingLines({ config, version }: Version, { total, items }: Findings): string[] {
  const more = total - items.length
  return [
    ...items.map(
      ({ error, nodes }) => `  ${atPosition(`${config}@${version}`, error)} (${namesText(nodes)})`,
    ),
    ...(more > 0 ? [`  and ${more} more findings`] : []),
  ]
}

/** What the owners of machines do not allow. */
function refusalLines(plan: RolloutPlan): string[] {
  const { nodes, findings, unchecked, unavailable } = plan.policyRefusals
  return [
    ...(nodes > 0
      ? [`${refusalText(nodes)}; the rollout pauses when the first of them does:`]
      : []),
    ...findingLines(plan, findings),
    ...(unchecked > 0
      ? [`Not known of ${nodesText(unchecked)} whether they will refuse: ${whyText(unavailable)}.`]
      : []),
  ]
}

export const refusalText = (nodes: number) =>
  `${nodesText(nodes)} will refuse it: ${nodes === 1 ? 'its machine’s owner does' : 'their machines’ owners do'} not allow it`

const nodesText = (count: number) => (count === 1 ? '1 node' : `${count} nodes`)
const whyText = (unavailable: string | null) =>
  unavailable ?? 'too many different texts and policies to ask about at once; plan again for more'

function namesText({ total, items }: Findings['items'][number]['nodes']): string {
  const more = total - items.length
  return `${items.map(({ nodeName }) => nodeName).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What starting it does, in one sentence: to whom, when, and what follows when it goes wrong. */
export function consequenceOf({ changingNodes, waves, policy }: RolloutPlan): string {
  if (policy.maxParallel === null) {
    return `${changingNodes} nodes get it at once and nothing is watched; when one refuses it or goes back it pauses, and the others have it by then.`
  }
  const seconds = policy.minHealthySeconds + policy.soakSeconds
  const follows = {
    revert: 'all that have it go back by themselves',
    pause: 'it pauses',
    freeze: 'it ends as it is, on two versions',
  }
  return `${changingNodes} nodes in ${waves} wave${waves === 1 ? '' : 's'}, each watched for ${seconds} s or more; when a node is not well, ${follows[policy.onFailure]}.`
}

/** What nodes said of it on their own machines, or why none of them was asked. */
export type Asked = { preflight: Preflight } | { preflight: null; whyNotAsked: string }

export const askedLines = (asked: Asked): string[] =>
  asked.preflight === null ? [asked.whyNotAsked] : preflightLines(asked.preflight)

function preflightLines({ samplePaths, nodes, ...counts }: Preflight): string[] {
  const refuses = nodes.flatMap(({ nodeName, state, code, message, errors }) =>
    state === 'refuses'
      ? [`${nodeName} would refuse it: ${code}: ${errors[0]?.message ?? message}`]
      : [],
  )
  const changes = nodes.flatMap(({ nodeName, paths }) =>
    paths.flatMap(({ running, offered }, i) => {
      const { host = '', path = '' } = samplePaths[i] ?? {}
      const isSame = running === null || offered === null || running === offered
      return isSame
        ? []
        : [`${nodeName} would answer ${host}${path} with ${offered}, now ${running}`]
    }),
  )
  const takes = nodes.filter(({ state }) => state === 'takes').length
  const silent =
    nodes.length - nodes.filter(({ state }) => state === 'takes' || state === 'refuses').length
  const unknown = [
    ...(silent > 0 ? [`${silent} did not answer`] : []),
    ...(counts.notConnected > 0 ? [`${counts.notConnected} not connected`] : []),
    ...(counts.tooOld > 0 ? [`${counts.tooOld} too old to be asked`] : []),
    ...(counts.notAsked > 0 ? [`${counts.notAsked} not asked`] : []),
  ]
  return [
    `Asked on their machines: ${takes} would take it${unknown.length > 0 ? `; not known of all: ${unknown.join(', ')}` : ''}`,
    ...refuses,
    ...changes,
  ]
}

/** What it would wait for. */
const outlookLines = ({ approvalsNeeded, blockedBy, closedWindow }: RolloutPlan): string[] => [
  ...(approvalsNeeded > 0 ? [`Others that must agree before it begins: ${approvalsNeeded}`] : []),
  ...(closedWindow === null ? [] : [closedWindow]),
  ...(blockedBy.length > 0 ? [`Behind ${blockedBy.join(', ')}`] : []),
]

function planSummary(plan: RolloutPlan): string {
  const { nodes, waves, policy, changingNodes, cordonedNodes, awayNodes } = plan
  return [
    `${changingNodes} of ${nodes.total} nodes change`,
    waves > 1 ? `in ${waves} waves` : 'all at once',
    ...(policy.blastBudget === null
      ? []
      : [`at most ${policy.blastBudget} between two configs at a time`]),
    ...(awayNodes > 0 ? [`${awayNodes} not connected`] : []),
    ...(cordonedNodes > 0 ? [`${cordonedNodes} cordoned and skipped`] : []),
  ].join(', ')
}

function policyLines({ policy, isFastPath }: { policy: Policy; isFastPath: boolean }): string[] {
  const { soakSeconds, maxSoakSeconds, minSamples, onNoData, gates, probes, onFailure } = policy
  const asked = gates.map((gate) => `${gateText(gate)}<=${gate.max}:${gate.onFail}`).join(' ')
  const watched = soakSeconds === 0 && gates.length === 0
  return [
    ...(isFastPath
      ? ['Fast path: the version succeeded not long ago; gates that only pause are left out.']
      : []),
    ...(policy.filesFirstSeconds === null
      ? []
      : [
          `Files first: the first wave begins when all nodes have them, or none came further for ${policy.filesFirstSeconds} s.`,
        ]),
    `Each node: ${stepsText(policy)}`,
    ...(watched ? [] : [`Each wave is watched for ${soakSeconds} to ${maxSoakSeconds} s.`]),
    ...(gates.length > 0 ? [`Gates, from ${minSamples} requests on: ${asked}`] : []),
    ...(gates.length > 0 && onNoData === 'continue'
      ? ['Where there are fewer, it goes on in the end.']
      : []),
    ...(probes.length > 0 ? [`Probes: ${probes.map(probeText).join(' ')}`] : []),
    `When a node fails: ${onFailure}`,
  ]
}

const stepsText = ({ ackSeconds, applySeconds, confirmSeconds }: Policy) =>
  `checked within ${ackSeconds} s, running within ${applySeconds} s, confirmed within ${confirmSeconds} s`

/** As --probe takes it. */
const probeText = ({ host = '', path }: Probe) => `${host}${path}`

/** Where all go at once the first column says nothing. */
function waveTable(titles: string[], rows: string[][], hasWaves: boolean): string[] {
  if (hasWaves) return tableLines(['WAVE', ...titles], rows)
  return tableLines(
    titles,
    rows.map((row) => row.slice(1)),
  )
}

export function rolloutLines(rollout: Rollout, tasks: Some): string[] {
  const { id, config, version, state, reason, author, createdAt } = rollout
  return [
    `${id}: ${config}@${version}, ordered ${age(createdAt)} ago by ${author}`,
    ...(rollout.emergency === null ? [] : [`Emergency: ${rollout.emergency}`]),
    `${state}: ${reason}`,
    ...waitingLines(rollout),
    ...policyLines(rollout),
    ...filesLines(rollout),
    ...waveLines(rollout),
    ...(rollout.evidence === null ? [] : evidenceLines(rollout.evidence)),
    ...taskLines(rollout, tasks),
  ]
}

function waitingLines({ startedAt, endedAt, ...rollout }: Rollout): string[] {
  if (startedAt !== null || endedAt !== null) return []
  const { approvals, approvalsNeeded, startAt, blockedBy, planDigest } = rollout
  const by = approvals.map((approval) => approval.by).join(', ') || 'nobody'
  return [
    ...(approvalsNeeded > 0
      ? [`Approved by ${approvals.length} of ${approvalsNeeded}: ${by}`]
      : []),
    ...(startAt === null ? [] : [`Not before ${startAt}`]),
    ...(blockedBy.length > 0 ? [`Behind ${blockedBy.join(', ')}`] : []),
    `Plan ${planDigest}`,
  ]
}

/** Of files that go to all nodes before the first wave. */
function filesLines({ filesFirst }: Rollout): string[] {
  if (filesFirst === null) return []
  const { isOver, heldNodes, waitingNodes, refusedNodes, otherNodes, refusals } = filesFirst
  const counts = [
    `${heldNodes} of ${nodesText(heldNodes + waitingNodes + refusedNodes)} have them`,
    ...(refusedNodes > 0 ? [`${refusedNodes} refused them`] : []),
    ...(otherNodes > 0 ? [`${otherNodes} are away or too old for it`] : []),
  ]
  const more = refusedNodes - refusals.length
  return [
    `Files first${isOver ? ', when the first wave began' : ''}: ${counts.join(', ')}`,
    ...refusals.map(({ nodeName, code, message }) => `  ${nodeName}: ${code}: ${message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

function waveLines({ waves, wave, phase, soakedSeconds, policy }: Rollout): string[] {
  if (waves.length < 2) return []
  const at = (index: number) => {
    if (index !== wave) return index < wave ? 'through' : 'its turn has not come'
    if (phase === 'waiting') return 'waits for a change window'
    if (phase === 'files') return 'waits for files'
    const soaked = `soaking, ${Math.floor(soakedSeconds)} of ${policy.soakSeconds} s`
    return phase === 'soaking' ? soaked : 'under way'
  }
  return tableLines(
    ['WAVE', 'DONE', 'STATE'],
    waves.map(({ index, nodes, done }) => [String(index + 1), `${done}/${nodes}`, at(index)]),
  )
}

function evidenceLines({ wave, verdict, at, gates }: Evidence): string[] {
  const rows = gates.map(({ verdict: found, max, value, low, high, canary, control, ...gate }) => [
    gateText(gate),
    found,
    numberText(value),
    low === null || high === null ? '' : `${numberText(low)} to ${numberText(high)}`,
    String(max),
    `${canary.samples} and ${control.samples}`,
  ])
  return [
    `Evidence of wave ${wave + 1}, ${age(at)} old: ${verdict}`,
    ...tableLines(['GATE', 'VERDICT', 'VALUE', 'INTERVAL', 'MAX', 'REQUESTS'], rows),
    ...gates.flatMap(({ odd = [] }) => odd.map(oddLine)),
  ]
}

type Odd = NonNullable<Evidence['gates'][number]['odd']>[number]
const oddLine = ({ node, url, message }: Odd) => `${node}: ${url}: ${message}`

/** As --gate takes it. */
const gateText = ({ metric, host = '', path }: Pick<Gate, 'metric' | 'host' | 'path'>): string =>
  path === undefined ? metric : `${metric}@${host}${path}`

const numberText = (value: number | null) =>
  value === null ? '' : String(Number(value.toPrecision(3)))

/** In one line: what is followed while it goes on. `busy`: some of its nodes that are not through. */
export function progressLine(rollout: Rollout, busy: readonly NodeTask[]): string {
  const { config, version, state, waves, wave, phase } = rollout
  const place = waves.length > 1 ? ` wave ${wave + 1} of ${waves.length} ${phase}` : ''
  const who = busy.map((task) => `${task.nodeName} ${stateText(task)}`)
  return [`${config}@${version} ${state}${place} ${progressOf(rollout)}`, ...who].join(' · ')
}
