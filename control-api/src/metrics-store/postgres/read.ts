// SPDX-License-Identifier: MIT
// From PostgreSQL's record into metrics.db: what is new since this copy was made, whole; and of a file that has nothing yet the
// rows from the newest back, a part at a time, while the service works with what it has.
import type { MetricsDb } from '../metrics-db.ts'
import { MOST_SLOW_OF_FARM } from '../slow-requests.ts'
import type { Connection } from './connection.ts'
import { END, type Journal, type Unread } from './journal.ts'
import {
  KEPT_TABLES,
  type Kept,
  type KeptTable,
  remoteName,
  SLOW_TABLE,
  SMALL_TABLES,
} from './tables.ts'

const ROWS_AT_ONCE = 1_000

type RemoteRow = [step: number, key: number, ...numbers: number[], Buffer]

const columnsOf = (table: KeptTable) => ['step_s', 'key', ...table.numbers, table.bytes].join(', ')

function keptOf(row: RemoteRow): Kept {
  const [step, key, ...others] = row
  return { step, key, numbers: others.slice(0, -1) as number[], bytes: others.at(-1) as Buffer }
}

const writeInto = (db: MetricsDb, table: KeptTable, how: 'replace' | 'insert or ignore') => {
  const statement = db.prepare(
    `${how} into ${table.name} (${table.local.join(', ')}) values (${table.local.map(() => '?').join(', ')})`,
  )
  return (rows: readonly RemoteRow[]) => {
    for (const row of rows) statement.run(...table.toLocal(keptOf(row)))
  }
}

export type Reading = { db: MetricsDb; journal: Journal; connection: Connection }

/** In a transaction of PostgreSQL that sees one moment. `afterV`: the copy has what came up to then. */
export async function readChanges(reading: Reading, afterV: number): Promise<void> {
  const { journal } = reading
  if (journal.hasUnsent()) await takeBack(reading)
  await readSmall(reading)
  const unread = new Map(journal.unread().map((one) => [one.table, one]))
  for (const table of KEPT_TABLES) await readNew(reading, table, afterV, unread.get(table))
  await readNewestSlow(reading)
  if (journal.hasUnsent()) journal.endUndoing()
}

/** What was never sent another may have counted meanwhile: it is as PostgreSQL has it. */
async function takeBack({ db, journal, connection }: Reading): Promise<void> {
  journal.beginUndoing()
  for (const [place, table] of KEPT_TABLES.entries()) {
    const keys = journal.unsentOf(place)
    const [column] = table.local
    const remove = db.prepare<[number]>(`delete from ${table.name} where ${column} = ?`)
    const write = writeInto(db, table, 'replace')
    for (let i = 0; i < keys.length; i += ROWS_AT_ONCE) {
      const some = keys.slice(i, i + ROWS_AT_ONCE)
      const places = table === SLOW_TABLE ? [] : some.map((at) => table.toKept([at]))
      const rows = await connection.rows<RemoteRow>(
        `select ${columnsOf(table)} from ${remoteName(table)} where (step_s, key) in (
           select * from unnest($1::bigint[], $2::bigint[]))`,
        [places.map(({ step }) => step), places.map(({ key }) => key)],
      )
      journal.withoutNote(() => {
        for (const key of some) remove.run(key)
        write(rows)
      })
    }
  }
}

/** Wholly: they are some ten thousand short rows. */
async function readSmall({ db, journal, connection }: Reading): Promise<void> {
  for (const { name, columns } of SMALL_TABLES) {
    const names = columns.map((column) => column.name).join(', ')
    const rows = await connection.rows<(number | string)[]>(`select ${names} from metrics_${name}`)
    const write = db.prepare(
      `insert into ${name} (${names}) values (${columns.map(() => '?').join(', ')})`,
    )
    journal.withoutNote(() => {
      db.exec(`delete from ${name}`)
      for (const row of rows) write.run(...row)
    })
  }
}

async function readNew(
  { db, journal, connection }: Reading,
  table: KeptTable,
  afterV: number,
  unread: Unread | undefined,
): Promise<void> {
  const [step, key] = [unread?.step ?? 0, unread?.key ?? 0]
  if (step === END) return
  const write = writeInto(db, table, 'replace')
  await connection.run(`declare news no scroll cursor for
    select ${columnsOf(table)} from ${remoteName(table)}
    where v > ${afterV} and step_s >= ${step} and (step_s, key) >= (${step}, ${key})`)
  for (;;) {
    const rows = await connection.rows<RemoteRow>(`fetch ${ROWS_AT_ONCE} from news`)
    journal.withoutNote(() => write(rows))
    if (rows.length < ROWS_AT_ONCE) break
  }
  await connection.run('close news')
}

/** Those that come get numbers after it. */
async function readNewestSlow({ db, journal, connection }: Reading): Promise<void> {
  const rows = await connection.rows<RemoteRow>(
    `select ${columnsOf(SLOW_TABLE)} from ${remoteName(SLOW_TABLE)} order by key desc limit 1`,
  )
  journal.withoutNote(() => writeInto(db, SLOW_TABLE, 'insert or ignore')(rows))
}

/** One part of what is older than all that is here; false: everything is here. */
export async function readOlder({ db, journal, connection }: Reading): Promise<boolean> {
  const newestFirst = journal.unread().sort((a, b) => b.step - a.step)
  const [next] = newestFirst
  if (!next) return false
  const { table, step, key } = next
  const rows = await connection.rows<RemoteRow>(
    `select ${columnsOf(table)} from ${remoteName(table)} where step_s <= $1 and (step_s, key) < ($1, $2)
     order by step_s desc, key desc limit ${ROWS_AT_ONCE}`,
    [step, key],
  )
  const last = rows.at(-1)
  const count = next.rows + rows.length
  const isEnough = table === SLOW_TABLE && count >= MOST_SLOW_OF_FARM
  const isAll = rows.length < ROWS_AT_ONCE || isEnough
  journal.withoutNote(() => {
    // What is here is newer.
    writeInto(db, table, 'insert or ignore')(rows)
    journal.setUnread(table, isAll || !last ? null : { step: last[0], key: last[1], rows: count })
  })
  return !isAll || newestFirst.length > 1
}
