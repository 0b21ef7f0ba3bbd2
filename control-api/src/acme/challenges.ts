// SPDX-License-Identifier: MIT
// What is published so that a CA sees who a name belongs to. Both calls may be repeated: after a crash they are.
import type { ChallengeType } from './authority.ts'

export type LiveChallenge = {
  type: ChallengeType
  /** Without `*.`; a wildcard and its base name are two challenges of one host. */
  host: string
  token: string
  keyAuthorization: string
}
/**
 * waiting: not everybody has it; which nodes, why, and when to ask again. `without`: nodes that were waited for long
 * enough.
 */
export type Publication =
  | { ready: true; without: readonly string[] }
  | { ready: false; waitingFor: readonly string[]; reason: string; waitMs: number }

/** `order`: the id of the order they are of. */
export type ChallengeSolver = {
  publish(order: string, challenges: readonly LiveChallenge[]): Promise<Publication>
  cleanUp(order: string, challenges: readonly LiveChallenge[]): Promise<void>
}
