// SPDX-License-Identifier: MIT
// Is the node in sync, and if not, why and what moves it on? Pure. The first rule that fits decides.
import type { SyncState } from '../../api-shapes/node-facts.ts'
import type { Standing } from '../../assignments/store.ts'
import type { Cordon } from '../../fleet/cordon.ts'
import { type NodeGroup, type Recipient, takesConfig } from '../../labels/grouping.ts'

export type SyncFacts = {
  connected: boolean
  /** null: it has not said hello yet. */
  lastSeenAtMs: number | null
  enrolledAtMs: number
  /** Ours, and the highest the node ever obeyed. */
  epoch: number
  maxEpoch: number
  desired: Desired | null
  effective: { digest: string } | null
  effectiveSinceMs: number | null
  /** The newest assignment of the effective digest, "main 3"; null: nobody here assigned it. */
  effectiveLabel: string | null
  lastResult: { generation: number; message: string; code: string | null; atMs: number } | null
  identity: IdentityState
  /** Two processes hold its identity, and nobody has said which is the node. */
  isCloned: boolean
  /** What was changed on its machine. */
  drift: { isServed: boolean; isGood: boolean; isDecided: boolean; sinceMs: number } | null
}
export type IdentityState = 'good' | 'expired' | 'revoked'
export type Desired = {
  generation: number
  digest: string
  state: Standing['state']
  createdAtMs: number
  updatedAtMs: number
  /** "main 3": config and version. */
  label: string
}
export type Sync = { state: SyncState; reason: string; sinceMs: number }

/** Who is not heard is not judged by what it runs. */
export function silentState(
  facts: Pick<SyncFacts, 'connected' | 'lastSeenAtMs'>,
): 'waiting' | 'unknown' | null {
  if (facts.lastSeenAtMs === null) return 'waiting'
  return facts.connected ? null : 'unknown'
}

export function syncOf(facts: SyncFacts): Sync {
  const { lastSeenAtMs, enrolledAtMs, desired, effective, effectiveSinceMs } = facts
  const silent = silentState(facts)
  if (lastSeenAtMs === null || silent === 'waiting') {
    return {
      state: 'waiting',
      reason: 'Enrolled, but its agent has not spoken yet. Start it with "farmstead-node run".',
      sinceMs: enrolledAtMs,
    }
  }
  if (silent) return { state: silent, reason: SILENCE[facts.identity], sinceMs: lastSeenAtMs }
  if (facts.isCloned) {
    return {
      state: 'out-of-sync',
      reason:
        'Two processes hold its identity, so neither is given anything; both serve what they had. Say which one is the node.',
      sinceMs: lastSeenAtMs,
    }
  }
  if (facts.maxEpoch > facts.epoch) {
    return {
      state: 'out-of-sync',
      reason: `It has obeyed a control plane of epoch ${facts.maxEpoch} and refuses this one, which is at epoch ${facts.epoch}: this one may be an old copy. Stop the older of the two; if this one is to go on, run \`raise-epoch\` and restart it.`,
      sinceMs: desired?.createdAtMs ?? enrolledAtMs,
    }
  }
  const changed = locallyChanged(facts)
  if (changed) return changed
  if (!desired) return unassigned(facts)
  const sinceEffective = Math.max(effectiveSinceMs ?? 0, desired.updatedAtMs)
  if (effective?.digest === desired.digest) return running(desired, sinceEffective)
  const has = facts.effectiveLabel ?? (effective ? 'a config nobody here assigned' : 'nothing')
  return notRunning(facts, desired, has)
}

export type Given = { config: string; group: string }

/** What it was given is not what its group would get now: said beside the state, which it does not change. */
export function outdated(given: Given, grouping: Recipient & { group: NodeGroup }): string | null {
  const { group } = grouping
  if (!takesConfig(grouping, given.config)) {
    const wants = group.config === null ? 'another config' : `the config ${group.config}`
    return `Its group ${group.name} gets ${wants}: that comes with the next rollout to it.`
  }
  if (given.group === '' || given.group === group.name) return null
  return `It was in the group ${given.group} then; what ${group.name} gets comes with the next rollout to it.`
}

type Passed = {
  cordon: Pick<Cordon, 'by' | 'reason'> | null
  /** "main 3": what came to others meanwhile, and not to it since; null: nothing. */
  missed: string | null
}

/** Beside the state too: a cordon keeps it as it is. */
export function cordonText({ cordon, missed }: Passed): string | null {
  if (cordon) {
    const { by, reason } = cordon
    const what = missed === null ? '' : `, as ${missed} did`
    return `Cordoned by ${by} (${reason}): rollouts pass it by${what}, until somebody uncordons it.`
  }
  if (missed === null) return null
  return `${missed} passed it by while it was cordoned: that comes with the next rollout to it.`
}

const BACK =
  'The way back is a new token for it, and "farmstead-node join --rejoin" on its machine.'
/**
 * What many nodes of a page say has no character above Latin-1: one of them doubles what the page's text
 * takes, and the time to write it.
 */
const SILENCE: Record<IdentityState, string> = {
  good: 'Not heard from: it serves what it had, if its machine runs. It tells what it runs when it is back; look at the machine, its network and the log of its agent.',
  expired: `Its identity has expired, so it is not listened to; it serves what it had. ${BACK}`,
  revoked: `Its identity was revoked (or made for the agents’ listener as it was, with or without TLS), so it is not listened to; it serves what it had. ${BACK}`,
}

/** Nothing overwrites a local change until somebody decided on it; then it goes its way like any other. */
function locallyChanged({ drift, desired, effectiveLabel }: SyncFacts): Sync | null {
  if (!drift) return null
  const isUnderWay = desired !== null && UNDER_WAY.has(desired.state)
  if (drift.isDecided && isUnderWay) return null
  const next = drift.isDecided
    ? 'That was decided on: push a version to replace it.'
    : 'It takes no other until you adopt or discard that.'
  const has = effectiveLabel ?? 'what it had'
  const what = drift.isServed
    ? 'Its config was changed on its machine, and it serves that.'
    : drift.isGood
      ? `Its config was changed on its machine, and not loaded: it serves ${has}.`
      : `Its config was changed on its machine into one with errors: it serves ${has}.`
  return { state: 'drift', reason: `${what} ${next}`, sinceMs: drift.sinceMs }
}

const UNDER_WAY = new Set<Standing['state']>(['offered', 'acked', 'applied'])

function unassigned({ effective, effectiveSinceMs, enrolledAtMs }: SyncFacts): Sync {
  if (!effective) {
    return {
      state: 'waiting',
      reason: 'Nothing has been released yet. Save a version and push it.',
      sinceMs: enrolledAtMs,
    }
  }
  return {
    state: 'drift',
    reason: 'It runs a config nobody here assigned. Push a version to bring it under control.',
    sinceMs: effectiveSinceMs ?? enrolledAtMs,
  }
}

function running({ state, label }: Desired, sinceMs: number): Sync {
  if (state === 'offered' || state === 'acked' || state === 'applied') {
    return {
      state: 'applying',
      reason: `It runs ${label} and waits for the confirmation; without it, it goes back by itself.`,
      sinceMs,
    }
  }
  return { state: 'in-sync', reason: `It runs ${label}, as assigned.`, sinceMs }
}

function notRunning(
  { lastResult, effectiveLabel, effective, effectiveSinceMs }: SyncFacts,
  desired: Desired,
  has: string,
): Sync {
  const { label, state, generation, createdAtMs, updatedAtMs } = desired
  const because = lastResult?.generation === generation ? `: ${why(lastResult)}` : '.'
  switch (state) {
    case 'offered':
      return {
        state: 'applying',
        reason: `${label} is offered to it; it runs ${has} until it has checked and applied that.`,
        sinceMs: createdAtMs,
      }
    case 'acked':
      return {
        state: 'applying',
        reason: `It has checked ${label} and is applying it; it runs ${has}.`,
        sinceMs: createdAtMs,
      }
    case 'nacked':
      return {
        state: 'out-of-sync',
        reason: `It refused ${label} and goes on with ${has}${because}`,
        sinceMs: updatedAtMs,
      }
    case 'reverted':
      return {
        state: 'out-of-sync',
        reason: `It took ${label} and went back to ${has}${because}`,
        sinceMs: updatedAtMs,
      }
    case 'stuck':
      return {
        state: 'out-of-sync',
        reason: `It could apply neither ${label} nor the config before; it runs ${has} and needs a person${because}`,
        sinceMs: updatedAtMs,
      }
    case 'applied':
    case 'confirmed':
      return {
        state: effective && effectiveLabel === null ? 'drift' : 'out-of-sync',
        reason: `It had taken ${label}, but now runs ${has}. Push a version again to bring it back.`,
        sinceMs: effectiveSinceMs ?? updatedAtMs,
      }
    default:
      return state satisfies never
  }
}

const why = ({ message, code }: { message: string; code: string | null }) =>
  message || (code ?? 'it gave no reason')
