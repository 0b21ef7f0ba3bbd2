// SPDX-License-Identifier: MIT
// The tables of PostgreSQL are those of SQLite: what one takes, keeps and refuses, the other does.
import { rmSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import { MOVED } from '../../../src/db/move/keys.ts'
import { openStore } from '../../../src/db/open.ts'
import { openControlDb } from '../../../src/db/sqlite/open.ts'
import { databaseOf, dropDatabase, isOnPostgres } from '../../postgres.ts'
import { makeQuickFolder } from '../../quick-folder.ts'

/** There alone: what replicas share, and what SQLite tells by itself. */
const OWN = ['foreign_writes', 'leader', 'shared_keys']
const NOTED = ['nodes', 'assignments', 'node_certificates'].map((name) => `${name}_are_noted`)
const NOT_OURS = new RegExp(`^(?:sqlite_|kysely_|pg_|(?:${OWN.join('|')}) )`)

/** Nothing is written in them: all share one of each. */
async function openBoth() {
  const dataDir = makeQuickFolder()
  const sqlite = openControlDb(dataDir)
  await migrateToLatest(sqlite)
  const databaseUrl = await databaseOf(dataDir)
  const { db: postgres } = await openStore({ dataDir, databaseUrl })
  const close = async () => {
    await sqlite.destroy()
    await postgres.destroy()
    await dropDatabase(databaseUrl)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { sqlite, postgres, close }
}

/** What is said of each table, as both would write it. */
async function said(db: Kysely<Database>, query: string): Promise<string[]> {
  const { rows } = await sql<{ said: string | null }>`${sql.raw(query)}`.execute(db)
  const plain = rows.flatMap(({ said: one }) =>
    one === null ? [] : [one.replaceAll(/::\w+|"/g, '')],
  )
  return plain.filter((one) => !NOT_OURS.test(one)).sort()
}

const SQLITE_TABLES = `sqlite_schema m where m.type = 'table'`
const SQLITE_COLUMNS = `sqlite_schema m, pragma_table_xinfo(m.name) c where m.type = 'table'`
const COLUMNS = `information_schema.columns where table_schema = 'public'`
/** In their order: the columns of a table that are in a list of numbers. */
const named = (table: string, numbers: string) =>
  `(select string_agg(attname, ',' order by array_position(${numbers}, attnum))
    from pg_attribute where attrelid = ${table} and attnum = any(${numbers}))`

type Aspect = [what: string, ofSqlite: string, ofPostgres: string]
const ASPECTS: Aspect[] = [
  [
    'columns, their types, and which may be empty',
    `select m.name || ' ' || c.name || ' ' || lower(c.type) || iif(c."notnull" or c.pk > 0, '', '?') as said from ${SQLITE_COLUMNS}`,
    `select table_name || ' ' || column_name || ' ' || case data_type when 'bigint' then 'integer'
       when 'double precision' then 'real' else data_type end || iif(is_nullable = 'NO', '', '?') as said from ${COLUMNS}`,
  ],
  [
    'values of what is left out',
    `select m.name || ' ' || c.name || ' ' || c.dflt_value as said from ${SQLITE_COLUMNS}`,
    `select table_name || ' ' || column_name || ' ' || column_default as said from ${COLUMNS}`,
  ],
  [
    'primary keys',
    `select m.name || ' ' || (select string_agg(name, ',' order by pk) from pragma_table_xinfo(m.name) where pk > 0) as said
     from ${SQLITE_TABLES}`,
    `select conrelid::regclass || ' ' || ${named('conrelid', 'conkey')} as said from pg_constraint where contype = 'p'`,
  ],
  [
    'indexes: what is unique, and of some rows only',
    `select m.tbl_name || ' ' || i."unique" || i.partial || ' ' || (
       select string_agg(coalesce(x.name, '()') || iif(x.desc, ' desc', ''), ',' order by x.seqno)
       from pragma_index_xinfo(i.name) x where x.key) as said
     from sqlite_schema m, pragma_index_list(m.name) i where m.type = 'table' and i.origin <> 'pk'`,
    `select x.indrelid::regclass || ' ' || x.indisunique::int || (x.indpred is not null)::int || ' ' || (
       select string_agg(coalesce(a.attname, '()') || iif(x.indoption[k.n - 1] & 1 = 1, ' desc', ''), ',' order by k.n)
       from unnest(x.indkey) with ordinality k (attnum, n)
       left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum and k.attnum > 0
       where k.n <= x.indnkeyatts) as said
     from pg_index x where not x.indisprimary and x.indrelid::regclass::text not like 'pg_%'`,
  ],
  [
    'references, and what becomes of who refers',
    `select m.name || ' ' || string_agg(f."from", ',' order by f.seq) || ' ' || f."table" || ' '
       || string_agg(f."to", ',' order by f.seq) || ' ' || lower(f.on_delete) as said
     from sqlite_schema m, pragma_foreign_key_list(m.name) f where m.type = 'table' group by m.name, f.id`,
    `select conrelid::regclass || ' ' || ${named('conrelid', 'conkey')} || ' ' || confrelid::regclass || ' '
       || ${named('confrelid', 'confkey')} || ' '
       || case confdeltype when 'a' then 'no action' when 'c' then 'cascade' else confdeltype::text end as said
     from pg_constraint where contype = 'f'`,
  ],
  [
    'named indexes',
    `select tbl_name || ' ' || name as said from sqlite_schema where type = 'index' and sql is not null`,
    `select x.indrelid::regclass || ' ' || x.indexrelid::regclass as said from pg_index x
     where not exists (select 1 from pg_constraint c where c.conindid = x.indexrelid and c.contype in ('p', 'u'))`,
  ],
  [
    'conditions',
    `select m.name || ' ' || ((length(m.sql) - length(replace(lower(m.sql), 'check (', ''))) / 7) as said from ${SQLITE_TABLES}
       and lower(m.sql) like '%check (%'`,
    `select conrelid::regclass || ' ' || count(*) as said from pg_constraint where contype = 'c' and conrelid <> 0 group by conrelid`,
  ],
]

describe.skipIf(!isOnPostgres)('the tables of PostgreSQL', () => {
  let both: Awaited<ReturnType<typeof openBoth>>
  beforeAll(async () => {
    both = await openBoth()
  })
  afterAll(() => both.close())

  test('are those of SQLite, and those that are moved', async () => {
    const { sqlite, postgres } = both
    const here = await said(sqlite, `select m.name as said from ${SQLITE_TABLES}`)
    const there = await said(
      postgres,
      `select tablename as said from pg_tables where schemaname = 'public'`,
    )
    expect(there).toEqual([...here, ...OWN].sort())
    expect([...MOVED].sort()).toEqual(here)
  })

  test.each(ASPECTS)('have the same %s', async (_what, ofSqlite, ofPostgres) => {
    const { sqlite, postgres } = both
    const here = await said(sqlite, ofSqlite)
    expect(here.length).toBeGreaterThan(5)
    expect(await said(postgres, ofPostgres)).toEqual(here)
  })

  test('have the same triggers, and those that note of whom something was written', async () => {
    const { sqlite, postgres } = both
    const here = await said(sqlite, `select name as said from sqlite_schema where type = 'trigger'`)
    const there = await said(
      postgres,
      `select tgname as said from pg_trigger where not tgisinternal`,
    )
    expect(there).toEqual([...here, ...NOTED].sort())
  })
})
