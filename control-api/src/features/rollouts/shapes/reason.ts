// SPDX-License-Identifier: MIT
// Why a rollout is in its state: a code and what it is about, as it is decided and stored. words/reasons.ts has the
// words, which depend on who reads; reducer/because.ts says which reason it is.
import type { TaskState } from '../../../api-shapes/states.ts'
import type { Closed } from '../../rollout-rules/windows.ts'

export type NodeRef = { id: string; name: string }
/** The first of them; of the others only how many there are. */
export type Nodes = { nodes: readonly NodeRef[]; moreNodes: number }
export const countNodes = ({ nodes, moreNodes }: Nodes): number => nodes.length + moreNodes

/** Of nodes of its kind, or whose machines' owners allow the same, this one refused the same text. */
export type LeftOutFor = { node: NodeRef; isOfItsOwner: boolean }
/** What became of a node: `message` is its own, or of it alone. */
export type Told = {
  node: NodeRef
  state: TaskState
  errorCode: string | null
  message: string
  leftOutFor: LeftOutFor | null
  line: number | null
}

/** It will not hold the files of a release ahead of its turn. */
export type Refusal = { node: NodeRef; errorCode: string; message: string }

/** What was measured, in a sentence made of all nodes. silent: of whom nothing was, when that is what it says. */
export type Finding = { text: string; silent: Nodes | null }
export type StandIn = { node: NodeRef; missing: Nodes } | { text: string }
/** Where it is: before it, in a sentence, comes whether that wave is a special one. */
export type InWave = {
  wave: number
  waves: number
  isFastPath: boolean
  standIn: StandIn | null
}

/** What stopped it or turned it back. */
export type Why =
  /** Of before reasons were kept as codes. */
  | { cause: 'text'; text: string }
  | { cause: 'paused' | 'took_back'; by: string; why: string }
  /** rolloutId: it was not a person, but the rollout that took its place. */
  | { cause: 'froze'; by: string; rolloutId: string | null }
  | { cause: 'gate'; finding: Finding }
  | { cause: 'no_evidence'; maxSoakSeconds: number; finding: Finding | null }
  | { cause: 'no_progress'; withinSeconds: number }
  | { cause: 'storage_was_full' }
  | { cause: 'unheard'; unheard: Nodes }
  | { cause: 'node_failed'; failed: Told }

/** The same of each of those codes. */
type Each<Code extends string, Rest> = { [One in Code]: { code: One } & Rest }[Code]

type Held = {
  why: Why
  /** What its progress deadline does while evidence is wanted; null: nothing. */
  leftAlone: { follows: 'revert' | 'freeze'; afterSeconds: number } | null
}
export type HoldKind =
  | 'manual'
  | 'gate_failed'
  | 'gate_no_data'
  | 'gate_inconclusive'
  | 'deadline'
  | 'control_plane_restart'
  | 'storage_full'

type BeforeStart =
  | { code: 'planned' }
  /** timePassed: for when it was ordered, where that is over and nothing else keeps it. */
  | { code: 'awaiting_approval'; given: number; needed: number; until: string; timePassed?: string }
  | { code: 'not_approved'; given: number; needed: number; until: string }
  | { code: 'scheduled'; at: string }
  | { code: 'window_closed'; closed: Closed }
  | Each<'queued' | 'nodes_taken', { rolloutIds: readonly string[] }>
  | { code: 'contains_reverted'; version: number; rolloutId: string; orderId: string }
  | { code: 'replaced'; rolloutId: string }
  | { code: 'cancelled'; by: string }
  | { code: 'rejected'; by: string; why: string }

type UnderWay =
  | {
      code: 'files_first'
      heldNodes: number
      refusedNodes: number
      /** The first of those. */
      refusals: readonly Refusal[]
      /** null: nobody has looked yet. */
      waiting: Nodes | null
      /** When no node came further for so long, it goes on. */
      stillSeconds: number
    }
  | {
      code: 'waiting_for_nodes'
      at: InWave
      doneNodes: number
      totalNodes: number
      open: Nodes
      /** How many only the farm's blast budget keeps waiting, and who fills it. */
      withoutRoomNodes: number
      roomHeldBy: readonly string[]
    }
  | { code: 'nobody_left'; at: InWave; called: Nodes }
  | { code: 'soaking'; at: InWave; soakSeconds: number }
  | {
      code: 'awaiting_evidence'
      at: InWave
      finding: Finding | null
      isProbed: boolean
      maxSoakSeconds: number
      /** Left out: it pauses. */
      onNoData?: 'continue'
    }
  | { code: 'nodes_away'; away: Nodes }
  | { code: 'wave_window_closed'; closed: Closed; wave: number; waves: number }
  | {
      code: 'nodes_failed'
      first: Told
      /** With the first, unless it is one of those that were left out. */
      failed: Nodes
      leftOut: Nodes
      /** Of the first, when nodes of its kind would refuse the same. */
      kind: string | null
      isOfItsOwner: boolean
    }
  | { code: 'nodes_late'; first: Told; late: Nodes }
  | { code: 'none_reached'; totalNodes: number }
  | { code: 'too_many_away'; away: Nodes; maxPercent: number }
  | Each<HoldKind, Held>

type Ended =
  | {
      code: 'frozen'
      why: Why
      /** There was nothing to go back to. */
      isHopeless: boolean
      doneNodes: number
      totalNodes: number
      applying: Nodes
    }
  | Each<'all_have_it' | 'nothing_to_do', { doneNodes: number; passedBy: Nodes }>
  | Each<
      'others_later' | 'without_some' | 'some_failed',
      { doneNodes: number; totalNodes: number; others: Nodes; passedBy: Nodes }
    >
  | { code: 'unproven'; isEmpty: boolean; without: Nodes; gone: Nodes; passedBy: Nodes }
  | { code: 'going_back'; why: Why; backNodes: number; totalNodes: number; open: Nodes }
  | { code: 'back_in_part'; why: Why; backNodes: number; still: Nodes; failed: Nodes }
  | { code: 'went_back'; why: Why; backNodes: number }

export type Reason =
  /** Of before reasons were kept as codes. */
  { code: 'text'; text: string } | BeforeStart | UnderWay | Ended
export type ReasonCode = Reason['code']

/** What scripts may rely on. That none is left out the table of words says (words/reasons.ts). */
export const REASON_CODES = [
  'text',
  'planned',
  'awaiting_approval',
  'not_approved',
  'scheduled',
  'window_closed',
  'queued',
  'nodes_taken',
  'contains_reverted',
  'replaced',
  'cancelled',
  'rejected',
  'files_first',
  'waiting_for_nodes',
  'nobody_left',
  'soaking',
  'awaiting_evidence',
  'nodes_away',
  'wave_window_closed',
  'nodes_failed',
  'nodes_late',
  'none_reached',
  'too_many_away',
  'manual',
  'gate_failed',
  'gate_no_data',
  'gate_inconclusive',
  'deadline',
  'control_plane_restart',
  'storage_full',
  'frozen',
  'all_have_it',
  'nothing_to_do',
  'others_later',
  'without_some',
  'some_failed',
  'unproven',
  'going_back',
  'back_in_part',
  'went_back',
] as const satisfies readonly ReasonCode[]
