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
/** waiting: not everybody has it; for whom, and why, and when to ask again. */
export type Publication =
  | { ready: true }
  | { ready: false; waitingFor: readonly string[]; reason: string; waitMs: number }

export type ChallengeSolver = {
  publish(challenge: LiveChallenge): Promise<Publication>
  cleanUp(challenge: LiveChallenge): Promise<void>
}
