// SPDX-License-Identifier: MIT
import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { giveWay } from '../../src/metrics-store/give-way.ts'
import { type MetricsDb, openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore } from '../../src/metrics-store/ring-store.ts'
import { tempDir } from '../helper.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'

const T0 = 1_800_000_000_000
const HOUR_MS = 3_600_000
const EVERY_MS = 30_000
const KIB = 1024

function opened(path = join(tempDir(), 'metrics.db')) {
  const db = openMetricsDb(path)
  onTestFinished(() => {
    db.close()
  })
  return { db, path, rings: createRingStore(db) }
}

/** Six hours of two nodes. */
function filled() {
  const farm = opened()
  const random = seededRandom(1)
  for (const nodeId of ['node_a', 'node_b']) {
    const windows = Array.from({ length: (6 * HOUR_MS) / EVERY_MS }, (_, i) => ({
      seq: i + 1,
      endedAtMs: T0 - 6 * HOUR_MS + (i + 1) * EVERY_MS,
      durationMs: EVERY_MS,
      series: [
        {
          generation: 1,
          counters: { requests: 20 },
          stages: { total: histogramOf(Array.from({ length: 20 }, random)) },
        },
      ],
    }))
    farm.rings.takeAll([{ nodeId, bootId: 'boot', windows, nowMs: T0 }])
  }
  farm.db.pragma('wal_checkpoint(truncate)')
  return farm
}
const edges = (db: MetricsDb, resolution: number) =>
  db
    .prepare<[number], { oldest: number; newest: number }>(
      'select min(step_s) as oldest, max(step_s) as newest from series where resolution_s = ?',
    )
    .get(resolution)

describe('giving way', () => {
  it('lets the oldest go until enough is free, and the file is smaller by that', () => {
    const { db, path, rings } = filled()
    const before = statSync(path).size
    const finest = edges(db, 10)
    const wantedBytes = 64 * KIB
    const freed = giveWay(db, rings, { wantedBytes, nowMs: T0 })
    expect(freed).toBeGreaterThanOrEqual(wantedBytes)
    expect(statSync(path).size).toBe(before - freed)
    expect(edges(db, 10)?.oldest).toBeGreaterThan(finest?.oldest ?? 0)
    expect(edges(db, 10)?.newest).toBe(finest?.newest)
    expect(edges(db, 10)?.oldest).toBeLessThan(T0 / 1000 - 3600)
  })

  it('keeps the last minutes and a coarse view, however much is wanted, and takes more afterwards', () => {
    const { db, rings } = filled()
    const coarsest = edges(db, 900)
    giveWay(db, rings, { wantedBytes: Number.MAX_SAFE_INTEGER, nowMs: T0 })
    expect(edges(db, 10)).toEqual({ oldest: T0 / 1000 - 660, newest: T0 / 1000 })
    expect(edges(db, 900)).toEqual(coarsest)
    expect(giveWay(db, rings, { wantedBytes: 1, nowMs: T0 })).toBe(0)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    const taken = { nodeId: 'node_a', bootId: 'boot', nowMs: T0 }
    const window = { seq: 9_999, endedAtMs: T0, durationMs: 5_000, series: [] }
    expect(rings.takeAll([{ ...taken, windows: [window] }])).toMatchObject([
      { acknowledgedSeq: 9_999 },
    ])
  })

  it('works on a file that was made before files could shrink', () => {
    const { db, path } = filled()
    db.pragma('auto_vacuum = none')
    db.exec('vacuum')
    db.close()
    const reader = new Sqlite(path)
    expect(reader.pragma('auto_vacuum', { simple: true })).toBe(0)
    reader.close()
    const again = opened(path)
    expect(giveWay(again.db, again.rings, { wantedBytes: 64 * KIB, nowMs: T0 })).toBeGreaterThan(0)
  })
})
