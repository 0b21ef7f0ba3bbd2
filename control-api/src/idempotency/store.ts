// SPDX-License-Identifier: MIT
// Idempotency keys at rest.
import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, Reader, Trx } from '../db/database.ts'
import type { IdempotencyKeysTable } from '../db/tables/idempotency.ts'

export type KeyedRow = Pick<IdempotencyKeysTable, 'caller' | 'route' | 'key'>
export type Kept = Pick<IdempotencyKeysTable, 'request_digest' | 'outcome' | 'answer'>

const at =
  ({ caller, route, key }: KeyedRow) =>
  (eb: ExpressionBuilder<Database, 'idempotency_keys'>) =>
    eb.and({ caller, route, key })

export const keptOf = (db: Reader, keyed: KeyedRow): Promise<Kept | undefined> =>
  db
    .selectFrom('idempotency_keys')
    .select(['request_digest', 'outcome', 'answer'])
    .where(at(keyed))
    .executeTakeFirst()

export async function startKey(
  trx: Trx,
  { caller, route, key }: KeyedRow,
  { requestDigest, nowMs }: { requestDigest: string; nowMs: number },
): Promise<void> {
  const row = { caller, route, key, request_digest: requestDigest, started_at_ms: nowMs }
  await trx
    .insertInto('idempotency_keys')
    .values({ ...row, outcome: 'running', answer: null, size_bytes: 0 })
    .execute()
}

export async function endKey(
  trx: Trx,
  keyed: KeyedRow,
  { outcome, answer }: Pick<Kept, 'outcome' | 'answer'>,
): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ outcome, answer, size_bytes: answer?.length ?? 0 })
    .where(at(keyed))
    .execute()
}

export async function removeKey(trx: Trx, keyed: KeyedRow): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where(at(keyed)).execute()
}

export async function removeKeysBefore(trx: Trx, ms: number): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where('started_at_ms', '<=', ms).execute()
}

/** What is beyond the newest keys, or the newest bytes of answers. */
export async function dropOldest(
  trx: Trx,
  caller: string,
  most: { keys: number; bytes: number },
): Promise<void> {
  await sql`
    delete from idempotency_keys where caller = ${caller} and outcome <> 'running'
      and (route, key) in (
        select route, key from (
          select route, key,
            row_number() over newest as place,
            sum(size_bytes) over newest as total_bytes
          from idempotency_keys where caller = ${caller}
          window newest as (
            order by started_at_ms desc, route, key rows between unbounded preceding and current row
          )
        ) as placed where place > ${most.keys} or total_bytes > ${most.bytes}
      )`.execute(trx)
}
