// SPDX-License-Identifier: MIT
// Opens metrics.db: large, replaceable, in a worker thread's hands alone. Losing its last seconds in a
// power cut, or all of it, loses no decision; so it is written without waiting for the disk.
import { renameSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { isDiskFull } from '../storage/disk-space.ts'
import { packEncoded } from './packed-stages.ts'
import type { StageName } from './windows.ts'

/**
 * Plain SQLite, without a builder of queries: there are ten of them, each prepared once, and the thread
 * starts in half the time.
 */
export type MetricsDb = Sqlite.Database

const VERSION = 2
const SERIES = `
  create table series (
    node_id text not null, resolution_s integer not null, step_s integer not null,
    generation integer not null,
    -- JSON object: sums by counter name.
    counters text not null,
    -- packed-stages.ts
    stages blob not null,
    primary key (node_id, resolution_s, step_s, generation)
  ) strict, without rowid;
`
const TABLES = `
  -- How much of a step the windows in it cover.
  create table coverage (
    node_id text not null, resolution_s integer not null, step_s integer not null,
    covered_ms integer not null,
    primary key (node_id, resolution_s, step_s)
  ) strict, without rowid;
${SERIES}
  -- The highest sequence number taken per boot: each window is counted once however often it is sent.
  create table taken (
    node_id text not null, boot_id text not null, seq integer not null, taken_at_ms integer not null,
    primary key (node_id, boot_id)
  ) strict, without rowid;
`

/** Measurements are not worth a service that does not start: a damaged file is set aside. */
export function openMetricsDb(path: string): MetricsDb {
  try {
    return openFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error
    for (const suffix of ['-wal', '-shm', '']) setAside(`${path}${suffix}`)
    return openFile(path)
  }
}

function setAside(path: string): void {
  try {
    renameSync(path, `${path}.damaged`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
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
    } else if (version === 1) {
      sqlite.transaction(() => {
        fromRowsOfStages(sqlite)
        sqlite.pragma(`user_version = ${VERSION}`)
      })()
    } else if (version !== VERSION) {
      throw new Error(
        `${path} was written by another version of Farmstead (layout ${version}, this one reads ${VERSION}). Run that version, or move the file away: only past measurements are in it.`,
      )
    }
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** Version 1 had a row for each stage of a step, and its counters in another table. */
function fromRowsOfStages(sqlite: MetricsDb): void {
  sqlite.exec(SERIES)
  sqlite.aggregate<unknown>('pack', {
    start: () => new Map<StageName, Uint8Array>(),
    step: (encoded, next) => {
      const [stage, hex] = String(next).split(' ') as [StageName, string]
      return (encoded as Map<StageName, Uint8Array>).set(stage, Buffer.from(hex, 'hex'))
    },
    result: (encoded) => Buffer.from(packEncoded(encoded as Map<StageName, Uint8Array>)),
  })
  sqlite.exec(`
    insert into series select node_id, resolution_s, step_s, generation, counters, (
      select pack(stage || ' ' || hex(histogram)) from histograms h
      where h.node_id = c.node_id and h.resolution_s = c.resolution_s and h.step_s = c.step_s
        and h.generation = c.generation
    ) from counters c;
    drop table counters;
    drop table histograms;
  `)
}

const INCREMENTAL = 2

/** A file that was made before is written anew, once; without the room for that it stays as it is. */
function beAbleToShrink(sqlite: MetricsDb): void {
  if (sqlite.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) return
  sqlite.pragma('auto_vacuum = incremental')
  try {
    sqlite.exec('vacuum')
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}
