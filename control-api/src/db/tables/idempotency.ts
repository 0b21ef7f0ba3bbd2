// SPDX-License-Identifier: MIT

export type IdempotencyKeysTable = {
  /** A user's id, or a token's. */
  caller: string
  /** Method and pattern, such as "POST /api/v1/rollouts". */
  route: string
  key: string
  /** SHA-256 of address and body: the same key is for the same request. */
  request_digest: string
  outcome: 'running' | 'done' | 'unknown'
  /** JSON {status, headers, body}, sealed; null: not kept. */
  answer: string | null
  size_bytes: number
  started_at_ms: number
}
export type IdempotencyTables = { idempotency_keys: IdempotencyKeysTable }
