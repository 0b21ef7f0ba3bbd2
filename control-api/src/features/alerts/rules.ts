// SPDX-License-Identifier: MIT
// What becomes of an alert when its rule was looked at. Pure.
//
//   it was   | and is       | becomes
//   -        | bad          | pending, or firing when the rule asks for no time
//   pending  | bad          | firing, after the rule's time
//   pending  | anything else| gone, and nobody hears of it
//   firing   | bad          | firing
//   firing   | clear        | resolved, after it was clear for as long as it is to keep firing
//   firing   | between      | firing: not beyond the threshold any more, but not clear either
//   firing   | no data      | firing, and said to be without data
//   firing   | gone         | resolved: its node, rollout or certificate is no concern of the rule any more

export type Standing = 'bad' | 'between' | 'clear' | 'no-data' | 'gone'
export type Open = {
  state: 'pending' | 'firing'
  pendingAtMs: number
  clearSinceMs: number | null
  isWithoutData: boolean
}
export type Times = { forSeconds: number; keepFiringSeconds: number }
export type Change =
  | { to: 'same' }
  | { to: 'pending' }
  | { to: 'dropped' }
  | { to: 'firing' }
  | { to: 'noted'; clearSinceMs: number | null; isWithoutData: boolean }
  | { to: 'resolved'; because: string }

const SAME: Change = { to: 'same' }

export function next(open: Open | null, now: Standing, times: Times, nowMs: number): Change {
  if (!open) return now !== 'bad' ? SAME : { to: times.forSeconds === 0 ? 'firing' : 'pending' }
  if (open.state === 'pending') {
    if (now !== 'bad') return { to: 'dropped' }
    return nowMs - open.pendingAtMs >= times.forSeconds * 1000 ? { to: 'firing' } : SAME
  }
  switch (now) {
    case 'gone':
      return { to: 'resolved', because: 'It is no concern of the rule any more.' }
    case 'clear': {
      const clearSinceMs = open.clearSinceMs ?? nowMs
      return nowMs - clearSinceMs >= times.keepFiringSeconds * 1000
        ? { to: 'resolved', because: '' }
        : noted(open, { clearSinceMs, isWithoutData: false })
    }
    default:
      return noted(open, { clearSinceMs: null, isWithoutData: now === 'no-data' })
  }
}

type Said = { value: number | null; name: string }

/** What is said of an alert is said anew once its value is another by a twentieth, or its node has another name. */
export function isSaidAnew(before: Said, now: Said): boolean {
  if (before.name !== now.name) return true
  if (before.value === null || now.value === null) return before.value !== now.value
  const most = Math.max(Math.abs(before.value), Math.abs(now.value))
  return Math.abs(before.value - now.value) > most / 20
}

function noted(open: Open, now: Pick<Open, 'clearSinceMs' | 'isWithoutData'>): Change {
  const isSame = open.clearSinceMs === now.clearSinceMs && open.isWithoutData === now.isWithoutData
  return isSame ? SAME : { to: 'noted', ...now }
}

type Thresholds = {
  comparison: 'above' | 'below'
  threshold: number
  clearThreshold?: number | undefined
}

export function standingOf(
  value: number | null,
  { comparison, threshold, clearThreshold = threshold }: Thresholds,
): Standing {
  if (value === null) return 'no-data'
  const sign = comparison === 'above' ? 1 : -1
  if (sign * value > sign * threshold) return 'bad'
  return clearThreshold === threshold || sign * value < sign * clearThreshold ? 'clear' : 'between'
}

/** Of one subject of a rule: who flaps is told of so often in an hour, and then once how often it was. */
export const TOLD_IN_AN_HOUR = 3
/** Of one rule at once; more are told as one. */
export const TOLD_SINGLY = 20

/**
 * Burn rates as in Google's SRE workbook ("Alerting on SLOs"): how many times too fast the budget of 30 days is used up, in
 * a long window, so that it matters, and a short one, so that it is over soon after the trouble is.
 */
export const BURN_WINDOWS = [
  { factor: 14.4, longSeconds: 3600, shortSeconds: 300 },
  { factor: 6, longSeconds: 6 * 3600, shortSeconds: 1800 },
  { factor: 1, longSeconds: 3 * 86_400, shortSeconds: 6 * 3600 },
] as const
/** Of a handful of requests one that fails says nothing of an objective. */
const FEWEST_BAD = 10

export type Counted = { all: number; bad: number }

/** The fastest that is too fast in both windows; null: none is. */
export function burning(
  objective: number,
  countedIn: (seconds: number) => Counted,
): { factor: number; longSeconds: number; rate: number } | null {
  const rateOf = ({ all, bad }: Counted) => (all === 0 ? 0 : bad / all / (1 - objective))
  for (const { factor, longSeconds, shortSeconds } of BURN_WINDOWS) {
    const long = countedIn(longSeconds)
    if (long.bad < FEWEST_BAD || rateOf(long) <= factor) continue
    if (rateOf(countedIn(shortSeconds)) > factor) return { factor, longSeconds, rate: rateOf(long) }
  }
  return null
}

/** Of fewer days, which are less than a sixth of its life: one that renews itself in its last third is not late before. */
export function isEnding(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  days: number,
  nowMs: number,
): boolean {
  const leftMs = toMs - nowMs
  return leftMs <= Math.max(0, Math.min(days * 86_400_000, (toMs - fromMs) / 6))
}
