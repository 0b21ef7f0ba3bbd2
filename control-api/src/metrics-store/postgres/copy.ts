// SPDX-License-Identifier: MIT
// Opens metrics.db as a copy of PostgreSQL's record, and brings it up to date as far as a service needs to begin: whom things
// are of, what was taken, and what changed since the copy was made. What it never had comes later (read.ts, readOlder).
import type { MetricsDb } from '../metrics-db.ts'
import { openMetricsDb, removeMetricsDb, setAside } from '../open.ts'
import { createRingStore } from '../ring-store.ts'
import { FINEST } from '../steps.ts'
import { type Connection, connect } from './connection.ts'
import { createJournal, type Journal } from './journal.ts'
import { type Reading, readChanges, readOlder } from './read.ts'
import { isCopyOf, isMade, type MetricsRecord, readRecord } from './record.ts'

export type RecordPlace = { url: string; controlPlaneId: string }
/** `epoch`: of the control plane since it leads. */
export type WritersPlace = RecordPlace & { epoch: number }
/** A thousand nodes write a hundred thousand rows meanwhile: some seconds to read. */
const MOST_BEHIND_SECONDS = 15 * 60
export type Copy = { db: MetricsDb; journal: Journal; v: number }

/** `isWriter`: nobody else writes, and what was not sent can be as long as nobody did meanwhile. */
export async function openCopy(
  path: string,
  connection: Connection,
  { controlPlaneId, isWriter }: { controlPlaneId: string | null; isWriter: boolean },
): Promise<Copy> {
  return await connection.transaction(async () => {
    const record = await readRecord(connection, controlPlaneId)
    const { db, journal } = await openOwn(path, record, connection)
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
async function openOwn(
  path: string,
  record: MetricsRecord,
  connection: Connection,
): Promise<Omit<Copy, 'v'>> {
  const db = openMetricsDb(path)
  const journal = createJournal(db)
  const copy = journal.copyOf()
  const isOwn = copy ? isCopyOf(record, copy) : record.v === 0 || isEmpty(db)
  const isOutdated = isOwn && copy !== null && (await lacksMuch({ db, journal, connection }))
  if (isOwn && !isOutdated) return { db, journal }
  db.close()
  if (isOutdated) removeMetricsDb(path)
  else setAside(path, 'replaced')
  const anew = openMetricsDb(path)
  return { db: anew, journal: createJournal(anew) }
}

/**
 * Nothing is taken before all that is new is here. Of a new file that is the newest, and the rest comes by and by; what is
 * in no other place than here is not thrown away for it.
 */
async function lacksMuch({ db, journal, connection }: Reading): Promise<boolean> {
  if (journal.hasToSend()) return false
  const [made] = await connection.rows<[number]>(
    'select step_s from metrics_progress where resolution_s = $1::bigint',
    [FINEST.resolutionSeconds],
  )
  const here = db
    .prepare<[number], number>('select step_s from progress where resolution_s = ?')
    .pluck()
    .get(FINEST.resolutionSeconds)
  return made !== undefined && made[0] - (here ?? 0) > MOST_BEHIND_SECONDS
}

const isEmpty = (db: MetricsDb): boolean => db.prepare('select 1 from subjects').get() === undefined

/** What a replica that is not the leader does now and then, so that it has nearly all when it is. */
export async function catchUp(path: string, url: string, nowMs: number): Promise<void> {
  const connection = await connect(url)
  try {
    if (!(await isMade(connection))) return
    // Nobody has written yet: what is here may be what the first leader sends.
    if ((await readRecord(connection, null)).v === 0) return
    const { db, journal } = await openCopy(path, connection, {
      controlPlaneId: null,
      isWriter: false,
    })
    try {
      while (await readOlder({ db, journal, connection }));
      const rings = createRingStore(db)
      for (let after: number | null = 0; after !== null; ) after = rings.pruneSome(nowMs, after)
    } finally {
      db.close()
    }
  } finally {
    await connection.end()
  }
}
