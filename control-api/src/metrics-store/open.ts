// SPDX-License-Identifier: MIT
// Opens metrics.db: large, replaceable, in a worker thread's hands alone. Losing its last seconds in a
// power cut, or all of it, loses no decision; so it is written without waiting for the disk.
import { renameSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { isDiskFull } from '../storage/disk-space.ts'
import type { MetricsDb } from './metrics-db.ts'
import { fromRowsOfGenerations, fromRowsOfStages } from './old-layouts.ts'
import { SITE_TABLES } from './site-counts.ts'
import { SLOW_TABLES } from './slow-requests.ts'

const VERSION = 3
const TABLES = `
  -- What was measured in a step: steps.ts has their keys, packed-measured.ts what a row is.
  create table ring_10 (at integer primary key, measured blob not null) strict;
  create table ring_60 (at integer primary key, measured blob not null) strict;
  create table ring_900 (at integer primary key, measured blob not null) strict;
  -- Whom it was measured of: nodes, and sums of many.
  create table subjects (key integer primary key, id text not null unique) strict;
  -- Of counters and gauges.
  create table names (key integer primary key, name text not null unique) strict;
  -- Every step before it is rolled up.
  create table progress (resolution_s integer primary key, step_s integer not null) strict;
  -- The highest sequence number taken per boot: each window is counted once however often it is sent.
  create table taken (
    node integer not null, boot_id text not null, seq integer not null, taken_at_ms integer not null,
    primary key (node, boot_id)
  ) strict, without rowid;
`

/** Measurements are not worth a service that does not start: a damaged file is set aside. */
export function openMetricsDb(path: string): MetricsDb {
  try {
    return openFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error
    setAside(path, 'damaged')
    return openFile(path)
  }
}

/** As it is at this moment, and stays while it is read. It must be closed before the file is rebuilt (give-way.ts). */
export const openToRead = (path: string): MetricsDb => new Sqlite(path, { readonly: true })

const SUFFIXES = ['-wal', '-shm', '']

/** Its name says why. One that was set aside for that before is gone. */
export function setAside(path: string, why: 'damaged' | 'replaced'): void {
  for (const suffix of SUFFIXES) {
    try {
      renameSync(`${path}${suffix}`, `${path}${suffix}.${why}`)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}

/** All of it is elsewhere. */
export function removeMetricsDb(path: string): void {
  for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true })
}

function openFile(path: string): MetricsDb {
  const sqlite = new Sqlite(path)
  try {
    beAbleToShrink(sqlite)
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('synchronous = NORMAL')
    const version = sqlite.pragma('user_version', { simple: true })
    if (version === 0) {
      sqlite.transaction(() => {
        sqlite.exec(TABLES)
        sqlite.pragma(`user_version = ${VERSION}`)
      })()
    } else if (version === 1 || version === 2) {
      sqlite.transaction(() => {
        if (version === 1) fromRowsOfStages(sqlite)
        sqlite.exec('alter table taken rename to old_taken')
        sqlite.exec(TABLES)
        fromRowsOfGenerations(sqlite)
        sqlite.pragma(`user_version = ${VERSION}`)
      })()
    } else if (version !== VERSION) {
      throw new Error(
        `${path} was written by another version of Farmstead (layout ${version}, this one reads ${VERSION}). Run that version, or move the file away: only past measurements are in it.`,
      )
    }
    // Came later, and versions before them pass over them.
    sqlite.exec(SLOW_TABLES)
    sqlite.exec(SITE_TABLES)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

const INCREMENTAL = 2

/** A file with tables of before is written anew, once; without the room for that it stays as it is. */
function beAbleToShrink(sqlite: MetricsDb): void {
  if (sqlite.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) return
  sqlite.pragma('auto_vacuum = incremental')
  if (sqlite.pragma('schema_version', { simple: true }) === 0) return
  try {
    sqlite.exec('vacuum')
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}
