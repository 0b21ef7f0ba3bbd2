// SPDX-License-Identifier: MIT
// A database of PostgreSQL that a control plane is to be moved into: whether it can be, and that nobody has it.
import { type Kysely, sql } from 'kysely'
import { defineError } from '../../api-shapes/errors.ts'
import type { Database, Trx } from '../database.ts'

const OLDEST = 15

export const UnfitDatabase = defineError(
  409,
  'unfit_database',
  'This database of PostgreSQL cannot be used',
  (what: string) => `${what} Nothing was changed.`,
)
export const TargetInUse = defineError(
  409,
  'target_in_use',
  'The database holds a control plane',
  (id: string, nodes: number) =>
    `The database has the control plane ${id} with ${nodes} nodes in it, and nothing of it is touched. Name an empty one in DATABASE_URL, or drop that one and make it anew if nobody needs what is in it.`,
)

export type Facts = {
  version: number
  encoding: string
  icu: number
  schema: string | null
  mayCreate: number
  mayMakeTemporary: number
}

/** Before any step is made in it. */
export async function requireFit(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<Facts>`
    select current_setting('server_version_num')::bigint / 10000 as version,
      current_setting('server_encoding') as encoding,
      exists (select 1 from pg_collation where collprovider = 'i') as icu,
      current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
      has_database_privilege(current_database(), 'temporary') as "mayMakeTemporary"`.execute(db)
  const why = rows[0] ? whyUnfit(rows[0]) : 'It does not answer.'
  if (why !== null) throw new UnfitDatabase(why)
}

export function whyUnfit(facts: Facts): string | null {
  const { version, encoding, icu, schema, mayCreate, mayMakeTemporary } = facts
  if (version < OLDEST) return `It is PostgreSQL ${version}: take ${OLDEST} or newer.`
  if (encoding !== 'UTF8')
    return `Its encoding is ${encoding}: make it with "create database … encoding 'UTF8' template template0".`
  if (!icu)
    return 'This PostgreSQL was built without ICU, by which names of people are compared: take a build with it, as the packages of distributions are.'
  if (schema === null)
    return 'No schema of this user’s search_path is there: make one, or set search_path for the user.'
  if (!mayCreate)
    return `This user may make no tables in its schema: "grant create on schema ${schema} to …", or make it the owner of the database.`
  if (!mayMakeTemporary)
    return 'This user may make no temporary tables, by which the service knows what it wrote: "grant temporary on database … to …".'
  return null
}

/** Nobody's tables are in it; those of a control plane that never was are none. */
export async function requireUnused(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
    order by relname`.execute(db)
  const names = rows.map(({ name }) => name)
  if (names.length === 0) return
  if (!names.includes('kysely_migration') || !names.includes('meta')) {
    throw new UnfitDatabase(
      `The database holds tables that are not a control plane’s (${names.slice(0, 5).join(', ')}): name an empty one in DATABASE_URL.`,
    )
  }
  const [own] = (
    await sql<{ id: string | null; nodes: number }>`
      select (select value from meta where key = 'controlPlaneId') as id,
        (select count(*) from nodes where decommissioned_at_ms is null) as nodes`.execute(db)
  ).rows
  if (own?.id) throw new TargetInUse(own.id, own.nodes)
}

type Reference = { name: string; on: string; definition: string }

/**
 * While rows are put in that were right where they came from: what triggers do with new ones is not done, and references are
 * looked at once at the end, so that a row may refer to a later one.
 */
export async function withoutRules<T>(
  trx: Trx,
  tables: readonly string[],
  fill: () => Promise<T>,
): Promise<T> {
  const { rows: references } = await sql<Reference>`
    select conname as name, conrelid::regclass::text as "on", pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
    order by conname`.execute(trx)
  const run = (text: string) => sql.raw(text).execute(trx)
  for (const { name, on } of references) await run(`alter table ${on} drop constraint "${name}"`)
  for (const table of tables) await run(`alter table "${table}" disable trigger user`)
  const result = await fill()
  for (const table of tables) await run(`alter table "${table}" enable trigger user`)
  for (const { name, on, definition } of references) {
    await run(`alter table ${on} add constraint "${name}" ${definition}`)
  }
  // The first questions are planned by what is there, not by an empty database's figures.
  await run('analyze')
  return result
}

/** Behind the numbers that came with the rows. */
export const continueNumbers = (trx: Trx) =>
  sql`select setval(pg_get_serial_sequence('releases', 'id'), (select coalesce(max(id), 0) + 1 from releases), false)`.execute(
    trx,
  )
