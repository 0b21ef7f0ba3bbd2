// SPDX-License-Identifier: MIT
// What nodes and the control plane of the simulation say to each other: the agent protocol's messages, as far as
// what they say decides anything.

export type Given = {
  generation: number
  offerId: string
  digest: string
  epoch: number
  /** The local change that an operator lets go. */
  replacesDrift: string | null
}
/** What really runs. */
export type Effective = {
  generation: number
  digest: string
  /** A person's change of what was confirmed. */
  isLocal?: true
}
export type Result = {
  given: Given
  outcome: 'applied' | 'reverted' | 'stuck'
  reason: 'unconfirmed' | 'crash_loop' | 'restart' | null
  effective: Effective | null
}
export type Fences = { maxGeneration: number; maxEpoch: number }
/** Versions that it is to hold ahead, each with how far it is. */
export type AheadSaid = { digest: string; state: 'fetching' | 'held' | 'refused' }[]
/** undefined: it is too old for that. */
type Ahead = { ahead: AheadSaid | undefined }
export type Message =
  | {
      kind: 'hello'
      incarnation: string
      lastResult: Result | null
      fences: Fences
      effective: Effective | null
      drift: string | null
    }
  | ({ kind: 'desired'; incarnation: string; have: number } & Ahead)
  /** With a report, or asking anew: it has come further with what it is to hold ahead. */
  | ({ kind: 'ahead'; incarnation: string; filesDone: number } & Ahead)
  /** With a report: what it was offered is on its way to it. */
  | { kind: 'fetching'; files: number; filesDone: number }
  | { kind: 'ack'; given: Given }
  | { kind: 'nack'; given: Given; code: NackCode; fences: Fences | null }
  | { kind: 'result'; result: Result }
  | { kind: 'confirm'; given: Given; effective: Effective }
/** Retryable: busy, resource_limit. Of the fences: stale_generation, epoch_fenced. */
export type NackCode =
  | 'semantic'
  | 'missing_file'
  | 'unsupported_version'
  | 'busy'
  | 'resource_limit'
  | 'stale_generation'
  | 'epoch_fenced'
  | 'local_change'

export type Answer =
  | { code: 'ok'; assignment?: Given | null; confirmed?: boolean; ahead?: string[] }
  | { code: 'superseded' | 'say_hello' | 'say_again' | 'clone_detected' | 'identity_revoked' }
