// SPDX-License-Identifier: MIT
// What is counted in control.db.
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'

type Counts = (readonly [string, number])[]

export async function rolloutsByState(db: Kysely<Database>): Promise<Counts> {
  const rows = await db
    .selectFrom('rollouts')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return rows.map(({ state, count }) => [state, count] as const)
}

export async function webhooksByState(db: Kysely<Database>): Promise<Counts> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['disabled_at_ms', 'failing_since_ms'])
    .execute()
  const states = rows.map(({ disabled_at_ms: disabled, failing_since_ms: failing }) =>
    disabled !== null ? 'disabled' : failing !== null ? 'failing' : 'delivering',
  )
  const count = (state: string) => states.filter((one) => one === state).length
  return ['delivering', 'failing', 'disabled'].map((state) => [state, count(state)] as const)
}

/** Of the newest that was made whole. */
export async function lastBackupAtMs(db: Kysely<Database>): Promise<number | null> {
  const row = await db
    .selectFrom('backups')
    .select((eb) => eb.fn.max('created_at_ms').as('at'))
    .where('state', '=', 'done')
    .executeTakeFirst()
  return row?.at ?? null
}
