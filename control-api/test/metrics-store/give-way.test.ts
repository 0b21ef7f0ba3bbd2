// SPDX-License-Identifier: MIT
import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { giveWay } from '../../src/metrics-store/give-way.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore } from '../../src/metrics-store/ring-store.ts'
import { ringOf } from '../../src/metrics-store/rings.ts'
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
  while (farm.rings.rollUp.some(T0));
  farm.db.pragma('wal_checkpoint(truncate)')
  return farm
}
/** Starts of the oldest and newest step of the first node. */
function edges({ rings }: ReturnType<typeof filled>, resolutionSeconds: number) {
  const ring = ringOf({ resolutionSeconds })
  const span = { fromSeconds: T0 / 1000 - 7 * 3600, toSeconds: T0 / 1000 + 900 }
  const steps = [...rings.steps.of(1, ring, span)].map(({ step }) => step)
  return { oldest: steps[0] ?? Number.NaN, newest: steps.at(-1) }
}

describe('giving way', () => {
  it('lets the oldest go until enough is free, and the file is smaller by that', () => {
    const farm = filled()
    const { db, path, rings } = farm
    const before = statSync(path).size
    const finest = edges(farm, 10)
    const wantedBytes = 64 * KIB
    const freed = giveWay(db, rings, { wantedBytes, nowMs: T0 })
    expect(freed).toBeGreaterThanOrEqual(wantedBytes)
    expect(statSync(path).size).toBe(before - freed)
    expect(edges(farm, 10).oldest).toBeGreaterThan(finest.oldest)
    expect(edges(farm, 10).newest).toBe(finest.newest)
    expect(edges(farm, 10).oldest).toBeLessThan(T0 / 1000 - 3600)
  })

  it('keeps the last minutes and a coarse view, however much is wanted, and takes more afterwards', () => {
    const farm = filled()
    const { db, rings } = farm
    const coarsest = edges(farm, 900)
    giveWay(db, rings, { wantedBytes: Number.MAX_SAFE_INTEGER, nowMs: T0 })
    expect(edges(farm, 10)).toEqual({ oldest: T0 / 1000 - 660, newest: T0 / 1000 })
    expect(edges(farm, 900)).toEqual(coarsest)
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
