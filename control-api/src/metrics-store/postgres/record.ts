// SPDX-License-Identifier: MIT
// Whose measurements the database has, who writes them, and how far they are. A copy names the writer from whom it has what it
// has: it is one of this record if that writer had come as far, and none if the database was made anew or put back since.
import type { Connection } from './connection.ts'
import { LAYOUT, REMOTE_TABLES } from './tables.ts'

/** Of two replicas that start at once one makes the tables. */
const MAKE_LOCK = 7_120_199
const WRITERS_KNOWN = 1_000

/** What is there is not ours to write: the reason is for people. */
export class RecordRefused extends Error {}
/** One that began to lead later writes now. */
export class Deposed extends Error {
  constructor() {
    super('another replica writes the measurements in PostgreSQL now')
  }
}

export type Writer = { token: string; fromV: number }
/** The newest writer last. */
export type MetricsRecord = { v: number; writers: readonly Writer[] }

export async function makeTables(connection: Connection, controlPlaneId: string): Promise<void> {
  if (await isMade(connection)) return
  await connection.transaction(async () => {
    await connection.run(`select pg_advisory_xact_lock(${MAKE_LOCK})`)
    await connection.run(REMOTE_TABLES)
    await connection.rows(
      `insert into metrics_record (layout, control_plane_id, epoch, writer, v) values ($1::bigint, $2, 0, '', 0)
       on conflict do nothing`,
      [LAYOUT, controlPlaneId],
    )
  })
}

export async function isMade(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<[string | null]>(`select to_regclass('metrics_record')::text`)
  return row?.[0] != null
}

/**
 * From now on nobody writes but who has this token. `epoch` is that of the control plane, which each leader takes anew in the
 * session that makes it the leader: whoever wakes up after another began is refused, and disturbs nobody.
 */
export async function claim(connection: Connection, token: string, epoch: number): Promise<void> {
  const [record] = await connection.rows<[number]>('select epoch from metrics_record')
  if (record && record[0] > epoch) throw new Deposed()
  // The one before may hang in the midst of a transaction.
  await connection.run(`select pg_terminate_backend(pid) from pg_locks
    where relation = 'metrics_record'::regclass and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()`)
  await connection.transaction(async () => {
    const claimed = await connection.rows(
      'update metrics_record set writer = $1, epoch = $2::bigint where epoch <= $2::bigint returning v',
      [token, epoch],
    )
    if (claimed.length === 0) throw new Deposed()
    await connection.rows(
      'insert into metrics_writers (token, from_v) select $1, v from metrics_record',
      [token],
    )
    await connection.rows(
      'delete from metrics_writers where n <= (select max(n) from metrics_writers) - $1::bigint',
      [WRITERS_KNOWN],
    )
  })
}

/** Throws RecordRefused when it is another control plane's, or of another layout. null: whosever it is. */
export async function readRecord(
  connection: Connection,
  controlPlaneId: string | null,
): Promise<MetricsRecord> {
  const [record] = await connection.rows<[layout: number, id: string, v: number]>(
    'select layout, control_plane_id, v from metrics_record',
  )
  if (!record) throw new RecordRefused('metrics_record in PostgreSQL has no row')
  const [layout, id, v] = record
  if (layout !== LAYOUT) {
    throw new RecordRefused(
      `The measurements in PostgreSQL were written by another version of Farmstead (layout ${layout}, this one reads ${LAYOUT}). Run that version, or drop the tables metrics_*: only past measurements are in them.`,
    )
  }
  if (controlPlaneId !== null && id !== controlPlaneId) {
    throw new RecordRefused(
      `The measurements in PostgreSQL are of another control plane (${id}, this one is ${controlPlaneId}). Drop the tables metrics_* if nobody needs them any more.`,
    )
  }
  const writers = await connection.rows<[string, number]>(
    'select token, from_v from metrics_writers order by n',
  )
  return { v, writers: writers.map(([token, fromV]) => ({ token, fromV })) }
}

/** Did the record look like that once? */
export function isCopyOf(
  { v, writers }: MetricsRecord,
  copy: { token: string; v: number },
): boolean {
  const at = writers.findIndex(({ token }) => token === copy.token)
  const [writer, next] = [writers[at], writers[at + 1]]
  return writer !== undefined && copy.v >= writer.fromV && copy.v <= (next?.fromV ?? v)
}

/** What a writer adds begins with it; null: another is the writer now, or this was not the last transaction. */
export async function goOn(connection: Connection, token: string, v: number): Promise<boolean> {
  const rows = await connection.rows(
    'update metrics_record set v = $1::bigint + 1 where writer = $2 and v = $1::bigint returning v',
    [v, token],
  )
  return rows.length === 1
}

/** null: another is the writer now. */
export async function writtenBy(connection: Connection, token: string): Promise<number | null> {
  const [row] = await connection.rows<[number]>('select v from metrics_record where writer = $1', [
    token,
  ])
  return row?.[0] ?? null
}
