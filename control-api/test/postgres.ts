// SPDX-License-Identifier: MIT
// With FARMSTEAD_TEST_POSTGRES (an address of PostgreSQL, as somebody who may make databases) each service of a test has a
// database there, a copy of one that was made once.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { migrateToLatest, stepsOf } from '../src/db/migrate.ts'
import { openStore } from '../src/db/open.ts'
import type { StorePlace } from '../src/db/store.ts'

const server = process.env.FARMSTEAD_TEST_POSTGRES
export const isOnPostgres = server !== undefined

const TEMPLATE = 'farmstead_template'
/** Who makes the template holds it. */
const TEMPLATE_LOCK = 7_120_196

const addressOf = (database: string) => {
  const url = new URL(server ?? '')
  url.pathname = `/${database}`
  return url.href
}

async function asked<T>(ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}

/** Of SQLite's, for what tests write by SQL alone: '%05d'. */
const PRINTF = `create function printf(text, bigint) returns text language sql immutable
  return lpad($2::text, substring($1 from '%0([0-9]+)d')::integer, '0')`

let made: Promise<void> | null = null

const makeTemplate = () =>
  asked(async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE])
    if (rows.length > 0) return
    await client.query(`create database ${TEMPLATE}_begun`)
    const place = { dataDir: '', databaseUrl: addressOf(`${TEMPLATE}_begun`) }
    const { db } = await openStore(place)
    await migrateToLatest(db, stepsOf(place))
    await sql.raw(PRINTF).execute(db)
    await db.destroy()
    await client.query(`alter database ${TEMPLATE}_begun rename to ${TEMPLATE}`)
  })

/** Of the service of this folder: the same one when it starts again. */
export async function databaseOf(dataDir: string): Promise<string | null> {
  if (!isOnPostgres) return null
  made ??= makeTemplate()
  await made
  const name = `t_${createHash('sha256').update(dataDir).digest('hex').slice(0, 24)}`
  await asked(async (client) => {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rows.length === 0)
      await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  })
  return addressOf(name)
}

export async function dropDatabase(url: string | null): Promise<void> {
  if (url === null) return
  const name = new URL(url).pathname.slice(1)
  await asked((client) => client.query(`drop database if exists ${name} with (force)`))
}

/** For openServices: in PostgreSQL gone with the test. */
export async function placeOf(dataDir: string, atEnd = onTestFinished): Promise<StorePlace> {
  const databaseUrl = await databaseOf(dataDir)
  atEnd(() => dropDatabase(databaseUrl))
  return { dataDir, databaseUrl }
}
