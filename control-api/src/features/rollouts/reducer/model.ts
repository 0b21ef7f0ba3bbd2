// SPDX-License-Identifier: MIT
// What a rollout is made of, what can happen to it, and what follows: the words of the reducer (rules.ts).
import type { ConfigError } from '../../../api-shapes/common.ts'
import type { RolloutState, TaskState } from '../../../api-shapes/states.ts'
import { DEADLINES, type Deadlines } from '../../../assignments/deadlines.ts'
import type { Fetched } from '../../../fleet/agent-ports.ts'
import type { Cordon } from '../../../fleet/cordon.ts'
import type { Closed } from '../../rollout-rules/windows.ts'
import type {
  HoldKind,
  LeftOutFor,
  NodeRef,
  Nodes,
  Reason,
  Refusal,
  StandIn,
  Why,
} from '../shapes/reason.ts'
import type { Gate, OnFailure, Probe, Verdict } from '../shapes/schema.ts'

/** Frozen at the start, like the nodes and their waves: its digest is of all three. */
export type Policy = Deadlines & {
  /** Most nodes offered the version and not yet healthy; null: all of a wave at once, there or not. */
  maxParallel: number | null
  /** Most nodes between two configs at once, also while all go back; null: no limit. */
  blastBudget: number | null
  /** How long without a break a node must be well to count as healthy. */
  minHealthyMs: number
  soakMs: number
  maxSoakMs: number
  /** In which one more node must become healthy; null: no limit. */
  progressDeadlineMs: number | null
  /** Of all nodes so far that may fail once the first wave is through; of that one, none. */
  maxFailedPercent: number
  /** Of the rollout's nodes that may be out of reach. */
  maxUnreachablePercent: number
  /** How often a node may fall away or restart while its health is watched. */
  maxFlaps: number
  /** When a node went back or is not well; for gates each says its own. */
  onFailure: OnFailure
  /** What a wave's nodes must show before it is through; none: time alone. */
  gates: readonly Gate[]
  /** A single node and no gates of the order's own: who should be compared? Time lets it through. Left out: no. */
  isAlone?: boolean
  /** Where too little was measured, time lets a wave through in the end; left out: it is held. */
  onNoData?: 'continue'
  /** Requests on each side; of fewer nothing is concluded. */
  minSamples: number
  /** The version succeeded not long ago: only gates that take it back are asked, and more nodes at once. */
  isFastPath: boolean
  /** What nodes fetch from themselves where visitors make fewer; none: nothing. */
  probes: readonly Probe[]
  /** Files go to all nodes before the first wave; when none came further for so long, it begins. Left out: no such step. */
  filesFirstMs?: number
}

export type Task = {
  nodeId: string
  nodeName: string
  /** Nodes out of reach go into one behind the last. */
  wave: number
  state: TaskState
  /** What it is to obey now; null: nothing of this rollout. */
  generation: number | null
  digest: string
  /** What it goes back to: what it was confirmed with last before; null: it had nothing. */
  previous: { generation: number; digest: string } | null
  code: string | null
  message: string
  /** It was left out for what that one refused, and there is no message; null: it was not. */
  leftOutFor: LeftOutFor | null
  errors: ConfigError[]
  /** Time left for the node's next step; null: nothing is awaited. 0: overrun. */
  deadlineMs: number | null
  /** How often it was offered the version. */
  offers: number
  flaps: number
  /** How often it refused for a reason that may pass. */
  refusals: number
  /** Its system, version and capabilities, when the plan was made: nodes of a kind refuse the same things. */
  kind: string
  /** Which rules its machine's owner had then: nodes with the same refuse the same. null: not known. */
  policyRules: string | null
  /** It failed, and an operator goes on without it. */
  isExcused: boolean
  /** Of now; not stored. */
  isConnected: boolean
  /** While it is, the node is offered nothing; null: it is not. Of now; not stored. */
  cordon: Cordon | null
}

export type Hold = { kind: HoldKind; why: Why }
export type Progress = {
  wave: number
  /** How many waves were planned; the stragglers' has this number. */
  waves: number
  /**
   * files: they go to all nodes first. waiting: for a change window. In both nobody has been offered the wave yet.
   */
  phase: 'files' | 'waiting' | 'dispatching' | 'soaking'
  /** How far nodes are with the files that go first, or were when the first wave began. Left out: none do. */
  files?: FilesFirst
  soakedMs: number
  /** The newest of this soak. */
  verdict: { verdict: Verdict; message: string; silent?: Nodes } | null
  /** null: no limit. */
  progressLeftMs: number | null
  hold: Hold | null
  /** Why it goes back; null: it goes forward. */
  goesBack: Why | null
  /** Who proves the version in this wave instead of whom; null, or left out by rollouts of before: nobody does. */
  standIn?: StandIn | null
  /** What was decided for more nodes than one event may change goes on with the next; left out: nothing does. */
  unfinished?: Unfinished
  /** Somebody goes on without these nodes, and they are yet to be noted for it: excuses.ts. Left out: all are. */
  excusing?: string
  /** Evidence said so of this wave, and some of its nodes are yet to be marked: verdicts.ts. Left out: all are. */
  marking?: Marking
  /** Behind this node, by id, they are yet to begin: it has just become their owner. Left out: all have begun. */
  begunTo?: string
  /** It was released, and those who joined meanwhile are yet to get it, behind this node, by id. Left out: all have. */
  newcomersTo?: string
}
/** Of the nodes that are to change. */
export type FilesNow = {
  heldNodes: number
  refusedNodes: number
  /** The first of those. */
  refusals: readonly Refusal[]
  /** They are there and can hold files, and have not all of them yet. */
  waiting: Nodes
  /** They are away, or cannot hold files of what they do not run. */
  otherNodes: number
  /** Grows whenever one of them comes further. */
  steps: number
}
export type FilesFirst = {
  /** null: nobody has looked yet. */
  now: FilesNow | null
  /** For so long nobody came further. */
  stillMs: number
  /** After a start: who is there is not known before that. */
  unheardMs: number
}
export type Marking = { verdict: 'pass' | 'fail'; wave: number }
export type Unfinished = {
  /** As of the event that decided it, in which the first of them were changed. */
  cause: string
  actor: string | null
  /** Why the others are given up; null: they are not. */
  givenUp: string | null
}
export type Rollout = {
  state: RolloutState
  reason: Reason
  policy: Policy
  progress: Progress
  tasks: readonly Task[]
  /** Why no wave may begin now; null: it may. Of now; not stored. */
  closed: Closed | null
  /** Of the farm's budget, what the other rollouts leave to it; null: no limit. Of now; not stored. */
  room: number | null
  /** Who the others are. Of now; not stored. */
  roomHeldBy: readonly string[]
  /** The control plane's disk is full. Of now; not stored. */
  isStorageFull: boolean
  /** How far its nodes are with files that go first. Of now; not stored. null, or left out: it is not known. */
  filesNow?: FilesNow | null
  /** How many nodes one event may change beside its own. Of now; not stored. Left out: NODES_AT_ONCE. */
  nodesAtOnce?: number
}

/** A node as it is when the rollout becomes its owner. */
export type StartNode = {
  nodeId: string
  /** The generation that brought what it runs, when there is nothing to change on it. */
  settledGeneration: number | null
  /** What that brought was released before, or its rollout succeeded. */
  isProven: boolean
  previous: Task['previous']
}

/** What people did to a node. */
type OfPeople = { kind: 'decommissioned' | 'cordoned'; nodeId: string }
type OfANode = { nodeId: string; generation: number }
export type NodeEvent =
  | (OfANode & { kind: 'offered' })
  | (OfANode & { kind: 'acked' })
  | (OfANode & { kind: 'nacked'; code: string; message: string; errors: ConfigError[] })
  | (OfANode & { kind: 'applied'; digest: string | null })
  | (OfANode & { kind: 'confirmed' })
  | (OfANode & { kind: 'reverted' | 'stuck'; reason: string | null; message: string })
  | { kind: 'deadline'; nodeId: string }
  | (Fetched & { kind: 'fetching' })
  | { kind: 'connected' | 'disconnected' | 'restarted'; nodeId: string }
  /** Measurements say that it is not well. */
  | { kind: 'ill'; nodeId: string; gate: string; message: string }
  | OfPeople
  /** Its config was changed on the machine. generation: it refused that one for it; null: it only said so. */
  | { kind: 'drifted'; nodeId: string; generation: number | null; digest: string | null }
export type Command =
  /** rolloutId: that one takes its place. */
  | { kind: 'freeze'; actor: string; rolloutId?: string }
  | { kind: 'pause'; actor: string; why: string }
  | { kind: 'resume'; actor: string }
  | { kind: 'skip-gate'; actor: string; why: string }
  | { kind: 'revert'; actor: string; why: string }
  /** Before the start only, like the two below. */
  | { kind: 'cancel'; actor: string }
  | { kind: 'reject'; actor: string; why: string }
export type Evaluated = {
  kind: 'evaluated'
  /** Of which wave: what arrives late says nothing of the next. */
  wave: number
  verdict: Verdict
  /** When it fails. */
  onFail: OnFailure
  message: string
  /** The message says of these that nothing was measured; left out: it says something else. */
  silent?: readonly NodeRef[]
}
export type RolloutEvent =
  /** It may not begin yet. */
  | { kind: 'waits'; state: WaitingState; reason: Reason }
  /** It will never begin. */
  | { kind: 'ends'; state: 'expired' | 'cancelled' | 'superseded'; reason: Reason }
  /** Its nodes are its own now; those that are not named are gone. begunTo: of those up to this one, by id. */
  | { kind: 'started'; nodes: readonly StartNode[]; begunTo?: string }
  /** More of them begin, from behind the last that did; begunTo left out: all that were left. */
  | { kind: 'begun'; nodes: readonly StartNode[]; begunTo?: string }
  /** For a while nobody could reach us: what is awaited is awaited anew. */
  | { kind: 'heard-again' }
  /** The same for these of its nodes alone, when it has more than one transaction may change. */
  | { kind: 'heard-again'; nodeIds: readonly string[]; isFirst: boolean }
  | { kind: 'elapsed'; ms: number }
  /** What was decided for many nodes goes on. */
  | { kind: 'goes-on' }
  /** Other rollouts may have left room. */
  | { kind: 'room' }
  /** The control plane's disk is full: what is under way is held. */
  | { kind: 'storage-full' }
  /** A later rollout has these nodes now. At once: what one leaves must not go to another of them. */
  | { kind: 'superseded'; nodeIds: readonly string[]; by: string }
  /** To so many nodes at once, and what follows is decided once, behind the last of them. */
  | { kind: OfPeople['kind']; nodeIds: readonly string[] }
  | Evaluated
  | Command
  /** Before they answer an offer: they have come further since that was said last. Nothing follows but that they have time. */
  | { kind: 'fetching'; nodes: readonly Fetched[] }
  | Exclude<NodeEvent, OfPeople | { kind: 'fetching' }>

/** What happened, each worth a row in the event log. nodeId null: to the rollout itself. */
export type Transition = {
  nodeId: string | null
  from: string
  to: string
  cause: string
  /** From wave to wave; else from state to state. */
  isWave?: true
}
export type Effect =
  /** Give the node its assignment; come back with `offered`. */
  | { kind: 'offer'; nodeId: string }
  /** Give it again what it had with that generation; come back with `offered`. */
  | { kind: 'give-back'; nodeId: string; generation: number }
  /** Take the node's assignment back. */
  | { kind: 'withdraw'; nodeId: string; generation: number }
  /** The version proved itself: new nodes get it. */
  | { kind: 'release' }
  /** The rollout ended: its nodes are free for another. */
  | { kind: 'release-leases' }
export type Outcome = { rollout: Rollout; effects: Effect[]; transitions: Transition[] }

/**
 * On top of a step's whole time once we are back: a node that found nobody asks again after at most
 * 5 s (the protocol's rule N5; nodes of earlier builds after 30), gives up a connection that nobody takes after 10 s, and first says hello.
 */
export const RECONCILIATION_GRACE_MS = 45_000
/** A transaction holds up everybody else: of ten thousand nodes two hundred at a time. */
export const NODES_AT_ONCE = 200
/**
 * Whoever fetches has so long to come further: it says so with its reports, which are 30 s apart where nodes are many,
 * and of many each is passed on every 20 s.
 */
export const FETCHING_MS = 60_000
/** Offers to a node that is there and does not answer them. */
export const MAX_OFFERS = 3

/** One wave of all nodes, and nothing is asked of them but that they confirm. */
export const AT_ONCE: Policy = {
  ...DEADLINES,
  maxParallel: null,
  blastBudget: null,
  minHealthyMs: 0,
  soakMs: 0,
  maxSoakMs: 0,
  progressDeadlineMs: null,
  maxFailedPercent: 0,
  maxUnreachablePercent: 100,
  maxFlaps: 3,
  onFailure: 'pause',
  gates: [],
  minSamples: 500,
  isFastPath: false,
  probes: [],
}

export const firstProgress = (
  waves: number,
  { progressDeadlineMs, filesFirstMs }: Pick<Policy, 'progressDeadlineMs' | 'filesFirstMs'>,
): Progress => ({
  wave: 0,
  waves,
  phase: filesFirstMs === undefined ? 'dispatching' : 'files',
  soakedMs: 0,
  verdict: null,
  progressLeftMs: progressDeadlineMs,
  hold: null,
  goesBack: null,
  standIn: null,
})

const TERMINAL = new Set<RolloutState>([
  'succeeded',
  'frozen',
  'reverted',
  'rejected',
  'cancelled',
  'expired',
  'superseded',
])
export const isTerminal = (state: RolloutState) => TERMINAL.has(state)
/** Nobody has been offered the wave that it is at. */
export const isBeforeWave = ({ phase }: Pick<Progress, 'phase'>) =>
  phase === 'files' || phase === 'waiting'
/** A gate was not passed, and somebody has to say what follows. */
export const isHeldByGate = ({ hold }: Pick<Progress, 'hold'>) =>
  hold?.kind.startsWith('gate_') ?? false

export const WAITING = ['planned', 'awaiting_approval', 'scheduled', 'queued'] as const
export type WaitingState = (typeof WAITING)[number]
/** It has no nodes of its own yet. */
export const isWaiting = (state: RolloutState): state is WaitingState =>
  WAITING.some((one) => one === state)
