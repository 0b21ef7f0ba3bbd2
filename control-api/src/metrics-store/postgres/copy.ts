// SPDX-License-Identifier: MIT
// Opens metrics.db as a copy of PostgreSQL's record, and brings it up to date as far as a service needs to begin: whom things
// are of, what was taken, and what changed since the copy was made. What it never had comes later (read.ts, readOlder).
import type { MetricsDb } from '../metrics-db.ts'
import { openMetricsDb, setAside } from '../open.ts'
import { type Connection, connect } from './connection.ts'
import { createJournal, type Journal } from './journal.ts'
import { readChanges, readOlder } from './read.ts'
import { isCopyOf, isMade, type MetricsRecord, readRecord } from './record.ts'

export type RecordPlace = { url: string; controlPlaneId: string }
export type Copy = { db: MetricsDb; journal: Journal; v: number }

/** `isWriter`: nobody else writes, and what was not sent can be as long as nobody did meanwhile. */
export async function openCopy(
  path: string,
  connection: Connection,
  { controlPlaneId, isWriter }: { controlPlaneId: string; isWriter: boolean },
): Promise<Copy> {
  return await connection.transaction(async () => {
    const record = await readRecord(connection, controlPlaneId)
    const { db, journal } = openOwn(path, record)
    const known = journal.copyOf()
    const token = record.writers.at(-1)?.token ?? ''
    try {
      const canSend = isWriter && known?.v === record.v && !known.isUndoing
      if (!canSend) {
        if (!known && record.v > 0) journal.readAll()
        if (known || record.v > 0) {
          await readChanges({ db, journal, connection }, known?.v ?? record.v)
        } else journal.sendAll()
      }
      journal.setCopy(token, record.v)
      return { db, journal, v: record.v }
    } catch (error) {
      db.close()
      throw error
    }
  }, 'read only')
}

/** One that is of another record, or of none while there is one, is set aside: the numbers of its nodes are others'. */
function openOwn(path: string, record: MetricsRecord): Omit<Copy, 'v'> {
  const db = openMetricsDb(path)
  const journal = createJournal(db)
  const copy = journal.copyOf()
  const isOwn = copy ? isCopyOf(record, copy) : record.v === 0 || isEmpty(db)
  if (isOwn) return { db, journal }
  db.close()
  setAside(path, 'replaced')
  const anew = openMetricsDb(path)
  return { db: anew, journal: createJournal(anew) }
}

const isEmpty = (db: MetricsDb): boolean => db.prepare('select 1 from subjects').get() === undefined

/** What a replica that is not the leader does now and then, so that it has nearly all when it is. */
export async function catchUp(path: string, { url, controlPlaneId }: RecordPlace): Promise<void> {
  const connection = await connect(url)
  try {
    if (!(await isMade(connection))) return
    // Nobody has written yet: what is here may be what the first leader sends.
    if ((await readRecord(connection, controlPlaneId)).v === 0) return
    const { db, journal } = await openCopy(path, connection, { controlPlaneId, isWriter: false })
    try {
      while (await readOlder({ db, journal, connection }));
    } finally {
      db.close()
    }
  } finally {
    await connection.end()
  }
}
