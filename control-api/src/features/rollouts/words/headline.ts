// SPDX-License-Identifier: MIT
// A reason in one sentence: why a rollout waits, and what moves it on. What else there is to say, and what people may do, is in
// words/reasons.ts. Pure.
import { tellClosed } from '../../rollout-rules/windows.ts'
import {
  countNodes,
  type HoldKind,
  type InWave,
  type Nodes,
  type Reason,
  type ReasonCode,
  type Why,
} from '../shapes/reason.ts'
import { type Audience, capital, EVERYBODY, named } from './audience.ts'
import {
  HOLDS,
  isSeen,
  nodeName,
  taskMessage,
  tellFinding,
  tellNode,
  tellWhy,
  whoIsBefore,
} from './why-words.ts'

/** What moves it on; left out: nothing more happens. */
type Parts = readonly [why: string, movesOn?: string]
type Of<Code extends ReasonCode> = Extract<Reason, { code: Code }>
type Words = { [Code in ReasonCode]: (reason: Of<Code>, audience: Audience) => Parts }

/** '': no more may be said to them than its state. */
export function tellHeadline(reason: Reason, audience: Audience = EVERYBODY): string {
  const words = WORDS[reason.code] as (reason: Reason, audience: Audience) => Parts
  const [why, movesOn] = words(reason, audience)
  const parts = [bare(why), movesOn].filter(Boolean)
  return parts.length === 0 ? '' : `${capital(parts.join('; '))}.`
}

/** Parts may be whole sentences. */
const bare = (sentence: string) => sentence.trim().replace(/\.$/, '')

/** Who stands in for whom, and that it is the fast path, stands beside it. */
function waveOf({ wave, waves }: InWave, { isWhole }: Audience): string {
  if (waves === 1) return ''
  if (wave >= waves) return 'The last wave, of nodes that were out of reach: '
  return isWhole ? `Wave ${wave + 1} of ${waves}: ` : `Wave ${wave + 1}: `
}

/** What was measured, and another rollout, begin with a small letter, as names of nodes do. */
function whyOf(why: Why, audience: Audience, otherwise: string): string {
  const told = tellWhy(why, audience, otherwise)
  const isOurs = why.cause === 'gate' || (why.cause === 'froze' && why.rolloutId !== null)
  return isOurs ? `${told.charAt(0).toUpperCase()}${told.slice(1)}` : told
}

const AGAIN = 'a new order asks again'
const itOr = ({ isMany }: { isMany: boolean }) => (isMany ? 'them' : 'it')
const are = ({ isMany }: { isMany: boolean }) => (isMany ? 'are' : 'is')

const WORDS: Words = {
  text: ({ text }, { isWhole }) => [isWhole ? text : ''],

  planned: () => ['It is planned', 'it begins by itself'],
  awaiting_approval: ({ given, needed }) => [
    `It has ${given} of ${needed} approvals`,
    'it begins when somebody other than its author approves it',
  ],
  not_approved: ({ given, needed }) => [
    `It had only ${given} of ${needed} approvals when its time was over`,
    AGAIN,
  ],
  scheduled: () => ['It was ordered for later', 'it begins by itself at its time'],
  window_closed: ({ closed }) => [tellClosed(closed), 'it begins by itself then'],
  queued: ({ rolloutIds }, audience) => [
    whoIsBefore(rolloutIds, audience),
    'it begins by itself when they are free',
  ],
  nodes_taken: () => [
    'Another rollout had its nodes when its time came, and its order was to refuse then',
    AGAIN,
  ],
  contains_reverted: ({ version }) => [
    `It contains version ${version}, which was taken back while it waited`,
    'order it again if it mends that',
  ],
  replaced: () => ['Another rollout took its place before it began'],
  cancelled: ({ by }) => [`${by} cancelled it before it began`],
  rejected: ({ by }) => [`${by} rejected it`, AGAIN],

  files_first: ({ heldNodes, refusedNodes, waiting: awaited }, audience) => {
    const left = awaited ? countNodes(awaited) : 0
    const isCounted = awaited !== null && audience.isWhole
    const counted = isCounted
      ? `: ${heldNodes} of ${heldNodes + refusedNodes + left} have them`
      : ''
    return [
      `Its files go to all nodes first${counted}`,
      'the first wave begins when the others have them, too',
    ]
  },
  waiting_for_nodes: waiting,
  nobody_left: ({ at }, audience) => [
    `${waveOf(at, audience)}none of its nodes is there to prove the version`,
    'it goes on with the next node that connects',
  ],
  soaking: ({ at, soakSeconds }, audience) => [
    `${waveOf(at, audience)}its nodes are healthy`,
    `${next(at, audience)} by itself when they have been watched for ${soakSeconds} s`,
  ],
  awaiting_evidence: ({ at, finding, maxSoakSeconds, onNoData }, audience) => {
    const found = tellFinding(finding, audience) ?? 'evidence is being gathered'
    const otherwise = onNoData === 'continue' ? 'goes on all the same' : 'pauses'
    return [
      `${waveOf(at, audience)}its nodes are healthy, and ${found}`,
      `it goes on by itself when the evidence is clear, and ${otherwise} after ${maxSoakSeconds} s`,
    ]
  },
  nodes_away: ({ away }, audience) => {
    const who = named(away, audience)
    return [
      `${who.names} took the version and ${are(who)} not connected`,
      `it goes on by itself on return, or without ${itOr(who)} when somebody resumes it`,
    ]
  },
  wave_window_closed: ({ closed, wave, waves }) => [
    tellClosed(closed),
    `${wave < waves ? `wave ${wave + 1}` : 'the last wave'} begins by itself then`,
  ],
  nodes_failed: ({ first, failed, leftOut }, audience) => {
    const isMany = countNodes(failed) + leftOut.nodes.length > 1
    const more = countNodes(failed) - 1
    const others = more > 0 && audience.isWhole ? `, and ${more} more likewise` : ''
    return [
      `${bare(tellNode(first, audience))}${others}`,
      `it goes on without ${itOr({ isMany })} when somebody resumes it`,
    ]
  },
  nodes_late: ({ first }, audience) => [
    `${nodeName(first.node, audience)}: ${isSeen(first, audience) ? bare(taskMessage(first, audience)) : 'it has not answered'}`,
    'it goes on by itself when the node answers',
  ],
  none_reached: () => [
    'None of its nodes could be reached',
    'it goes on by itself when one answers',
  ],
  too_many_away: ({ away, maxPercent }, audience) => [
    `${named(away, audience).names} cannot be reached, more than ${maxPercent} % of the nodes`,
    'it goes on by itself when enough are back, or without them when somebody resumes it',
  ],
  manual: held,
  gate_failed: held,
  gate_no_data: held,
  gate_inconclusive: held,
  deadline: held,
  control_plane_restart: held,
  storage_full: held,

  frozen: ({ why, doneNodes, totalNodes }, audience) => [
    bare(whyOf(why, audience, 'It was frozen')) +
      (audience.isWhole ? `, and ${doneNodes} of ${totalNodes} nodes have the version` : ''),
    'a new rollout moves the others on',
  ],
  all_have_it: ({ doneNodes }, audience) => [`${all(doneNodes, audience)} the version`],
  nothing_to_do: ({ doneNodes }, audience) => [
    `There was nothing to do: ${all(doneNodes, audience)} the version already`,
  ],
  others_later: (reason, audience) => [
    most(reason, audience),
    `${named(reason.others, audience).names} will take it when reached`,
  ],
  without_some: (reason, audience) => [
    most(reason, audience),
    `somebody went on without ${named(reason.others, audience).names}`,
  ],
  some_failed: (reason, audience) => {
    const who = named(reason.others, audience)
    return [
      most(reason, audience),
      `${who.names} ${who.isMany ? 'do' : 'does'} not, which is within what may fail`,
    ]
  },
  unproven: () => ['Nothing is proven', 'new nodes go on getting what was released before'],
  going_back: ({ why, backNodes, totalNodes, open }, audience) => [
    whyOf(why, audience, 'It goes back'),
    audience.isWhole
      ? `${backNodes} of ${totalNodes} nodes have again what they had, and it is over when ${named(open, audience).names} ${are(named(open, audience))} back, too`
      : 'it is over when all its nodes have again what they had',
  ],
  back_in_part: ({ why, still, failed }, audience) => {
    const [away, stuck] = [named(still, audience), named(failed, audience)]
    return [
      whyOf(why, audience, 'It went back in part'),
      [
        ...(away.isEmpty ? [] : [`${away.names} will go back when reached`]),
        ...(stuck.isEmpty ? [] : [`look at ${stuck.names} now, which could not go back`]),
      ].join(', and '),
    ]
  },
  went_back: ({ why, backNodes }, audience) => [
    whyOf(why, audience, 'It went back'),
    backNodes === 0 ? 'no node had begun to apply it' : 'its nodes have again what they had',
  ],
}

/** What follows a wave that is well. How many waves there are is not told to who sees some of the nodes only. */
function next({ wave, waves }: InWave, { isWhole }: Audience): string {
  if (!isWhole) return 'it goes on'
  return wave + 1 < waves ? `wave ${wave + 2} begins` : 'it succeeds'
}

function waiting(reason: Of<'waiting_for_nodes'>, audience: Audience): Parts {
  const { at, doneNodes, totalNodes, open, withoutRoomNodes } = reason
  const who = named(open, audience)
  const wave = waveOf(at, audience)
  const counted = audience.isWhole
    ? `${doneNodes} of ${totalNodes} nodes have the version`
    : 'its nodes are offered the version'
  const room =
    withoutRoomNodes > 0 ? ', and when other rollouts leave room in the farm’s blast budget' : ''
  if (who.isEmpty) return [`${wave}${counted}`, `it goes on by itself${room}`]
  return [`${wave}${counted}`, `it goes on when ${who.names} ${are(who)} well with it${room}`]
}

const ON: Readonly<Record<HoldKind, string>> = {
  manual: 'it goes on when somebody resumes it',
  gate_failed: 'it goes on only when somebody skips the gate, or has its nodes watched anew',
  gate_no_data: 'it goes on when somebody has its nodes watched anew, or skips the gate',
  gate_inconclusive: 'it goes on when somebody has its nodes watched anew, or skips the gate',
  deadline: 'it goes on when somebody resumes it, which gives it that time again',
  control_plane_restart: 'it goes on by itself then',
  storage_full: 'it goes on when there is room again and somebody resumes it',
}

function held({ code, why, leftAlone }: Of<HoldKind>, audience: Audience): Parts {
  const follows = leftAlone?.follows === 'revert' ? 'goes back' : 'is frozen'
  const alone = leftAlone === null ? '' : `, and left alone it ${follows}`
  return [whyOf(why, audience, HOLDS[code]), `${ON[code]}${alone}`]
}

function all(nodes: number, { isWhole }: Audience): string {
  if (!isWhole) return 'All nodes it was to change have'
  return nodes === 1 ? 'Its node has' : `All ${nodes} nodes have`
}

type Most = { doneNodes: number; totalNodes: number; others: Nodes }
const most = ({ doneNodes, totalNodes }: Most, { isWhole }: Audience) =>
  isWhole ? `${doneNodes} of ${totalNodes} nodes have the version` : 'Some nodes have the version'
