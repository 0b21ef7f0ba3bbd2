// SPDX-License-Identifier: MIT
// In metrics.db: which rows PostgreSQL does not have as they are here, and how much of PostgreSQL's record is here. Triggers of
// this connection write of each row that is written, in its transaction: whenever the process ends, the next one knows what was
// not sent. Each entry is of a turn; what is written while a turn is being sent is of the next.
import type { MetricsDb } from '../metrics-db.ts'
import { KEPT_TABLES, type KeptTable, type Local, SMALL_TABLES } from './tables.ts'

const TABLES = `
  create table if not exists unsent (
    place integer not null, key integer not null, turn integer not null, primary key (place, key)
  ) strict, without rowid;
  -- Of whose record it is a copy, and up to which transaction. is_undoing: what was not sent is being taken back.
  create table if not exists copy (
    only_one integer primary key check (only_one = 1),
    token text not null, v integer not null, is_undoing integer not null default 0
  ) strict;
  -- Tables of which older rows are in PostgreSQL alone, and those of which they are here alone: each before what is named.
  create table if not exists to_read (
    place integer primary key, step_s integer not null, key integer not null, rows integer not null
  ) strict;
  create table if not exists to_send (place integer primary key, key integer not null) strict;
`
export type CopyOf = { token: string; v: number; isUndoing: boolean }
/** Before it, in order of step and key, nothing is here yet. */
export type Unread = { table: KeptTable; step: number; key: number; rows: number }
/** Newer than all. */
export const END = 2 ** 52

export type Journal = ReturnType<typeof createJournal>

export function createJournal(db: MetricsDb) {
  db.exec(TABLES)
  const statements = prepare(db)
  let turn = (statements.lastTurn.get() ?? 0) + 1
  let isNoting = false
  db.function('turn_to_note', { directOnly: false }, () => (isNoting ? turn : null))

  return {
    /** From now on. */
    note(): void {
      db.exec(triggers())
      isNoting = true
    },
    /** What is PostgreSQL's already. */
    withoutNote(work: () => void): void {
      const before = isNoting
      isNoting = false
      try {
        db.transaction(work).immediate()
      } finally {
        isNoting = before
      }
    },

    hasUnsent: () => statements.any.get() !== undefined,
    hasToSend: () => statements.anyToSend.get() !== undefined,
    unsentOf: (place: number) => statements.unsentOf.all(place),
    /** What was written until now is what is sent; `sent` is told its turn. */
    nextTurn: () => turn++,
    sent: db.transaction((sentTurn: number, copyOf: Omit<CopyOf, 'isUndoing'>) => {
      statements.forget.run(sentTurn)
      statements.setCopy.run(copyOf.token, copyOf.v)
    }),

    copyOf(): CopyOf | null {
      const row = statements.copy.get()
      return row ? { token: row.token, v: row.v, isUndoing: row.is_undoing === 1 } : null
    },
    setCopy(token: string, v: number): void {
      statements.setCopy.run(token, v)
    },
    beginUndoing: () => void statements.undo.run(),
    endUndoing: () => void statements.forgetAll.run(),

    /** Of a file that has nothing yet. */
    readAll: db.transaction(() => {
      for (const place of KEPT_TABLES.keys()) statements.setUnread.run(place, END, END, 0)
    }),
    unread: (): Unread[] =>
      statements.unread.all().flatMap(({ place, step_s: step, key, rows }) => {
        const table = KEPT_TABLES[place]
        return table ? [{ table, step, key, rows }] : []
      }),
    /** null: all of it is here. */
    setUnread(table: KeptTable, before: Omit<Unread, 'table'> | null): void {
      const place = KEPT_TABLES.indexOf(table)
      if (before) statements.setUnread.run(place, before.step, before.key, before.rows)
      else statements.allRead.run(place)
    },

    /** Of a file that PostgreSQL knows nothing of: small tables at once, all others by and by. */
    sendAll: db.transaction(() => {
      for (const [i, { name, journalKey }] of SMALL_TABLES.entries()) {
        db.prepare(
          `replace into unsent (place, key, turn) select ?, ${journalKey}, 0 from ${name}`,
        ).run(KEPT_TABLES.length + i)
      }
      for (const place of KEPT_TABLES.keys()) statements.setToSend.run(place, END)
    }),
    setToSend(place: number, before: number | null): void {
      if (before === null) statements.allSent.run(place)
      else statements.setToSend.run(place, before)
    },
  }
}

/**
 * Of this connection alone. Rows that are written by `replace` are inserted; those of some tables are changed where they are.
 * What a trigger replaces goes by the statement that set it off, so it says itself what to do.
 */
function triggers(): string {
  const kept = KEPT_TABLES.map(({ name, local: [key] }) => ({ name, key }))
  const small = SMALL_TABLES.map(({ name, journalKey: key }) => ({ name, key }))
  return [...kept, ...small]
    .flatMap(({ name, key }, place) =>
      ['insert', 'update'].map(
        (what) => `
          create temp trigger ${name}_${what} after ${what} on ${name} when turn_to_note() is not null
          begin
            insert into unsent (place, key, turn) values (${place}, new.${key}, turn_to_note())
            on conflict (place, key) do update set turn = excluded.turn;
          end;`,
      ),
    )
    .join('\n')
}

const prepare = (db: MetricsDb) => ({
  lastTurn: db.prepare<[], number>('select turn from unsent order by turn desc limit 1').pluck(),
  any: db.prepare<[], number>('select 1 from unsent limit 1').pluck(),
  anyToSend: db.prepare<[], number>('select 1 from to_send limit 1').pluck(),
  unsentOf: db.prepare<[number], number>('select key from unsent where place = ?').pluck(),
  forget: db.prepare<[number]>('delete from unsent where turn <= ?'),
  forgetAll: db.prepare<[]>('delete from unsent'),
  copy: db.prepare<[], { token: string; v: number; is_undoing: number }>('select * from copy'),
  setCopy: db.prepare<[string, number]>('replace into copy (only_one, token, v) values (1, ?, ?)'),
  undo: db.prepare<[]>('update copy set is_undoing = 1'),
  unread: db.prepare<[], { place: number; step_s: number; key: number; rows: number }>(
    'select * from to_read',
  ),
  setUnread: db.prepare<[number, number, number, number]>(
    'replace into to_read values (?, ?, ?, ?)',
  ),
  allRead: db.prepare<[number]>('delete from to_read where place = ?'),
  setToSend: db.prepare<[number, number]>('replace into to_send values (?, ?)'),
  allSent: db.prepare<[number]>('delete from to_send where place = ?'),
})

/** What one snapshot of metrics.db has for PostgreSQL. Opened anew for each: nothing else holds the file. */
export type Snapshot = {
  /** After this key, in its order. */
  unsent(table: KeptTable, after: number, most: number): Local[]
  smallUnsent(place: number): (number | string)[][]
  /** Older ones that PostgreSQL never had: before that key; none when there is nothing to send. */
  toSend(table: KeptTable, most: number): Local[] | null
  close(): void
}

export function takeSnapshot(db: MetricsDb): Snapshot {
  db.exec('begin')
  const unsentCount = db.prepare<[], number>('select count(*) from unsent').pluck()
  // The first question is the moment that it shows.
  unsentCount.get()
  const place = (table: KeptTable) => KEPT_TABLES.indexOf(table)
  const columns = ({ local }: KeptTable) => local.map((column) => `r.${column}`).join(', ')
  return {
    unsent: (table, after, most) =>
      db
        .prepare<[number, number, number], Local>(
          `select ${columns(table)} from unsent u cross join ${table.name} r on r.${table.local[0]} = u.key
           where u.place = ? and u.key > ? order by u.key limit ?`,
        )
        .raw()
        .all(place(table), after, most),
    smallUnsent(i) {
      const table = SMALL_TABLES[i]
      if (!table) return []
      const names = table.columns.map(({ name }) => name).join(', ')
      return db
        .prepare<[number], (number | string)[]>(
          `select ${names} from ${table.name}
           where ${table.journalKey} in (select u.key from unsent u where place = ?)`,
        )
        .raw()
        .all(KEPT_TABLES.length + i)
    },
    toSend(table, most) {
      const before = db
        .prepare<[number], number>('select key from to_send where place = ?')
        .pluck()
        .get(place(table))
      if (before === undefined) return null
      const [key] = table.local
      return db
        .prepare<[number, number], Local>(
          `select ${columns(table)} from ${table.name} r where ${key} < ? order by ${key} desc limit ?`,
        )
        .raw()
        .all(before, most)
    },
    close: () => void db.close(),
  }
}
