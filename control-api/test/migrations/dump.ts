// SPDX-License-Identifier: MIT
// A schema that was released, with rows in it, as SQL text: what databases in the field look like.
// Each step that is not released yet has its rows in rows/, for it may still change. At a release
//   node test/migrations/dump.ts 014-things > test/migrations/dumps/014-things.sql
// makes the dump of its newest step: the newest dump, migrated step by step, with the rows of each.
// A dump is never made anew: it is what that version wrote.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { migrations, migratorOf } from '../../src/db/migrate.ts'
import { openControlDb } from '../../src/db/sqlite/open.ts'

const DUMPS = join(import.meta.dirname, 'dumps')
const ROWS = join(import.meta.dirname, 'rows')
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

export const stepsAfter = (step: string) =>
  Object.keys(migrations)
    .filter((one) => one > step)
    .sort()

/** What a service of that step would have written; nothing, when it made no table. */
export function addRows(dataDir: string, step: string): void {
  const file = join(ROWS, `${step}${SUFFIX}`)
  if (!existsSync(file)) return
  withSqlite(dataDir, (sqlite) => sqlite.exec(readFileSync(file, 'utf8')))
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

async function makeDump(newest: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-dump-'))
  try {
    const last = released.filter((one) => one < newest).at(-1) ?? ''
    if (last) loadDump(dataDir, last)
    for (const step of stepsAfter(last).filter((one) => one <= newest)) {
      await migrateTo(dataDir, step)
      addRows(dataDir, step)
    }
    process.stdout.write(withSqlite(dataDir, dump))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) await makeDump(process.argv[2] ?? '')
