// SPDX-License-Identifier: MIT
// Which requests were sent with an Idempotency-Key in the last day, and what they were answered.
// Bounded per caller: the newest thousand keys and four megabytes of answers. Answers are sealed, for
// they may say more than the rest of the database does of one thing at a time.
import type { Kysely } from 'kysely'
import type { Write } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import type { Database } from '../db/database.ts'
import { AlreadyDone, KeyReused, OutcomeUnknown, StillRunning } from './errors.ts'
import {
  dropOldest,
  endKey,
  type Kept,
  type KeyedRow,
  keptOf,
  removeKey,
  removeKeysBefore,
  startKey,
} from './store.ts'

export type KeptAnswer = { status: number; headers: Record<string, string>; body: string }
export type KeyedRequest = KeyedRow & { digest: string }
/** `forget`: nothing was done, so the key is free again. */
export type Outcome = { kind: 'done'; answer: KeptAnswer | null } | { kind: 'unknown' | 'forget' }

export const KEPT_MS = 24 * 3600_000
export const KEYS_PER_CALLER = 1000
const BYTES_PER_CALLER = 4 * 1024 * 1024
export const LARGEST_ANSWER_BYTES = 64 * 1024

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>
type Deps = { db: Kysely<Database>; write: Write; now: () => number; box: SecretBox }

export function createIdempotencyKeys({ db, write, now, box }: Deps) {
  /** A row that says running and is not in here was cut off by the end of a process. */
  const running = new Set<string>()

  /** A request may carry a password, which must not be guessed at from what is kept of it. */
  const sealedDigest = ({ digest }: KeyedRequest) => box.digest(digest, 'idempotency')

  /** null: it is the first one, and is to be answered. Throws when it is neither that nor a repetition. */
  async function begin(request: KeyedRequest): Promise<KeptAnswer | null> {
    if (running.has(nameOf(request))) throw await whyNotNow(request)
    running.add(nameOf(request))
    try {
      const known = await insertOrFind(request)
      if (known === null) return null
      running.delete(nameOf(request))
      return answerAgain(known, request)
    } catch (error) {
      running.delete(nameOf(request))
      throw error
    }
  }

  const whyNotNow = async (request: KeyedRequest) => {
    const row = await keptOf(db, request)
    const isOther = row !== undefined && row.request_digest !== sealedDigest(request)
    return isOther
      ? new KeyReused(request.key)
      : new StillRunning().withHeaders({ 'retry-after': '1' })
  }

  const insertOrFind = (request: KeyedRequest) =>
    write(async ({ trx }) => {
      const nowMs = now()
      await removeKeysBefore(trx, nowMs - KEPT_MS)
      const known = await keptOf(trx, request)
      if (known) return known
      await startKey(trx, request, { requestDigest: sealedDigest(request), nowMs })
      return null
    })

  const answerAgain = (row: Kept, request: KeyedRequest): KeptAnswer => {
    if (row.request_digest !== sealedDigest(request)) throw new KeyReused(request.key)
    if (row.outcome !== 'done') throw new OutcomeUnknown()
    if (row.answer === null) throw new AlreadyDone()
    return JSON.parse(box.open(row.answer, nameOf(request)))
  }

  async function finish(request: KeyedRequest, outcome: Outcome): Promise<void> {
    try {
      await write(async ({ trx }) => {
        if (outcome.kind === 'forget') return removeKey(trx, request)
        const kept = outcome.kind === 'done' ? modest(outcome.answer) : null
        const answer = kept && box.seal(kept, nameOf(request))
        await endKey(trx, request, { outcome: outcome.kind, answer })
        await dropOldest(trx, request.caller, { keys: KEYS_PER_CALLER, bytes: BYTES_PER_CALLER })
      })
    } finally {
      running.delete(nameOf(request))
    }
  }

  return { begin, finish }
}

function modest(answer: KeptAnswer | null): string | null {
  const text = answer && JSON.stringify(answer)
  return text !== null && Buffer.byteLength(text) <= LARGEST_ANSWER_BYTES ? text : null
}

const nameOf = ({ caller, route, key }: KeyedRequest) => JSON.stringify([caller, route, key])
