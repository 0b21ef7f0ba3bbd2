// SPDX-License-Identifier: MIT
// What scripts rely on: docs/farmctl.md lists these, and they only ever get more.
import type { Rollout } from './api-types.ts'

export const EXIT = {
  ok: 0,
  failed: 1,
  /** A text that farmstead-node refuses, or a node that refused one. */
  rejected: 2,
  rolledBack: 3,
  /** Neither good nor taken back: it waits for somebody, or was ended as it is. */
  inconclusive: 4,
  /** Not signed in, or not allowed. */
  denied: 5,
  /** Somebody else was faster, or something is in the way. */
  conflict: 6,
  /** With --exit-code, where 1 says that there is a difference: instead of `failed`. */
  trouble: 7,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_CODES_HELP = `Exit codes:
  0  done                                  4  inconclusive: paused, frozen, waits for somebody
  1  anything else, bad usage included     5  not signed in, or not allowed
  2  rejected: the text has errors         6  conflict: it changed meanwhile, or is in use
  3  rolled back                         130  ended by Ctrl-C
With --exit-code, as of diff(1): 0 no difference, 1 a difference, more: trouble (7 in place of 1)`

/** Of how many nodes which state is said; of none it is absent. */
type Outcome = { state: string; states: Rollout['states'] }

const STATES: Record<string, ExitCode> = {
  succeeded: EXIT.ok,
  rejected: EXIT.rejected,
  reverted: EXIT.rolledBack,
  revert_incomplete: EXIT.rolledBack,
  awaiting_approval: EXIT.inconclusive,
  cancelled: EXIT.inconclusive,
  expired: EXIT.inconclusive,
  superseded: EXIT.inconclusive,
}
const WENT_BACK = ['apply_reverted', 'reverted', 'apply_stuck'] as const

/** null: it is under way. What stopped where it was is told by what its nodes did. */
export function exitCodeOf({ state, states }: Outcome): ExitCode | null {
  if (state !== 'paused' && state !== 'frozen') return STATES[state] ?? null
  if (states.nacked) return EXIT.rejected
  if (WENT_BACK.some((one) => states[one])) return EXIT.rolledBack
  return EXIT.inconclusive
}
