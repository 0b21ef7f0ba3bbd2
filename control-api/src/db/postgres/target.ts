// SPDX-License-Identifier: MIT
// A database of PostgreSQL that a control plane is to be moved into: whether it can be, and that it is empty.
import { type Kysely, sql } from 'kysely'
import { defineError } from '../../api-shapes/errors.ts'
import type { Database, Trx } from '../database.ts'

const OLDEST = 150_000

export const UnfitDatabase = defineError(
  409,
  'unfit_database',
  'This database of PostgreSQL cannot be used',
  (what: string) => `${what} Nothing was changed.`,
)

/** Before any step is made in it. */
export async function requireFit(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string; icu: number; mayCreate: number }>`
    select current_setting('server_version_num')::bigint as version, current_setting('server_encoding') as encoding,
      exists (select 1 from pg_collation where collprovider = 'i') as icu,
      has_schema_privilege(current_schema(), 'create') as "mayCreate"`.execute(db)
  const [found] = rows
  if (!found) throw new UnfitDatabase('It does not answer.')
  if (found.version < OLDEST) throw new UnfitDatabase('It is older than PostgreSQL 15.')
  if (found.encoding !== 'UTF8')
    throw new UnfitDatabase(
      `Its encoding is ${found.encoding}: make it with "create database … encoding 'UTF8' template template0".`,
    )
  if (!found.icu) throw new UnfitDatabase('It was built without ICU.')
  if (!found.mayCreate)
    throw new UnfitDatabase(
      'This user may make no tables in its schema: "grant create on schema public to …".',
    )
}

/** Behind the numbers that came with the rows. */
export const continueNumbers = (trx: Trx) =>
  sql`select setval(pg_get_serial_sequence('releases', 'id'), (select coalesce(max(id), 0) + 1 from releases), false)`.execute(
    trx,
  )
