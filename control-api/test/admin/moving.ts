// SPDX-License-Identifier: MIT
// A control plane with rows in every table, to be moved by the real command into a database of its own.
import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { openStore } from '../../src/db/open.ts'
import { tempDir } from '../helper.ts'
import { addRows, loadDump, migrateTo, released, stepsAfter } from '../migrations/dump.ts'
import { databaseOf, dropDatabase } from '../postgres.ts'
import { start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'

/** In SQLite, as the versions since the first release would have left it. */
export async function fullPlane(): Promise<string> {
  const dataDir = tempDir()
  const last = released.at(-1) ?? ''
  loadDump(dataDir, last)
  for (const step of stepsAfter(last)) {
    await migrateTo(dataDir, step)
    addRows(dataDir, step)
  }
  return dataDir
}

export async function aTarget(): Promise<string> {
  const url = (await databaseOf(tempDir())) ?? ''
  onTestFinished(() => dropDatabase(url))
  return url
}

export const move = (dataDir: string, url: string, ...more: string[]) =>
  start(PROGRAMS.admin, ['migrate-to-postgres', ...more], {
    FARMSTEAD_DATA_DIR: dataDir,
    DATABASE_URL: url,
  })

export const countIn = async (databaseUrl: string, table: string) => {
  const { db } = await openStore({ dataDir: '', databaseUrl })
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  await db.destroy()
  return rows[0]?.count
}

/** In that database, past whoever works in it. */
export async function askedOf(databaseUrl: string, ...texts: string[]) {
  const { db } = await openStore({ dataDir: '', databaseUrl })
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of texts) rows = (await sql.raw<Record<string, unknown>>(text).execute(db)).rows
    return rows
  } finally {
    await db.destroy()
  }
}

const STOP = 7_120_197
const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into "events"%'`

/** Whoever puts in an event waits, with all other tables written: until let go. */
export async function stopsAtEvents(databaseUrl: string) {
  const { db } = await openStore({ dataDir: '', databaseUrl })
  const run = async (text: string) => (await sql.raw(text).execute(db)).rows
  await run(`create function stop() returns boolean language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(${STOP}); return true; end $$`)
  await run('alter table events add constraint stops check (stop())')
  await run(`select pg_advisory_lock(${STOP})`)
  return {
    isReached: () => expect.poll(() => run(WAITING)).toHaveLength(1),
    async endSession() {
      await run(`select pg_terminate_backend(pid) from (${WAITING}) as w`)
      await expect.poll(() => run(WAITING)).toEqual([])
    },
    async letGo() {
      await run('alter table events drop constraint stops')
      await db.destroy()
    },
  }
}
