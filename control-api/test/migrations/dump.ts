// SPDX-License-Identifier: MIT
// A schema that was released, with rows in it, as SQL text: what databases in the field look like.
//   node test/migrations/dump.ts 014-things < rows.sql > test/migrations/dumps/014-things.sql
// makes the dump of one more step: the newest dump before it, migrated to it, and the rows from stdin.
// A dump is never made anew: it is what that version wrote.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { migratorOf } from '../../src/db/migrate.ts'
import { openControlDb } from '../../src/db/open.ts'

const DUMPS = join(import.meta.dirname, 'dumps')
const SUFFIX = '.sql'

/** Their steps, oldest first. */
export const released = readdirSync(DUMPS)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort()

/** Makes control.db in `dataDir` as the version of that step left it. */
export function loadDump(dataDir: string, step: string): void {
  withSqlite(dataDir, (sqlite) => {
    // Rows come before what they refer to.
    sqlite.pragma('foreign_keys = OFF')
    sqlite.exec(readFileSync(join(DUMPS, `${step}${SUFFIX}`), 'utf8'))
  })
}

export async function migrateTo(dataDir: string, step: string): Promise<void> {
  const db = openControlDb(dataDir)
  try {
    const { error } = await migratorOf(db).migrateTo(step)
    if (error) throw error
  } finally {
    await db.destroy()
  }
}

export function withSqlite<T>(dataDir: string, work: (sqlite: Sqlite.Database) => T): T {
  const sqlite = new Sqlite(join(dataDir, 'control.db'))
  try {
    return work(sqlite)
  } finally {
    sqlite.close()
  }
}

type Part = { type: string; name: string; sql: string }

/** Triggers and indexes last: they would refuse or slow the rows. */
function dump(sqlite: Sqlite.Database): string {
  const parts = sqlite
    .prepare<[], Part>(
      `select type, name, sql from sqlite_master
       where sql is not null and name not like 'sqlite_%' order by rowid`,
    )
    .all()
  const tables = parts.filter(({ type }) => type === 'table')
  return [
    ...tables.map(({ sql }) => `${sql};`),
    ...tables.flatMap(({ name }) => insertsOf(sqlite, name)),
    ...parts.filter(({ type }) => type !== 'table').map(({ sql }) => `${sql};`),
    '',
  ].join('\n')
}

function insertsOf(sqlite: Sqlite.Database, table: string): string[] {
  const columns = sqlite
    .prepare<[string], { name: string }>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => `"${name}"`)
  const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `)
  return sqlite
    .prepare<[], string>(`select ${values} from "${table}"`)
    .pluck()
    .all()
    .map((row) => `insert into "${table}" (${columns.join(', ')}) values (${row});`)
}

async function makeDump(step: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-dump-'))
  try {
    const before = released.filter((one) => one < step).at(-1)
    if (before) loadDump(dataDir, before)
    await migrateTo(dataDir, step)
    const text = withSqlite(dataDir, (sqlite) => {
      sqlite.exec(readFileSync(0, 'utf8'))
      return dump(sqlite)
    })
    process.stdout.write(text)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) await makeDump(process.argv[2] ?? '')
