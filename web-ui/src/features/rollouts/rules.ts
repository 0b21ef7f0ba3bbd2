// SPDX-License-Identifier: MIT

import { cordonedVerdict } from '../../components/cordoned-badge.tsx'
import type { Verdict } from '../../components/status-badge.tsx'
import { inSentence, t } from '../../languages/t.ts'
import type {
  Evidence,
  GateMetric,
  NodeTask,
  Rollout,
  RolloutPlan,
  RolloutState,
  TaskStanding,
  TaskState,
} from '../../lib/api-types.ts'
import { formatCount, namesOf } from '../../lib/format.ts'

export const rolloutVerdict = {
  draft: { label: t('Draft'), tone: 'idle', shape: 'ring' },
  validating: { label: t('Validating'), tone: 'info', shape: 'half' },
  planned: { label: t('Planned'), tone: 'idle', shape: 'ring' },
  awaiting_approval: { label: t('Awaiting approval'), tone: 'warn', shape: 'ring' },
  scheduled: { label: t('Scheduled'), tone: 'idle', shape: 'ring' },
  queued: { label: t('Queued'), tone: 'idle', shape: 'ring' },
  running: { label: t('Running'), tone: 'info', shape: 'half' },
  paused: { label: t('Paused'), tone: 'warn', shape: 'triangle' },
  aborting: { label: t('Stopping'), tone: 'warn', shape: 'half' },
  reverting: { label: t('Reverting'), tone: 'warn', shape: 'half' },
  succeeded: { label: t('Succeeded'), tone: 'good', shape: 'disc' },
  frozen: { label: t('Frozen'), tone: 'warn', shape: 'square' },
  reverted: { label: t('Reverted'), tone: 'warn', shape: 'diamond' },
  revert_incomplete: { label: t('Revert incomplete'), tone: 'bad', shape: 'square' },
  rejected: { label: t('Rejected'), tone: 'bad', shape: 'square' },
  cancelled: { label: t('Cancelled'), tone: 'idle', shape: 'ring' },
  expired: { label: t('Expired'), tone: 'idle', shape: 'ring' },
  superseded: { label: t('Superseded'), tone: 'idle', shape: 'ring' },
} satisfies Record<RolloutState, Verdict>
export const rolloutStates = Object.keys(rolloutVerdict) as RolloutState[]

export const taskVerdict = {
  pending: { label: t('Pending'), tone: 'idle', shape: 'ring' },
  offered: { label: t('Offered'), tone: 'info', shape: 'half' },
  acked: { label: t('Accepted'), tone: 'info', shape: 'half' },
  nacked: { label: t('Refused'), tone: 'bad', shape: 'square' },
  applying: { label: t('Applying'), tone: 'info', shape: 'half' },
  applied: { label: t('Applied'), tone: 'info', shape: 'half' },
  confirmed: { label: t('Confirmed'), tone: 'good', shape: 'half' },
  healthy: { label: t('Healthy'), tone: 'good', shape: 'disc' },
  done: { label: t('Done'), tone: 'good', shape: 'disc' },
  unhealthy: { label: t('Unhealthy'), tone: 'bad', shape: 'triangle' },
  unreachable: { label: t('Unreachable'), tone: 'warn', shape: 'ring' },
  skipped: { label: t('Skipped'), tone: 'idle', shape: 'ring' },
  apply_reverted: { label: t('Went back'), tone: 'bad', shape: 'diamond' },
  apply_stuck: { label: t('Stuck'), tone: 'bad', shape: 'triangle' },
  reverting: { label: t('Reverting'), tone: 'warn', shape: 'half' },
  reverted: { label: t('Reverted'), tone: 'warn', shape: 'diamond' },
  revert_failed: { label: t('Revert failed'), tone: 'bad', shape: 'square' },
} satisfies Record<TaskState, Verdict>

/** Also when the rollout was frozen since. */
const failsGate = ({ state, code }: Pick<NodeTask, 'state' | 'code'>) =>
  code === 'gate_failed' && (state === 'healthy' || state === 'unhealthy')

const gateFailed = { label: t('Fails its gate'), tone: 'bad', shape: 'square' } satisfies Verdict

/** Nobody is called healthy whose wave fails its gate. */
export const verdictOfTask = (task: Pick<NodeTask, 'state' | 'code'>): Verdict =>
  failsGate(task) ? gateFailed : taskVerdict[task.state]

/** As they are counted, and as cells of a map; in the order in which a node goes through them. */
export const standingVerdict = {
  ...taskVerdict,
  gate_failed: gateFailed,
  cordoned: { ...cordonedVerdict, label: t('Skipped because cordoned') },
} satisfies Record<TaskStanding, Verdict>
/** A record has them as they come; people read them in one order. */
export const standings = Object.keys(standingVerdict) as TaskStanding[]

/** It is left out for its cordon, or will be when its turn comes. */
export function isHeldBack({ state, code, isCordoned }: NodeTask): boolean {
  return state === 'skipped' ? code === 'cordoned' : isCordoned && state === 'pending'
}

const sentences: Record<TaskState, string> = {
  pending: t('It has not started yet.'),
  offered: t('It was offered the version and has not answered yet.'),
  acked: t('It checked the version and is about to apply it.'),
  nacked: t('It refused the version and goes on with what it ran.'),
  applying: t('It is applying the version.'),
  applied: t('It runs the version and asks to keep it.'),
  confirmed: t('It keeps the version; its health is being watched.'),
  healthy: t('It runs the version and is healthy.'),
  done: t('It runs the version, read back from the running server.'),
  unhealthy: t('It runs the version and is not healthy.'),
  unreachable: t('It did not answer; it takes the version on return.'),
  skipped: t('It was left out.'),
  apply_reverted: t('It went back to the last config that was confirmed.'),
  apply_stuck: t('It could neither apply the version nor go back: look at it on the machine.'),
  reverting: t('It is going back.'),
  reverted: t('It went back.'),
  revert_failed: t('It could not go back: look at it on the machine.'),
}

/** What a task waits for, or how it ended, where the node itself said nothing. */
export const taskSentence = (task: NodeTask): string =>
  task.state === 'pending' && isHeldBack(task)
    ? t('It is left out when its turn comes, unless it is uncordoned before.')
    : sentences[task.state]

const terminal: ReadonlySet<RolloutState> = new Set([
  'succeeded',
  'frozen',
  'reverted',
  'rejected',
  'cancelled',
  'expired',
  'superseded',
])

/** revert_incomplete goes on by itself when its nodes come back: it is not over. */
export function isOver(state: RolloutState): boolean {
  return terminal.has(state)
}

const untouched: ReadonlySet<TaskStanding> = new Set([
  'pending',
  'offered',
  'nacked',
  'unreachable',
  'skipped',
  'cordoned',
  'apply_reverted',
  'reverted',
])

/** They run the version, or are about to. */
export const nodesBegun = ({ states }: Pick<Rollout, 'states'>): number =>
  standings.reduce((sum, one) => sum + (untouched.has(one) ? 0 : (states[one] ?? 0)), 0)

export const progressText = (done: number, nodes: number): string =>
  t('{done} of {nodes, plural, one {# node} other {# nodes}} done', {
    done: formatCount(done),
    nodes,
  })

const waiting: ReadonlySet<RolloutState> = new Set([
  'planned',
  'awaiting_approval',
  'scheduled',
  'queued',
])

/** It has not begun, so nothing of it need be taken back. */
export function isWaiting(state: RolloutState): boolean {
  return waiting.has(state)
}

/** Another has to wait for it, or to take its place. What goes back for nodes that are away does not count. */
export function isInTheWay(state: RolloutState): boolean {
  return !isOver(state) && state !== 'revert_incomplete'
}

type Seen = Pick<Rollout, 'state' | 'phase'>

/** Time passes and evidence is gathered, or files come: no event tells of either. */
export function isWatched({ state, phase }: Seen): boolean {
  return state === 'running' && (phase === 'soaking' || phase === 'files')
}

const goesBack: ReadonlySet<RolloutState> = new Set(['aborting', 'reverting', 'revert_incomplete'])

/** Why it can't be frozen, or null. Freezing stops before any further node is offered the version. */
export function whyNotFreeze({ state }: Seen): string | null {
  return isOver(state)
    ? t('It is over ({label}).', { label: inSentence(rolloutVerdict[state].label) })
    : null
}

/** Why nothing else can be done with it, or null. */
export function whyNotSteer({ state }: Seen): string | null {
  return goesBack.has(state) ? t('It is already going back.') : null
}

export function whyNotSkipGate(seen: Seen): string | null {
  const isWaitedFor = seen.phase === 'soaking' || seen.phase === 'files'
  return whyNotSteer(seen) ?? (isWaitedFor ? null : t('No gate is being waited for.'))
}

export const gateVerdict = {
  pass: { label: t('Passes'), tone: 'good', shape: 'disc' },
  inconclusive: { label: t('Not clear'), tone: 'warn', shape: 'half' },
  no_data: { label: t('No data'), tone: 'warn', shape: 'ring' },
  fail: { label: t('Fails'), tone: 'bad', shape: 'square' },
} satisfies Record<Evidence['verdict'], Verdict>

/**
 * share: so much worse than the others'. times: so many times the others'. mean: the others' so many times it. apart: so many times
 * as many as the others', or as few. wrong: such a part of the answers.
 */
type Gate = { name: string; compares: 'share' | 'times' | 'mean' | 'apart' | 'wrong' }
const gates: Record<GateMetric, Gate> = {
  errors5xx: { name: t('5xx answers'), compares: 'share' },
  errors4xx: { name: t('4xx answers'), compares: 'share' },
  errors404: { name: t('404 answers'), compares: 'share' },
  bytesPerRequest: { name: t('Bytes per request'), compares: 'mean' },
  bytesPerPage: { name: t('Bytes per page'), compares: 'apart' },
  releaseFiles: { name: t('Files of the release'), compares: 'wrong' },
  mediaTypes: { name: t('Media types'), compares: 'wrong' },
  cacheHits: { name: t('Stat cache hits'), compares: 'share' },
  firstByteP50: { name: t('First byte p50'), compares: 'times' },
  firstByteP99: { name: t('First byte p99'), compares: 'times' },
  totalP50: { name: t('Total p50'), compares: 'times' },
  totalP99: { name: t('Total p99'), compares: 'times' },
  readWaitP99: { name: t('Read wait p99'), compares: 'times' },
  handshakeFailures: { name: t('Failed handshakes'), compares: 'share' },
  handshakeP99: { name: t('Handshake p99'), compares: 'times' },
}
export const gateMetrics = Object.keys(gates) as GateMetric[]
export const gateName = (metric: GateMetric) => gates[metric].name
export const isWrong = (metric: GateMetric) => gates[metric].compares === 'wrong'
/** In percent. */
export const isShare = (metric: GateMetric) => gates[metric].compares === 'share' || isWrong(metric)
export const isMean = (metric: GateMetric) => gates[metric].compares === 'mean'
export const isApart = (metric: GateMetric) => gates[metric].compares === 'apart'
export const isOfBytes = (metric: GateMetric) => isMean(metric) || isApart(metric)
/** Of which one path may be named. */
export const mayHavePath = (metric: GateMetric) =>
  metric === 'errors404' || metric === 'bytesPerPage'

type OfGate = { metric: GateMetric; host?: string; path?: string }
/** "404 answers below www.example.org/docs/" */
export const gateTitle = ({ metric, host = '', path }: OfGate) =>
  path === undefined
    ? gateName(metric)
    : t('{gateName} below {host}{path}', { gateName: gateName(metric), host, path })

export type WaveState =
  | 'through'
  | 'next'
  | 'paused'
  | 'stopped'
  | 'back'
  | 'left'
  | Rollout['phase']

export const waveVerdict = {
  through: { label: t('Passed'), tone: 'good', shape: 'disc' },
  files: { label: t('Waits for files'), tone: 'info', shape: 'ring' },
  waiting: { label: t('Waits for a change window'), tone: 'warn', shape: 'ring' },
  dispatching: { label: t('Under way'), tone: 'info', shape: 'half' },
  soaking: { label: t('Being watched'), tone: 'info', shape: 'ring' },
  paused: { label: t('Paused'), tone: 'warn', shape: 'triangle' },
  next: { label: t('Not started yet'), tone: 'idle', shape: 'ring' },
  stopped: { label: t('Stopped here'), tone: 'warn', shape: 'square' },
  back: { label: t('Taken back'), tone: 'warn', shape: 'diamond' },
  left: { label: t('Never started'), tone: 'idle', shape: 'ring' },
} satisfies Record<WaveState, Verdict>

type WaveFacts = Pick<Rollout, 'state' | 'startedAt' | 'wave' | 'phase'>

export function waveState(index: number, rollout: WaveFacts): WaveState {
  const { state, startedAt, wave, phase } = rollout
  if (state === 'succeeded') return 'through'
  if (goesBack.has(state) || state === 'reverted') return index > wave ? 'left' : 'back'
  if (isOver(state) && (startedAt === null || index > wave)) return 'left'
  if (isWaiting(state) || index > wave) return 'next'
  if (index < wave) return 'through'
  if (isOver(state)) return 'stopped'
  return state === 'paused' && phase !== 'waiting' ? 'paused' : phase
}

/** Evidence may make it last longer than was planned. */
export function soakText({ soakedSeconds, policy }: Pick<Rollout, 'soakedSeconds' | 'policy'>) {
  const { soakSeconds, maxSoakSeconds } = policy
  const soaked = Math.floor(soakedSeconds)
  return soaked < soakSeconds
    ? t('{soaked} of {soakSeconds} s', { soaked, soakSeconds })
    : t('{soaked} s, waiting for evidence until {maxSoakSeconds} s', { soaked, maxSoakSeconds })
}

type Approvals = Pick<Rollout, 'author' | 'approvals'>

/** Why this user can't approve it, or null: it takes other people than who ordered it. */
export function whyNotApprove({ author, approvals }: Approvals, username: string): string | null {
  if (author === username) return t('You ordered it. Somebody else must approve it.')
  return approvals.some(({ by }) => by === username) ? t('You have approved it already.') : null
}

/** Why this plan can't be started, or null. */
export function whyNotStart(plan: RolloutPlan): string | null {
  const { nodes, textErrors, changingNodes, cordonedNodes } = plan
  if (nodes.total === 0) {
    return plan.excluded.total === 0
      ? t('No node is enrolled yet.')
      : t('It is for none of the nodes.')
  }
  if (textErrors.nodes > 0) {
    const named = textErrors.findings.items.flatMap((finding) => finding.nodes.items)
    const names = new Set(named.map(({ nodeName }) => nodeName))
    return t('It has errors on {names}. Fix them in the editor and save a new version.', {
      names: namesOf([...names], textErrors.nodes),
    })
  }
  if (changingNodes > 0) return null
  return cordonedNodes > 0
    ? t('Every node that it would change is cordoned.')
    : t('Every node runs v{version} already: there is nothing to do.', { version: plan.version })
}
