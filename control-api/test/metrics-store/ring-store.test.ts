// SPDX-License-Identifier: MIT
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeHistogram } from '../../src/histogram/encoding.ts'
import { quantile } from '../../src/histogram/histogram.ts'
import { type MetricsDb, openMetricsDb } from '../../src/metrics-store/open.ts'
import { createSeriesQuery } from '../../src/metrics-store/query.ts'
import { createRingStore, type RingStore } from '../../src/metrics-store/ring-store.ts'
import { planQuery, RINGS } from '../../src/metrics-store/rings.ts'
import type { PlacedWindow } from '../../src/metrics-store/windows.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'

let dir: string
let db: MetricsDb
let rings: RingStore
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farmstead-metrics-'))
  db = openMetricsDb(join(dir, 'metrics.db'))
  rings = createRingStore(db)
})
afterEach(() => {
  db.close()
  rmSync(dir, { recursive: true, force: true })
})

const T0 = 1_800_000_000_000
const NODE = 'node_a'
const DAY = 86_400_000

function window(seq: number, endedAtMs: number, seconds: number[], generation = 1): PlacedWindow {
  const counters = { requests: seconds.length, bytesSent: seconds.length * 1000, responses5xx: 1 }
  const series = { generation, counters, stages: { total: histogramOf(seconds) } }
  return { seq, endedAtMs, durationMs: 5_000, series: seconds.length > 0 ? [series] : [] }
}
const take = (windows: PlacedWindow[], nowMs: number, bootId = 'boot') =>
  rings.takeAll([{ nodeId: NODE, bootId, windows, nowMs }])[0]

function chart(fromMs: number, toMs: number, step: number | null, nowMs: number) {
  const range = { fromSeconds: fromMs / 1000, toSeconds: toMs / 1000 }
  const plan = planQuery(range, step, nowMs / 1000)
  const [series] = createSeriesQuery(db)({ ...plan, nodeIds: [NODE], stage: 'total' })
  if (!series) throw new Error('no series')
  return { plan, series }
}

describe('taking windows', () => {
  it('counts each once, however often and in whatever company it is sent', () => {
    const [a, b, c] = [window(1, T0, [0.1]), window(2, T0, [0.1]), window(3, T0, [0.1])]
    expect(take([a], T0)).toEqual({ acknowledgedSeq: 1, previousSeq: 0 })
    expect(take([a], T0)).toEqual({ acknowledgedSeq: 1, previousSeq: 1 })
    expect(take([a, b], T0)).toEqual({ acknowledgedSeq: 2, previousSeq: 1 })
    expect(take([], T0)).toEqual({ acknowledgedSeq: 2, previousSeq: 2 })
    for (const windows of [[b, c], [b, c], [c]]) take(windows, T0)
    const { series } = chart(T0, T0 + 10_000, 10, T0)
    expect(series.count).toEqual([3])
  })

  it('of several nodes at once keeps what it can: a damaged row costs its own node an answer, and no other', () => {
    const of = (nodeId: string, seq: number) => {
      const windows = [window(seq, T0, [0.1])]
      return { nodeId, bootId: 'boot', windows, nowMs: T0 }
    }
    const nodes = ['node_a', 'node_b', 'node_c']
    rings.takeAll(nodes.map((id) => of(id, 1)))
    db.prepare("update series set stages = x'07000100' where node_id = 'node_b'").run()
    expect(rings.takeAll(nodes.map((id) => of(id, 2)))).toEqual([
      { acknowledgedSeq: 2, previousSeq: 1 },
      { failed: 'stored histogram has format 0, expected 1' },
      { acknowledgedSeq: 2, previousSeq: 1 },
    ])
    expect(chart(T0, T0 + 10_000, 10, T0).series.count).toEqual([2])
    const seqs = db.prepare('select seq from taken order by node_id').pluck().all()
    expect(seqs).toEqual([2, 1, 2])
  })

  it('counts from 1 again after the serving process started anew', () => {
    take([window(1, T0, [0.1]), window(2, T0, [0.1])], T0, 'first')
    expect(take([window(1, T0, [0.1])], T0, 'second')).toMatchObject({ acknowledgedSeq: 1 })
    expect(take([window(2, T0, [0.1])], T0, 'first')).toMatchObject({ acknowledgedSeq: 2 })
    const { series } = chart(T0, T0 + 10_000, 10, T0)
    expect(series.count).toEqual([3])
  })

  it('goes on where it was after the file was closed', () => {
    take([window(1, T0, [0.1])], T0)
    db.close()
    db = openMetricsDb(join(dir, 'metrics.db'))
    rings = createRingStore(db)
    expect(take([window(1, T0, [0.1])], T0)).toEqual({ acknowledgedSeq: 1, previousSeq: 1 })
  })
})

describe('a chart', () => {
  it('has gaps where no window ended and zeros where nobody asked for anything', () => {
    take([window(1, T0 + 1_000, [0.1, 0.3]), window(2, T0 + 6_000, [])], T0 + 7_000)
    take([window(3, T0 + 21_000, [])], T0 + 22_000)
    const { series } = chart(T0, T0 + 30_000, 10, T0 + 30_000)
    expect(series.coverage).toEqual([1, 0, 0.5])
    expect(series.count).toEqual([2, null, 0])
    expect(series.requestsPerSecond).toEqual([0.2, null, 0])
    expect(series.bytesPerSecond).toEqual([200, null, 0])
    expect(series.errorRatio).toEqual([0.5, null, null])
    expect(series.maxSeconds).toEqual([0.3, null, null])
    expect(series.p99Seconds.map((p) => p === null)).toEqual([false, true, true])
  })

  it('puts a window of a node that was cut off where it happened, not where it arrived', () => {
    take([window(1, T0 + 1_000, [0.1])], T0 + 600_000)
    const { series } = chart(T0, T0 + 10_000, 10, T0 + 600_000)
    expect(series.count).toEqual([1])
  })

  it('merges requests of all generations in a step', () => {
    take([window(1, T0, [0.1], 6), window(2, T0, [0.2, 0.2], 7)], T0)
    const { series } = chart(T0, T0 + 10_000, 10, T0)
    expect(series.count).toEqual([3])
    expect(db.prepare('select distinct generation from series').all()).toHaveLength(2)
  })

  it('reads the same percentiles from every ring: merged, never averaged', () => {
    const random = seededRandom(7)
    const all: number[] = []
    let seq = 0
    for (let at = T0; at < T0 + 1_800_000; at += 5_000) {
      // Most windows are fast and thin, one in twenty is slow and thick: averages would be wrong.
      const slow = random() < 0.05
      const values = Array.from(
        { length: slow ? 200 : 10 },
        () => (slow ? 1 : 0.001) * (1 + random()),
      )
      all.push(...values)
      take([window(++seq, at, values)], at)
    }
    const nowMs = T0 + 1_800_000
    const exact = quantile(histogramOf(all), 0.99)
    for (const ring of RINGS) {
      const plan = { fromSeconds: T0 / 1000, toSeconds: nowMs / 1000, stepSeconds: 1800 }
      const [series] = createSeriesQuery(db)({
        ...plan,
        resolutionSeconds: ring.resolutionSeconds,
        nodeIds: [NODE],
        stage: 'total',
      })
      expect(series?.p99Seconds, `ring of ${ring.resolutionSeconds} s`).toEqual([exact])
      expect(series?.count).toEqual([all.length])
      expect(series?.coverage).toEqual([1])
    }
  })
})

describe('the rings', () => {
  const resolutions = () =>
    db.prepare('select distinct resolution_s from series order by resolution_s').pluck().all()

  /** As the store does: until there is no more. */
  function prune(nowMs: number): number {
    let parts = 0
    for (let last: string | null = ''; last !== null; parts++) last = rings.pruneSome(nowMs, last)
    return parts
  }

  it('are pruned some nodes at a time, and all of them', () => {
    const windows = [window(1, T0, [0.1])]
    const ids = Array.from({ length: 120 }, (_, i) => `node_${i}`)
    rings.takeAll(ids.map((nodeId) => ({ nodeId, bootId: 'boot', windows, nowMs: T0 })))
    expect(prune(T0 + 401 * DAY)).toBe(4)
    expect(resolutions()).toEqual([])
  })

  it('let go of what is too old, each at its own time, and of old boots', () => {
    take([window(1, T0, [0.1])], T0, 'old')
    take([window(1, T0, [0.1])], T0 + 1, 'new')
    prune(T0 + 5 * 3_600_000)
    expect(resolutions()).toEqual([10, 60, 900])
    prune(T0 + 7 * 3_600_000)
    expect(resolutions()).toEqual([60, 900])
    prune(T0 + 8 * DAY)
    expect(resolutions()).toEqual([900])
    expect(db.prepare('select boot_id from taken').all()).toEqual([{ boot_id: 'new' }])
    prune(T0 + 401 * DAY)
    expect(resolutions()).toEqual([])
    expect(db.prepare('select * from coverage').all()).toEqual([])
    expect(db.prepare('select * from series').all()).toEqual([])
  })

  it('keep a bounded number of counters of a node that invents names', () => {
    for (let i = 0; i < 10; i++) {
      const counters = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`c${i}x${n}`, 1]))
      const series = [{ generation: 1, counters, stages: {} }]
      take([{ seq: i + 1, endedAtMs: T0, durationMs: 5_000, series }], T0)
    }
    const rows = db.prepare<[], string>('select counters from series').pluck().all()
    for (const row of rows) expect(Object.keys(JSON.parse(row)).length).toBeLessThanOrEqual(256)
  })
})

describe('the file', () => {
  it('of the version before, with a row for each stage, is made into one of ours', () => {
    const path = join(dir, 'old.db')
    const old = openMetricsDb(path)
    old.exec(`
      drop table series;
      create table counters (node_id text not null, resolution_s integer not null, step_s integer not null,
        generation integer not null, counters text not null,
        primary key (node_id, resolution_s, step_s, generation)) strict, without rowid;
      create table histograms (node_id text not null, resolution_s integer not null, step_s integer not null,
        generation integer not null, stage text not null, histogram blob not null,
        primary key (node_id, resolution_s, step_s, generation, stage)) strict, without rowid;
    `)
    old.pragma('user_version = 1')
    const [start, times] = [T0 / 1000, [0.1, 0.2, 0.4]]
    old.prepare('insert into coverage values (?, 10, ?, 10000)').run(NODE, start)
    old.prepare('insert into counters values (?, 10, ?, 1, ?)').run(NODE, start, '{"requests":3}')
    // A quiet step has counters alone.
    old.prepare('insert into counters values (?, 10, ?, 2, ?)').run(NODE, start, '{"requests":0}')
    for (const [stage, seconds] of [
      ['total', times],
      ['firstByte', [0.3]],
    ] as const) {
      const encoded = encodeHistogram(histogramOf([...seconds]))
      old
        .prepare('insert into histograms values (?, 10, ?, 1, ?, ?)')
        .run(NODE, start, stage, encoded)
    }
    old.close()

    db.close()
    db = openMetricsDb(path)
    const { series } = chart(T0, T0 + 10_000, 10, T0)
    expect([series.count, series.requestsPerSecond]).toEqual([[3], [0.3]])
    expect(series.p50Seconds).toEqual([quantile(histogramOf([...times]), 0.5)])
    rings = createRingStore(db)
    take([window(1, T0, [0.1])], T0)
    expect(chart(T0, T0 + 10_000, 10, T0).series.count).toEqual([4])
  })

  it('is set aside and begun anew when it is damaged', () => {
    const path = join(dir, 'damaged.db')
    writeFileSync(path, 'this is not a database, and long enough to look like one '.repeat(100))
    const fresh = openMetricsDb(path)
    expect(fresh.prepare('select * from taken').all()).toEqual([])
    fresh.close()
    expect(readdirSync(dir)).toContain('damaged.db.damaged')
  })
})
