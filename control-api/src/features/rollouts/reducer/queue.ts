// SPDX-License-Identifier: MIT
// Who of those that wait may begin, and what the others wait for. Pure; queue/queue.ts does it.
//
//   awaiting_approval   others must agree first          → scheduled, queued, running; rejected, expired
//   scheduled           its time, or a change window     → queued, running
//   queued              another has nodes of it          → running
// Whoever waits ends as cancelled at any time, or as superseded when a later order takes its place. The queue
// is first come, first served: nobody passes somebody who was there before and wants some of the same nodes.
// Whoever waited for what then went back, and builds on it, does not begin: a person says so with a new order.
import { isDeepStrictEqual } from 'node:util'
import type { OnOverlap } from '../../../api-shapes/states.ts'
import type { Closed } from '../../rollout-rules/windows.ts'
import type { Reason } from '../shapes/reason.ts'
import type { WaitingState } from './model.ts'

/** One that has not begun. */
export type Waiting = {
  id: string
  state: WaitingState
  reason: Reason
  nodeIds: readonly string[]
  /** In the queue; null: it has not been in it yet. */
  place: number | null
  onOverlap: OnOverlap
  isEmergency: boolean
  approvals: { needed: number; given: number; byMs: number | null }
  startAtMs: number | null
  blockedBy: readonly string[]
  /** Of those, one that went back while it waited, with what its version contains, too; left out: none did. */
  contains?: { rolloutId: string; version: number } | null
  /** Rollouts with nodes for which the author's roles do not count: it must not end those. */
  outOfReach: readonly string[]
}
export type Situation = {
  nowMs: number
  /** Why nothing may begin now; null: it may. */
  closed: Closed | null
  /** By node: which rollout owns it. */
  owners: ReadonlyMap<string, string>
}
export type Wait = {
  kind: 'wait'
  id: string
  state: 'awaiting_approval' | 'scheduled' | 'queued'
  reason: Reason
  blockedBy: readonly string[]
}
export type Step =
  | Wait
  /** ends: whom it takes its nodes and its place from. */
  | { kind: 'start'; id: string; ends: readonly string[] }
  | {
      kind: 'end'
      id: string
      state: 'expired' | 'cancelled'
      reason: Reason
      blockedBy: readonly string[]
    }

/** More than people can oversee; each holds the texts of its nodes. */
export const MAX_WAITING = 20

/** The first change there is to make; look again after it. null: all wait for what they say. */
export function nextStep(waiting: readonly Waiting[], situation: Situation): Step | null {
  const claims = new Map<string, string>()
  for (const one of waiting.toSorted(byPlace)) {
    const step =
      whatIsWaitedFor(one, situation) ?? decideByNodes(one, waiting, { ...situation, claims })
    if (step.kind !== 'wait' || isNews(one, step)) return step
    if (step.state !== 'queued') continue
    for (const nodeId of one.nodeIds) if (!claims.has(nodeId)) claims.set(nodeId, one.id)
  }
  return null
}

/** Has time alone changed anything? What nodes do never goes unseen. */
export const isQueueDue = (
  waiting: readonly Omit<Waiting, 'nodeIds' | 'outOfReach'>[],
  situation: Omit<Situation, 'owners'>,
): boolean =>
  waiting.some((one) => {
    const step = whatIsWaitedFor(one, situation)
    if (step === null) return one.state !== 'queued'
    return step.kind !== 'wait' || isNews(one, step)
  })

const byPlace = (a: Waiting, b: Waiting) =>
  (a.place ?? Number.POSITIVE_INFINITY) - (b.place ?? Number.POSITIVE_INFINITY) ||
  (a.id < b.id ? -1 : 1)

const isNews = (one: Pick<Waiting, 'state' | 'reason' | 'blockedBy'>, step: Wait) =>
  one.state !== step.state ||
  !isDeepStrictEqual(one.reason, step.reason) ||
  one.blockedBy.join() !== step.blockedBy.join()

/** Before nodes matter at all. */
function whatIsWaitedFor(
  { id, isEmergency, approvals, startAtMs }: Omit<Waiting, 'nodeIds' | 'outOfReach'>,
  { nowMs, closed }: Omit<Situation, 'owners'>,
): Step | null {
  if (isEmergency) return null
  const wait = { kind: 'wait' as const, id, blockedBy: [] }
  const { needed, given, byMs } = approvals
  if (given < needed) {
    const until = timeOf(byMs ?? nowMs)
    if (byMs !== null && nowMs >= byMs) {
      const reason = { code: 'not_approved' as const, given, needed, until }
      return { kind: 'end', id, state: 'expired', reason, blockedBy: [] }
    }
    // Whoever agrees is to know beforehand that no time is left in between.
    const isPassed = startAtMs !== null && nowMs >= startAtMs && closed === null
    const reason = {
      code: 'awaiting_approval' as const,
      ...{ given, needed, until },
      ...(isPassed && { timePassed: timeOf(startAtMs) }),
    }
    return { ...wait, state: 'awaiting_approval', reason }
  }
  if (startAtMs !== null && nowMs < startAtMs) {
    return { ...wait, state: 'scheduled', reason: { code: 'scheduled', at: timeOf(startAtMs) } }
  }
  if (closed === null) return null
  return { ...wait, state: 'scheduled', reason: { code: 'window_closed', closed } }
}

type Claimed = Situation & { claims: ReadonlyMap<string, string> }

function decideByNodes(
  one: Waiting,
  waiting: readonly Waiting[],
  { owners, claims }: Claimed,
): Step {
  const { id, nodeIds, onOverlap } = one
  const among = (nodes: ReadonlyMap<string, string>) =>
    new Set(nodeIds.flatMap((nodeId) => nodes.get(nodeId) ?? []))
  const inItsWay = [...among(owners)]
  if (one.isEmergency || onOverlap === 'supersede') {
    const ends = [...inItsWay, ...before(one, waiting).map((other) => other.id)]
    if (!ends.some((other) => one.outOfReach.includes(other))) return { kind: 'start', id, ends }
  }
  if (one.contains) {
    const { rolloutId, version } = one.contains
    const reason = { code: 'contains_reverted' as const, version, rolloutId, orderId: id }
    return { kind: 'end', id, state: 'cancelled', reason, blockedBy: [rolloutId] }
  }
  const blockedBy = [...new Set([...inItsWay, ...among(claims)])]
  if (blockedBy.length === 0) return { kind: 'start', id, ends: [] }
  if (onOverlap === 'refuse') {
    const reason = { code: 'nodes_taken' as const, rolloutIds: blockedBy }
    return { kind: 'end', id, state: 'cancelled', reason, blockedBy }
  }
  const reason = { code: 'queued' as const, rolloutIds: blockedBy }
  return { kind: 'wait', id, state: 'queued', reason, blockedBy }
}

/** Of earlier orders that agreed people and clocks hold up no more than it: those for some of its nodes. */
function before({ id, nodeIds }: Waiting, waiting: readonly Waiting[]): Waiting[] {
  const own = new Set(nodeIds)
  return waiting.filter(
    (other) =>
      other.id < id &&
      (other.state === 'queued' || other.state === 'scheduled') &&
      other.nodeIds.some((nodeId) => own.has(nodeId)),
  )
}

const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** Why the action means nothing before the start; null: it may be done. */
export function whyNotBefore(state: WaitingState, action: string): string | null {
  switch (action) {
    case 'cancel':
      return null
    case 'approve':
    case 'reject':
      return state === 'awaiting_approval' ? null : 'It awaits no approval.'
    default:
      return 'It has not begun; cancel ends it.'
  }
}
