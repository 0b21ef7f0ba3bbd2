// SPDX-License-Identifier: MIT
// All rows of one control.db into another that is new, whichever of them is SQLite or PostgreSQL: in parts, so that memory is
// bounded, and with a digest of each table on both sides, so that nobody has to believe it.
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { defineError } from '../../api-shapes/errors.ts'
import type { Database, Reader, Trx } from '../database.ts'
import { FURNISHED, GENERATED, KEYS, MOVED, type MovedTable } from './keys.ts'

const ROWS_AT_ONCE = 500
/** Texts of configs are long: so few of them. */
const BYTES_AT_ONCE = 8 * 1024 * 1024
const TABLES_OF_TEXTS: readonly MovedTable[] = [
  'config_versions',
  'draft_revisions',
  'drift_texts',
  'rendered_texts',
]
const TEXTS_AT_ONCE = 16

type Row = Record<string, unknown>
export type Copied = {
  table: MovedTable
  rows: number
  sha256: string
  /** In how many rows U+FFFD stands for a NUL now, by column. */
  replaced: Record<string, number>
}

export const NotTheSame = defineError(
  500,
  'not_the_same',
  'The copy differs from what was copied',
  (table: string) =>
    `The table ${table} reads otherwise in the new database than in the old one. Nothing was kept of it; say so to the makers of Farmstead.`,
)
export const NulInText = defineError(
  409,
  'nul_in_text',
  'A text holds a NUL character',
  (table: string, key: string, column: string) =>
    `The row ${key} of ${table} has a NUL character in ${column}, which PostgreSQL cannot hold, and which is not replaced, for a digest or another row counts on it. Remove what it is of, or stay with SQLite; nothing was moved.`,
)

/** `to`: of this version, and with nothing but what every database begins with. */
export async function copyAll(
  from: Kysely<Database>,
  to: Trx,
  onCopied: (copied: Copied) => void = () => {},
): Promise<Copied[]> {
  for (const table of FURNISHED) await to.deleteFrom(table).execute()
  const all: Copied[] = []
  for (const table of MOVED) {
    const digest = createDigest()
    const replaced: Copied['replaced'] = {}
    for await (const rows of partsOf(from, table)) {
      for (const row of rows) {
        replaceNul(table, row, replaced)
        digest.add(row)
      }
      await insert(to, table, rows)
    }
    all.push({ table, ...digest.end(), replaced })
  }
  for (const copied of all) {
    const digest = createDigest()
    for await (const rows of partsOf(to, copied.table)) for (const row of rows) digest.add(row)
    if (digest.end().sha256 !== copied.sha256) throw new NotTheSame(copied.table)
    onCopied(copied)
  }
  return all
}

async function* partsOf(db: Reader, table: MovedTable): AsyncGenerator<Row[]> {
  const keys = KEYS[table].map((key) => sql.ref(key))
  const isOfTexts = TABLES_OF_TEXTS.includes(table)
  const most = isOfTexts ? TEXTS_AT_ONCE : ROWS_AT_ONCE
  for (let last: Row | undefined; ; ) {
    const after = last && sql`where (${sql.join(keys)}) > (${sql.join(keyOf(table, last))})`
    const { rows } = await sql<Row>`select * from ${sql.table(table)} ${after ?? sql``}
      order by ${sql.join(keys)} limit ${most}`.execute(db)
    const generated = GENERATED[table]
    for (const row of rows) if (generated) delete row[generated]
    if (rows.length > 0) yield rows
    if (rows.length < most) return
    last = rows.at(-1)
  }
}

const keyOf = (table: MovedTable, row: Row) => KEYS[table].map((key) => row[key])

async function insert(to: Trx, table: MovedTable, rows: readonly Row[]): Promise<void> {
  let some: Row[] = []
  let bytes = 0
  const flush = async () => {
    if (some.length > 0)
      await to
        .insertInto(table)
        .values(some as never)
        .execute()
    some = []
    bytes = 0
  }
  for (const row of rows) {
    some.push(row)
    for (const value of Object.values(row)) bytes += typeof value === 'string' ? value.length : 8
    if (bytes > BYTES_AT_ONCE) await flush()
  }
  await flush()
}

/** As the service itself writes it in PostgreSQL. */
function replaceNul(table: MovedTable, row: Row, replaced: Copied['replaced']): void {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value !== 'string' || !value.includes('\0')) continue
    if (isBound(table, column))
      throw new NulInText(table, JSON.stringify(keyOf(table, row)), column)
    row[column] = value.replaceAll('\0', '\ufffd')
    replaced[column] = (replaced[column] ?? 0) + 1
  }
}

/** Its key, or what a digest that is kept elsewhere is over. */
const isBound = (table: MovedTable, column: string) =>
  table === 'events' || (KEYS[table] as readonly string[]).includes(column) || PROVED.has(column)
const PROVED = new Set(['text'])

function createDigest() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(row: Row): void {
      const columns = Object.keys(row).sort()
      hash.update(`${JSON.stringify(columns.map((column) => row[column]))}\n`)
      rows++
    },
    end: () => ({ rows, sha256: hash.digest('hex') }),
  }
}
