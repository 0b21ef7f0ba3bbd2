// SPDX-License-Identifier: MIT
// The parts that reasons are made of, in words. Pure. To who sees some of the nodes only, nothing is said that
// was measured on all of them, or that people wrote for all to read.
import type { TaskState } from '../../../api-shapes/states.ts'
import { CONFLICT } from '../reducer/refusals.ts'
import type { Finding, HoldKind, InWave, LeftOutFor, StandIn, Told, Why } from '../shapes/reason.ts'
import { type Audience, named, naming, rolloutName, rolloutNames } from './audience.ts'

/** Comes before a sentence, which begins with a small letter or a number then. */
export function tellWave(at: InWave, audience: Audience): string {
  const standIn = at.standIn === null ? '' : `${tellStandIn(at.standIn, audience)} `
  return `${whichWave(at, audience)}${standIn}`
}

function whichWave({ wave, waves, isFastPath }: InWave, { isWhole }: Audience): string {
  const fast = isFastPath
    ? 'Fast path, for the version succeeded not long ago: gates that only pause are left out. '
    : ''
  if (waves === 1) return fast
  // How many there are follows from how many nodes there are.
  const of = isWhole ? ` of ${waves}` : ''
  return wave < waves
    ? `${fast}Wave ${wave + 1}${of}: `
    : `${fast}The last wave, of nodes that were out of reach: `
}

function tellStandIn(standIn: StandIn, audience: Audience): string {
  if ('text' in standIn) return audience.isWhole ? standIn.text : 'One node stands in for others.'
  const who = nodeName(standIn.node, audience)
  const missing = named(standIn.missing, audience)
  return `${who} takes the place of ${missing.isEmpty ? 'the nodes of the wave' : missing.names}.`
}

export const nodeName = ({ id, name }: Told['node'], { isWhole, sees }: Audience): string =>
  isWhole || sees(id) ? name : 'a node outside your scope'

export function whoHas(rolloutIds: readonly string[], audience: Audience): string {
  const names = rolloutNames(rolloutIds, audience)
  return `${names.join(', ')} ${names.length > 1 ? 'have' : 'has'} some of its nodes`
}

export function whoIsBefore(rolloutIds: readonly string[], audience: Audience): string {
  const are = rolloutNames(rolloutIds, audience).length > 1 ? 'are' : 'is'
  return `${whoHas(rolloutIds, audience)}, or ${are} ahead of it in the queue for them`
}

const DONE_WITH_IT: Partial<Record<TaskState, string>> = {
  nacked: 'refused the version',
  unhealthy: 'is not well with the version',
  apply_reverted: 'went back to its last confirmed config',
  apply_stuck: 'could neither apply the version nor go back: look at it now',
  skipped: 'is left out',
}

export function tellNode(node: Told, audience: Audience): string {
  const { state, errorCode } = node
  const isConflict = errorCode === CONFLICT
  const what = DONE_WITH_IT[state] ?? 'failed'
  if (!isSeen(node, audience)) {
    const how = isConflict ? 'is in conflict with the version' : what
    return `A node outside your scope ${how}.`
  }
  const { name } = node.node
  const message = taskMessage(node, audience)
  if (isConflict) return `${name} is in conflict with the version: ${message}.`
  // A gate's name is for programs: the message says what was measured.
  const isGate = state === 'unhealthy' && errorCode !== 'flapping'
  const code = errorCode && !isGate ? ` (${errorCode})` : ''
  const place = node.line ? `, line ${node.line}` : ''
  return `${name} ${what}${code}${message ? `: ${message}` : ''}${place}.`
}

export const isSeen = ({ node }: Told, { isWhole, sees }: Audience): boolean =>
  isWhole || sees(node.id)

/** What is said of one task: the node's own words, or ours of it alone, but for who was left out for another. */
export function taskMessage(
  { message, leftOutFor }: { message: string; leftOutFor: LeftOutFor | null },
  audience: Audience,
): string {
  if (leftOutFor === null) return message
  const { node, isOfItsOwner } = leftOutFor
  const isNamed = audience.isWhole || audience.sees(node.id)
  if (!isNamed && !isOfItsOwner) return 'a node of the same kind refused the same text'
  const likeness = isOfItsOwner ? 'whose owner’s policy is the same' : 'of the same kind'
  return `${nodeName(node, audience)}, ${likeness}, refused the same text`
}

/** null: it is made of numbers of nodes that are not theirs. */
export function tellFinding(finding: Finding | null, audience: Audience): string | null {
  if (audience.isWhole) return finding?.text ?? null
  const silent = finding?.silent
  return silent ? `no measurements have come from ${named(silent, audience).names}` : null
}

/** Of what stopped it, when no more may be said. */
export const HOLDS: Readonly<Record<HoldKind, string>> = {
  manual: 'Somebody paused it.',
  gate_failed: 'A gate failed.',
  gate_no_data: 'A gate has no evidence.',
  gate_inconclusive: 'A gate cannot tell.',
  deadline: 'It took too long.',
  control_plane_restart: 'The control plane was away.',
  storage_full: 'The disk of the control plane was full.',
}

/** otherwise: what to say to who may not be told it. */
export function tellWhy(why: Why, audience: Audience, otherwise: string): string {
  switch (why.cause) {
    case 'text':
      return audience.isWhole ? why.text : otherwise
    case 'paused':
      return `${why.by} paused it${written(why.why, audience)}.`
    case 'took_back':
      return `${why.by} takes it back${written(why.why, audience)}.`
    case 'froze':
      return `${whoFroze(why, audience)} froze it`
    case 'gate': {
      const found = tellFinding(why.finding, audience)
      return found === null ? otherwise : `${found}.`
    }
    case 'no_evidence': {
      const found = tellFinding(why.finding, audience)
      const said = found ?? (audience.isWhole ? 'no evidence was gathered' : null)
      return said === null ? otherwise : `After ${why.maxSoakSeconds} s: ${said}.`
    }
    case 'no_progress':
      return `No further node became healthy within ${why.withinSeconds} s.`
    case 'storage_was_full':
      return 'The disk of the control plane was full, so that nothing more could be decided.'
    case 'unheard':
      return `The control plane was away, and waits until the nodes under way have been heard again: ${named(why.unheard, audience).names}.`
    case 'node_failed':
      return tellNode(why.failed, audience)
  }
}

/** People write for who sees all of it, and may name any node. */
export const written = (text: string, { isWhole }: Audience): string =>
  isWhole && text !== '' ? `: ${text}` : ''

function whoFroze({ by, rolloutId }: Extract<Why, { cause: 'froze' }>, audience: Audience): string {
  if (rolloutId === null) return naming(by, audience)
  return audience.seesRollout(rolloutId) ? by : rolloutName(rolloutId, audience)
}
