// SPDX-License-Identifier: MIT
// What an order does next after what the CA said, and which CA is asked. Pure; who calls it keeps what it says.
import type { AuthorityFailure, FailureKind, Order } from './authority.ts'
import { awayMs, refusedMs } from './rules.ts'

// state       | entered when                     | left when
// publishing  | the CA has the order             | everybody shows what proves the names
// validating  | the CA was told to look          | it has seen every name
// finalizing  | the names are proven             | it has signed; key and request were kept before the order was made
// downloading | the certificate is there         | it is checked and kept
// failed      | the CA says no, or time is over  |
export type OrderStep = 'publishing' | 'validating' | 'finalizing' | 'downloading' | 'failed'

/** From what the CA says of the order alone, so that a start after a crash goes on where it stands there. */
export function stepFor(status: Order['status'], isTold: boolean): OrderStep {
  if (status === 'pending') return isTold ? 'validating' : 'publishing'
  if (status === 'valid') return 'downloading'
  return status === 'invalid' ? 'failed' : 'finalizing'
}

/** Until when something is not asked, and how often it failed before. */
export type Hold = { untilMs: number; failures: number }
export const NO_HOLD: Hold = { untilMs: 0, failures: 0 }

/** authority: no order goes there. own: none for this certificate. */
export type Candidate = { name: string; authority: Hold; own: Hold }
export type Choice = { authority: string } | { waitUntilMs: number }

/** The first in the order of the list that may be asked now. */
export function chooseAuthority(candidates: readonly Candidate[], nowMs: number): Choice {
  const freeAt = ({ authority, own }: Candidate) => Math.max(authority.untilMs, own.untilMs)
  const found = candidates.find((one) => freeAt(one) <= nowMs)
  return found
    ? { authority: found.name }
    : { waitUntilMs: Math.min(...candidates.map((one) => freeAt(one))) }
}

export type Situation = {
  failure: Pick<AuthorityFailure, 'kind' | 'retryAfterMs'>
  /** The CA has the order: there is something to go on with. */
  isMade: boolean
  /** When the CA forgets the order; null: it does not say. */
  expiresAtMs: number | null
  authority: Hold
  own: Hold
  /** Another CA may be asked now. */
  hasOther: boolean
  nowMs: number
  random: number
}
export type Reaction = {
  /** again: at `atMs`. over: this order ends, and another CA or a later time has its turn. */
  order: 'again' | 'over'
  atMs: number
  authority: Hold
  own: Hold
}

const HOUR_MS = 3600_000
/** So often a CA may be silent before another is asked instead, if there is one. */
const SILENCES = 3
/** Of these the CA has only to be asked once more, otherwise: with the account made anew, or without what was replaced. */
const AT_ONCE = new Set<FailureKind>(['no-account', 'replaced'])

/** What a CA has just written all of it knows within seconds. */
const LAG_MS = 5000

export function react(situation: Situation): Reaction {
  const { failure, authority, own, nowMs, random, isMade } = situation
  const { kind, retryAfterMs } = failure
  const later = ({ failures }: Hold, waitMs: number): Hold => ({
    untilMs: nowMs + waitMs,
    failures: failures + 1,
  })
  if (AT_ONCE.has(kind) && own.failures < SILENCES) {
    return { order: 'again', atMs: nowMs, authority, own: later(own, 0) }
  }
  if (kind === 'lost' && own.failures < SILENCES) {
    const atMs = nowMs + LAG_MS * (own.failures + 1)
    return { order: 'again', atMs, authority, own: later(own, 0) }
  }
  if (kind === 'away') {
    const held = later(authority, awayMs(authority.failures + 1, retryAfterMs, random))
    const isOver = situation.expiresAtMs !== null && held.untilMs >= situation.expiresAtMs
    const isLeft = situation.hasOther && held.failures >= SILENCES
    return { order: isOver || isLeft ? 'over' : 'again', atMs: held.untilMs, authority: held, own }
  }
  if (kind === 'rate-limited') {
    // Of one name or of the whole account, it does not say. The name waits as long as it is told to; another
    // name finds out within the hour.
    const ownHeld = later(own, refusedMs(own.failures + 1, retryAfterMs, random))
    const waitMs = Math.min(ownHeld.untilMs - nowMs, HOUR_MS)
    const held = { untilMs: nowMs + waitMs, failures: authority.failures }
    return isMade
      ? { order: 'again', atMs: ownHeld.untilMs, authority: held, own }
      : { order: 'over', atMs: ownHeld.untilMs, authority: held, own: ownHeld }
  }
  const held = later(own, refusedMs(own.failures + 1, retryAfterMs, random))
  return { order: 'over', atMs: held.untilMs, authority, own: held }
}
