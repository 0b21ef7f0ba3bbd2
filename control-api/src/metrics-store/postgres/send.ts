// SPDX-License-Identifier: MIT
// One transaction of PostgreSQL: what changed in metrics.db since the one before, as it was at one moment. Rows go some hundred
// in a statement, with their bytes one after the other in one value, so that memory is bounded however much there is.
import type { Connection } from './connection.ts'
import type { Snapshot } from './journal.ts'
import type { Partitions } from './partitions.ts'
import {
  KEPT_TABLES,
  type KeptTable,
  type Local,
  remoteName,
  SMALL_TABLES,
  type SmallTable,
} from './tables.ts'

const ROWS_AT_ONCE = 500
/** Of what PostgreSQL never had, with each transaction. */
const OLD_ROWS_AT_ONCE = 2_000

/** Of each table where what was never sent ends now; null: all of it is sent. */
export type SentOld = { table: KeptTable; before: number | null }[]

export async function sendChanges(
  connection: Connection,
  partitions: Partitions,
  { snapshot, v }: { snapshot: Snapshot; v: number },
): Promise<SentOld> {
  for (const [i, table] of SMALL_TABLES.entries()) {
    await sendSmall(connection, table, snapshot.smallUnsent(i))
  }
  const send = async (table: KeptTable, rows: readonly Local[]) => {
    const kept = rows.map(table.toKept)
    const steps = kept.map(({ step }) => step)
    await partitions.makeFor(table, steps)
    await connection.rows(upsert(table), [
      steps,
      kept.map(({ key }) => key),
      ...table.numbers.map((_, i) => kept.map(({ numbers }) => numbers[i])),
      ...inOnePiece(kept.map(({ bytes }) => bytes)),
      v,
    ])
  }
  for (const table of KEPT_TABLES) {
    for (let after = -1; ; ) {
      const rows = snapshot.unsent(table, after, ROWS_AT_ONCE)
      if (rows.length > 0) await send(table, rows)
      if (rows.length < ROWS_AT_ONCE) break
      after = rows.at(-1)?.[0] ?? after
    }
  }
  const sentOld: SentOld = []
  for (const table of KEPT_TABLES) {
    const rows = snapshot.toSend(table, OLD_ROWS_AT_ONCE)
    if (rows === null) continue
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      await send(table, rows.slice(i, i + ROWS_AT_ONCE))
    }
    const isAll = rows.length < OLD_ROWS_AT_ONCE
    sentOld.push({ table, before: isAll ? null : (rows.at(-1)?.[0] ?? null) })
  }
  return sentOld
}

function inOnePiece(all: readonly Uint8Array[]): [offsets: number[], lengths: number[], Buffer] {
  const lengths = all.map(({ length }) => length)
  let end = 1
  const offsets = lengths.map((length) => {
    end += length
    return end - length
  })
  return [offsets, lengths, Buffer.concat(all)]
}

/** $1 steps, $2 keys, one list for each column of numbers, where the bytes of each begin and how many they are, all bytes, v. */
function upsert(table: KeptTable): string {
  const [first, columns] = [3 + table.numbers.length, ['step_s', 'key', ...table.numbers]]
  const lists = columns.map((_, i) => `$${i + 1}::bigint[]`)
  const written = [...table.numbers, table.bytes, 'v']
  return `insert into ${remoteName(table)} (${[...columns, table.bytes, 'v'].join(', ')})
    select ${columns.join(', ')}, substring($${first + 2}::bytea from offset_b for length_b), $${first + 3}::bigint
    from unnest(${lists.join(', ')}, $${first}::int[], $${first + 1}::int[])
      as rows (${columns.join(', ')}, offset_b, length_b)
    on conflict (step_s, key) do update set ${written.map((name) => `${name} = excluded.${name}`).join(', ')}`
}

async function sendSmall(
  connection: Connection,
  { name, columns, primaryKey }: SmallTable,
  rows: readonly (number | string)[][],
): Promise<void> {
  for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
    const some = rows.slice(i, i + ROWS_AT_ONCE)
    const names = columns.map((column) => column.name).join(', ')
    const lists = columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')
    const others = columns.filter((column) => !primaryKey.split(', ').includes(column.name))
    await connection.rows(
      `insert into metrics_${name} (${names}) select distinct on (${primaryKey}) * from unnest(${lists}) as rows (${names})
       on conflict (${primaryKey}) do update set ${others.map((column) => `${column.name} = excluded.${column.name}`).join(', ')}`,
      columns.map((_, at) => some.map((row) => withoutNul(row[at]))),
    )
  }
}

/** PostgreSQL's texts hold none; a node that names something with one may not stop all others. */
const withoutNul = (value: number | string | undefined) =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value
