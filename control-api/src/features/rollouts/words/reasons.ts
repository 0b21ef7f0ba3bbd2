// SPDX-License-Identifier: MIT
// Reasons in sentences for whoever is on call: why a rollout is in its state and what would move it on. The one
// place that has the words; who sees some of the nodes only is told the same without names and numbers of the
// others. Pure.
import { tellClosed } from '../../rollout-rules/windows.ts'
import {
  countNodes,
  type HoldKind,
  type Nodes,
  type Reason,
  type ReasonCode,
} from '../shapes/reason.ts'
import {
  type Audience,
  capital,
  EVERYBODY,
  named,
  rolloutName,
  rolloutNames,
  someRollouts,
} from './audience.ts'
import {
  HOLDS,
  isSeen,
  nodeName,
  taskMessage,
  tellFinding,
  tellNode,
  tellWave,
  tellWhy,
  whoHas,
  whoIsBefore,
  written,
} from './why-words.ts'

const WAY_OUT = 'Revert takes back what was changed, freeze ends the rollout as it is.'
const BY_ITSELF = 'It begins by itself, cancel ends it.'

type Of<Code extends ReasonCode> = Extract<Reason, { code: Code }>
type Words = { [Code in ReasonCode]: (reason: Of<Code>, audience: Audience) => string }

/** '': no more may be said to them than its state. */
export function tellReason(reason: Reason, audience: Audience = EVERYBODY): string {
  const words = WORDS[reason.code] as (reason: Reason, audience: Audience) => string
  const told = words(reason, audience)
  return audience.isWhole ? told : capital(told)
}

const WORDS: Words = {
  text: ({ text }, { isWhole }) => (isWhole ? text : ''),

  planned: () => 'Planned.',
  awaiting_approval: ({ given, needed, until, timePassed }) => {
    const time =
      timePassed === undefined
        ? ''
        : ` Its time, ${timePassed}, has passed: the last approval begins it at once.`
    return `It has ${given} of ${needed} approvals; expires ${until}.${time} Somebody other than its author approves or rejects it, cancel ends it.`
  },
  not_approved: ({ given, needed, until }) =>
    `It had ${given} of ${needed} approvals by ${until}. A new order asks again.`,
  scheduled: ({ at }) => `It begins ${at}. ${BY_ITSELF}`,
  window_closed: ({ closed }) => `${tellClosed(closed)} ${BY_ITSELF}`,
  queued: ({ rolloutIds }, audience) =>
    `${whoIsBefore(rolloutIds, audience)}. It begins by itself when its nodes are free; cancel ends it.`,
  nodes_taken: ({ rolloutIds }, audience) =>
    `When its time came, ${whoHas(rolloutIds, audience)}, and its order was to refuse then. A new order with "onOverlap": "queue" waits.`,
  contains_reverted: ({ version, rolloutId, orderId }, audience) =>
    `It contains version ${version}, which ${rolloutName(rolloutId, audience)} took back while it waited: so it does not begin by itself. If it mends that, order it again: farmctl rollout again ${orderId}.`,
  replaced: ({ rolloutId }, { seesRollout }) =>
    `${seesRollout(rolloutId) ? `Rollout ${rolloutId}` : 'Another rollout'} took its place before it began.`,
  cancelled: ({ by }) => `${by} cancelled it before it began.`,
  rejected: ({ by, why }, audience) => `${by} rejected it${written(why, audience) || '.'}`,

  files_first: filesFirst,
  waiting_for_nodes: waiting,
  nobody_left: ({ at, called }, audience) =>
    `${tellWave(at, audience)}nobody of the wave is left to prove the version; the next node that is there does: ${named(called, audience).names}.`,
  soaking: ({ at, soakSeconds }, audience) =>
    `${tellWave(at, audience)}its nodes are healthy and are watched for ${soakSeconds} s before the next wave begins.`,
  awaiting_evidence: ({ at, finding, isProbed, maxSoakSeconds, onNoData }, audience) => {
    const found = tellFinding(finding, audience) ?? 'evidence is being gathered'
    const probed = isProbed ? ' Nodes fetch its probes from themselves meanwhile.' : ''
    const then = onNoData === 'continue' ? 'it goes on when nothing speaks against it' : 'it pauses'
    return `${tellWave(at, audience)}its nodes are healthy; ${found}.${probed} Without evidence ${then} after ${maxSoakSeconds} s.`
  },
  nodes_away: ({ away }, audience) => {
    const { names, isMany } = named(away, audience)
    return `${names} took the version and ${isMany ? 'are' : 'is'} not connected. It goes on by itself on return, resume goes on without. ${WAY_OUT}`
  },
  wave_window_closed: ({ closed, wave, waves }, { isWhole }) => {
    const of = isWhole ? ` of ${waves}` : ''
    const which =
      wave < waves ? `Wave ${wave + 1}${of}` : 'The last wave, of nodes that were out of reach,'
    return `${tellClosed(closed)} ${which} begins by itself then. ${WAY_OUT}`
  },
  nodes_failed: failed,
  nodes_late: ({ first, late }, audience) => {
    const said = isSeen(first, audience) ? taskMessage(first, audience) : 'it has not answered'
    const what = audience.isWhole ? said : `${said}.`
    const likewise = andMore(late, audience)
    return `${nodeName(first.node, audience)}: ${what}${likewise} It goes on by itself when the node answers. ${WAY_OUT}`
  },
  none_reached: ({ totalNodes }, { isWhole }) =>
    `None of ${isWhole ? `${totalNodes} nodes` : 'its nodes'} could be reached, so nothing is proven. It goes on by itself when one answers. ${WAY_OUT}`,
  too_many_away: ({ away, maxPercent }, audience) =>
    `${named(away, audience).names} cannot be reached: more than ${maxPercent} % of the nodes. It goes on by itself when enough are back, resume goes on without them. ${WAY_OUT}`,
  manual: held,
  gate_failed: held,
  gate_no_data: held,
  gate_inconclusive: held,
  deadline: held,
  control_plane_restart: held,
  storage_full: held,

  frozen,
  all_have_it: ({ doneNodes, passedBy }, audience) =>
    `${whoHaveIt(doneNodes, audience)} the version.${without(passedBy, audience)}`,
  nothing_to_do: ({ doneNodes, passedBy }, audience) =>
    `Nothing to do: ${lowered(whoHaveIt(doneNodes, audience))} the version already.${without(passedBy, audience)}`,
  others_later: (reason, audience) =>
    `${haveIt(reason, audience, '; ')}${named(reason.others, audience).names} will take it when reached.${without(reason.passedBy, audience)}`,
  without_some: (reason, audience) =>
    `${haveIt(reason, audience, '; an operator', 'An operator')} went on without ${named(reason.others, audience).names}.${without(reason.passedBy, audience)}`,
  some_failed: (reason, audience) => {
    const { names, isMany } = named(reason.others, audience)
    const does = isMany ? 'do' : 'does'
    const what = audience.isWhole ? `${does} not` : `${does} not have the version`
    return `${haveIt(reason, audience, '; ')}${names} ${what}, which is within what may fail.${without(reason.passedBy, audience)}`
  },
  unproven,
  going_back: ({ why, backNodes, totalNodes, open }, audience) => {
    const { names } = named(open, audience)
    const counted = `${backNodes} of ${totalNodes} nodes have again what they had; waiting`
    return `${whyBack(why, audience)} ${audience.isWhole ? counted : 'Waiting'} for ${names}. Freeze ends it as it is.`
  },
  back_in_part: ({ why, backNodes, still, failed: failures }, audience) => {
    const parts = [
      ...someOf(still, audience, ({ names }) => `${names} will go back when reached`),
      ...someOf(failures, audience, ({ names }) => `${names} could not go back: look there now`),
    ].join('; ')
    const counted = audience.isWhole ? `${haveAgain(backNodes)}; ` : ''
    const rest = audience.isWhole ? parts : capital(parts)
    return `${whyBack(why, audience)} ${counted}${rest}. A new rollout can have its nodes.`
  },
  went_back: ({ why, backNodes }, audience) => {
    const nobody = 'No node had begun to apply it.'
    const all = audience.isWhole
      ? `${haveAgain(backNodes)}.`
      : 'Its nodes have again what they had.'
    return `${whyBack(why, audience)} ${backNodes === 0 ? nobody : all}`
  },
}

function filesFirst(reason: Of<'files_first'>, audience: Audience): string {
  const { heldNodes, refusedNodes, waiting: awaited, stillSeconds } = reason
  const begins = `When none comes further for ${stillSeconds} s, the first wave begins all the same; skip-gate begins it now.`
  if (awaited === null) return `Its files go to all nodes first. ${begins}`
  const { names, isEmpty } = named(awaited, audience)
  const total = heldNodes + refusedNodes + countNodes(awaited)
  const counted = audience.isWhole ? `: ${heldNodes} of ${total} have them` : ''
  const forWhom = isEmpty ? '' : `; waiting for ${names}`
  return `Its files go to all nodes first${counted}${forWhom}.${tellRefusals(reason, audience)} ${begins}`
}

/** Files that go first. */
function tellRefusals({ refusals, refusedNodes }: Of<'files_first'>, audience: Audience): string {
  const first = refusals.find(({ node }) => audience.isWhole || audience.sees(node.id))
  if (!first) return ''
  const more = refusedNodes - 1
  const others = audience.isWhole && more > 0 ? ` ${more} more refused them, too.` : ''
  const { node, errorCode, message } = first
  return ` ${node.name} refused them (${errorCode}): ${message.replace(/\.$/, '')}.${others}`
}

function waiting(reason: Of<'waiting_for_nodes'>, audience: Audience): string {
  const { at, doneNodes, totalNodes, open } = reason
  const { names, isEmpty } = named(open, audience)
  const wave = tellWave(at, audience)
  const room = noRoom(reason, audience)
  if (!audience.isWhole) {
    return `${wave}${isEmpty ? 'its nodes are offered the version' : `waiting for ${names}`}.${room}`
  }
  const forWhom = isEmpty ? '' : `; waiting for ${names}`
  return `${wave}${doneNodes} of ${totalNodes} nodes have the version${forWhom}.${room}`
}

function noRoom(
  { withoutRoomNodes: nodes, roomHeldBy }: Of<'waiting_for_nodes'>,
  audience: Audience,
): string {
  if (nodes === 0) return ''
  const leave = rolloutNames(roomHeldBy, audience).length > 1 ? 'leave' : 'leaves'
  const isHeld = roomHeldBy.length > 0
  const forWhat = isHeld ? `until ${someRollouts(roomHeldBy, audience)} ${leave} room` : 'for room'
  const some = audience.isWhole ? `${nodes} of them` : 'Some nodes'
  const isMany = nodes > 1 || !audience.isWhole
  return ` ${some} ${isMany ? 'wait' : 'waits'} ${forWhat} in the farm's blast budget.`
}

function failed(reason: Of<'nodes_failed'>, audience: Audience): string {
  const { first, failed: failures, leftOut, kind, isOfItsOwner } = reason
  const ofItsKind =
    kind === null
      ? ''
      : ` Nodes of its kind with the same text are not offered it; a plan can leave out all of its kind${isSeen(first, audience) ? `, ${kind}` : ''} ("excludeKinds" in an order’s strategy).`
  const ofItsOwner = isOfItsOwner
    ? ' Only the owner of its machine can allow it, in a file there. Nodes with the same policy and the same text are not offered it.'
    : ''
  const others = someOf(
    leftOut,
    audience,
    ({ names }) => ` Left out, for they would refuse it too: ${names}.`,
  ).join('')
  const isMany = countNodes(failures) + leftOut.nodes.length > 1
  const more = `${andMore(failures, audience)}${ofItsKind}${ofItsOwner}${others}`
  return `${tellNode(first, audience)}${more} Resume goes on without ${isMany ? 'them' : 'it'}. ${WAY_OUT}`
}

/** Beside the first. */
function andMore({ nodes, moreNodes }: Nodes, audience: Audience): string {
  const others = { nodes: nodes.slice(1), moreNodes }
  if (!audience.isWhole) {
    return someOf(others, audience, ({ names }) => ` Likewise: ${names}.`).join('')
  }
  const count = countNodes(others)
  return count > 0 ? ` ${count} more node${count > 1 ? 's' : ''} likewise.` : ''
}

const ON_RESUME: Readonly<Record<HoldKind, string>> = {
  manual: 'Resume goes on.',
  gate_failed: 'Resume watches its nodes anew, skip-gate goes on without.',
  gate_no_data: 'Resume watches its nodes anew, skip-gate goes on without evidence.',
  gate_inconclusive: 'Resume watches its nodes anew, skip-gate goes on all the same.',
  deadline: 'Resume gives it that time again.',
  control_plane_restart: 'It goes on by itself then, resume goes on without them.',
  storage_full: 'Resume goes on once there is room again.',
}

function held({ code, why, leftAlone }: Of<HoldKind>, audience: Audience): string {
  const follows = leftAlone?.follows === 'revert' ? 'goes back' : 'is frozen'
  const alone =
    leftAlone === null
      ? ''
      : ` Left alone, it ${follows} once no further node became healthy for ${leftAlone.afterSeconds} s.`
  return `${tellWhy(why, audience, HOLDS[code])} ${ON_RESUME[code]} ${WAY_OUT}${alone}`
}

function frozen(reason: Of<'frozen'>, audience: Audience): string {
  const { why, isHopeless, doneNodes, totalNodes, applying } = reason
  const stopped = tellWhy(why, audience, isHopeless ? 'It failed.' : 'It was frozen')
  const by = isHopeless ? `${stopped} There is nothing to go back to, so it is frozen` : stopped
  const kept = audience.isWhole
    ? `${doneNodes} of ${totalNodes} nodes have the version, the others keep what they have.`
    : 'nodes without the version keep what they have.'
  const going = someOf(applying, audience, ({ begin }) => ` ${begin} had begun to apply it.`)
  return `${by}: ${kept}${going.join('')} A new rollout moves them on.`
}

function unproven(reason: Of<'unproven'>, audience: Audience): string {
  const why = [
    ...(reason.isEmpty ? ['there was no node to change'] : []),
    ...someOf(reason.without, audience, ({ names }) => `an operator went on without ${names}`),
    ...someOf(
      reason.gone,
      audience,
      ({ names, isMany }) => `${names} ${isMany ? 'are' : 'is'} gone`,
    ),
  ]
  const because = why.length > 0 ? `: ${why.join('; ')}` : ''
  return `Nothing is proven${because}.${without(reason.passedBy, audience)} New nodes go on getting what was released before.`
}

/** Those that were cordoned. */
const without = (passedBy: Nodes, audience: Audience): string =>
  someOf(
    passedBy,
    audience,
    ({ begin, isMany }) =>
      ` ${begin} ${isMany ? 'were' : 'was'} skipped, being cordoned: the next rollout after that brings what is missing.`,
  ).join('')

function whoHaveIt(nodes: number, { isWhole }: Audience): string {
  if (!isWhole) return 'All nodes it was to change have'
  return nodes === 1 ? 'The node has' : `All ${nodes} nodes have`
}

const lowered = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

type Counts = { doneNodes: number; totalNodes: number }
/** To the others their own are counted elsewhere. */
const haveIt = (
  { doneNodes, totalNodes }: Counts,
  { isWhole }: Audience,
  and: string,
  otherwise = '',
) => (isWhole ? `${doneNodes} of ${totalNodes} nodes have the version${and}` : otherwise)

const whyBack = (why: Parameters<typeof tellWhy>[0], audience: Audience) =>
  tellWhy(why, audience, 'It goes back.')

const haveAgain = (nodes: number) =>
  nodes === 1 ? '1 node has again what it had' : `${nodes} nodes have again what they had`

function someOf(
  nodes: Nodes,
  audience: Audience,
  words: (of: ReturnType<typeof named>) => string,
): string[] {
  const of = named(nodes, audience)
  return of.isEmpty ? [] : [words(of)]
}
