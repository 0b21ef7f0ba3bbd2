// SPDX-License-Identifier: MIT
// The tables of PostgreSQL are those of SQLite: what one takes, keeps and refuses, the other does.
import { type Kysely, sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import { MOVED } from '../../../src/db/move/keys.ts'
import { openStore } from '../../../src/db/open.ts'
import { openControlDb } from '../../../src/db/sqlite/open.ts'
import { tempDir } from '../../helper.ts'
import { databaseOf, dropDatabase, isOnPostgres } from '../../postgres.ts'

/** There alone: what replicas share, and what SQLite tells by itself. */
const OWN = ['foreign_writes', 'leader', 'shared_keys']
const NOT_OURS = /^(?:sqlite_|kysely_)/

async function both() {
  const sqlite = openControlDb(tempDir())
  await migrateToLatest(sqlite)
  const databaseUrl = await databaseOf(tempDir())
  const { db: postgres } = await openStore({ dataDir: '', databaseUrl })
  onTestFinished(async () => {
    await sqlite.destroy()
    await postgres.destroy()
    await dropDatabase(databaseUrl)
  })
  return { sqlite, postgres }
}

type Column = { table: string; column: string; isNotNull: number }

const namesOf = (db: Kysely<Database>, from: string) =>
  sql<{ name: string }>`${sql.raw(from)}`.execute(db).then(({ rows }) =>
    rows
      .map(({ name }) => name)
      .filter((name) => !NOT_OURS.test(name))
      .sort(),
  )

describe.skipIf(!isOnPostgres)('the tables of PostgreSQL', () => {
  test('are those of SQLite, and those that are moved', async () => {
    const { sqlite, postgres } = await both()
    const there = await namesOf(
      postgres,
      `select tablename as name from pg_tables where schemaname = 'public'`,
    )
    const here = await namesOf(sqlite, `select name from sqlite_schema where type = 'table'`)
    expect(there).toEqual([...here, ...OWN].sort())
    expect([...MOVED].sort()).toEqual(here)
  })

  test('have the same columns, which may be empty where they may be there', async () => {
    const { sqlite, postgres } = await both()
    const here = await sql<Column>`
      select m.name as "table", c.name as "column", c."notnull" or c.pk > 0 as "isNotNull"
      from sqlite_schema m, pragma_table_xinfo(m.name) c where m.type = 'table' and m.name not like 'kysely%'
        and m.name not like 'sqlite%'`.execute(sqlite)
    const there = await sql<Column>`
      select table_name as "table", column_name as "column", is_nullable = 'NO' as "isNotNull"
      from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'`.execute(
      postgres,
    )
    const told = (rows: Column[]) =>
      rows
        .filter(({ table }) => !OWN.includes(table))
        .map(({ table, column, isNotNull }) => `${table}.${column}${isNotNull ? '' : '?'}`)
        .sort()
    expect(told(there.rows)).toEqual(told(here.rows))
  })

  test('have the same indexes: what is unique there is unique here', async () => {
    const { sqlite, postgres } = await both()
    const here = await namesOf(
      sqlite,
      `select name from sqlite_schema where type = 'index' and sql is not null`,
    )
    const there = await namesOf(
      postgres,
      `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
       join pg_class t on t.oid = x.indrelid join pg_namespace n on n.oid = t.relnamespace
       where n.nspname = 'public' and not exists (select 1 from pg_constraint c where c.conindid = i.oid)`,
    )
    expect(there).toEqual(here)
    const unique = await namesOf(
      sqlite,
      `select name from sqlite_schema where sql like 'create unique index%'`,
    )
    expect(
      await namesOf(
        postgres,
        `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
         where x.indisunique and i.relname in (${unique.map((name) => `'${name}'`).join()})`,
      ),
    ).toEqual(unique)
  })

  test('refer to the same tables', async () => {
    const { sqlite, postgres } = await both()
    const here = await namesOf(
      sqlite,
      `select distinct m.name || ' ' || f."table" as name from sqlite_schema m, pragma_foreign_key_list(m.name) f where m.type = 'table'`,
    )
    const there = await namesOf(
      postgres,
      `select distinct conrelid::regclass::text || ' ' || confrelid::regclass::text as name from pg_constraint where contype = 'f'`,
    )
    expect(there).toEqual(here)
  })
})
