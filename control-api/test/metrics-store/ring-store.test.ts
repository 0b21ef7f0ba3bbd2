// SPDX-License-Identifier: MIT
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeHistogram } from '../../src/histogram/encoding.ts'
import { quantile } from '../../src/histogram/histogram.ts'
import type { MetricsDb } from '../../src/metrics-store/metrics-db.ts'
import { asSeries, asSets, type SeriesQuery } from '../../src/metrics-store/node-series.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore, type RingStore } from '../../src/metrics-store/ring-store.ts'
import { planQuery, RINGS } from '../../src/metrics-store/rings.ts'
import { querySets } from '../../src/metrics-store/sets.ts'
import { FINEST } from '../../src/metrics-store/steps.ts'
import { gaugesOf, type PlacedWindow } from '../../src/metrics-store/windows.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'
import { makeQuickFolder } from '../quick-folder.ts'

let dir: string
let db: MetricsDb
let rings: RingStore
beforeEach(() => {
  dir = makeQuickFolder()
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
  return { plan, series: seriesOf({ ...plan, nodeIds: [NODE], stage: 'total' }) }
}

function seriesOf(query: SeriesQuery) {
  const parts = querySets(rings, asSets(query))
  let part = parts.next()
  while (!part.done) part = parts.next()
  const [series] = asSeries(query, part.value)
  if (!series) throw new Error('no series')
  return series
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

  it('counts windows that never came where the next one is, once, in every sum', () => {
    const lostIn = (nowMs: number, step: number) =>
      chart(T0, T0 + 60_000, step, nowMs).series.lostWindows.reduce((sum, lost) => sum + lost, 0)
    take([window(1, T0, [0.1])], T0)
    for (const _ of ['sent', 'sent again']) {
      take([window(4, T0 + 20_000, []), window(6, T0 + 30_000, [0.1])], T0 + 30_000)
    }
    take([window(7, T0 + 35_000, [0.1])], T0 + 35_000)
    const { series } = chart(T0, T0 + 40_000, 10, T0 + 40_000)
    expect(series.lostWindows).toEqual([0, 0, 3, 0])
    expect(series.coverage).toEqual([0.5, 0, 0.5, 1])
    expect(rings.totals()[0]?.counters).toMatchObject({ lostWindows: 3, requests: 3 })
    const later = T0 + 20 * 60_000
    while (rings.rollUp.some(later));
    expect([lostIn(later, 10), lostIn(later, 60)]).toEqual([3, 3])
  })

  it.each([
    ['a boot that is heard of from its beginning', 1, undefined, 0],
    ['a boot that lost its first ones', 9, 8, 8],
    ['a boot of which a file that is gone had some', 5_000, 3, 3],
    ['a node that says what cannot be', 2, 7, 1],
  ])('of %s', (_, first, lostWindows, lost) => {
    const windows = [window(first, T0, [0.1])]
    rings.takeAll([{ nodeId: NODE, bootId: 'boot', windows, nowMs: T0, lostWindows }])
    expect(chart(T0, T0 + 10_000, 10, T0).series.lostWindows).toEqual([lost])
  })

  it('has lost none of a node that numbers two windows alike', () => {
    take([window(1, T0, [0.1]), window(1, T0, [0.1]), window(2, T0, [0.1])], T0)
    expect(chart(T0, T0 + 10_000, 10, T0).series.lostWindows).toEqual([0])
  })

  it('of several nodes at once keeps what it can: what fails costs its own node an answer, and no other', () => {
    const of = (nodeId: string, seq: number) => {
      const windows = [window(seq, T0, [0.1])]
      return { nodeId, bootId: 'boot', windows, nowMs: T0 }
    }
    const nodes = ['node_a', 'node_b', 'node_c']
    rings.takeAll(nodes.map((id) => of(id, 1)))
    db.exec(`create trigger refuse before update on taken when new.node = 2
             begin select raise(abort, 'no more of node_b'); end`)
    expect(rings.takeAll(nodes.map((id) => of(id, 2)))).toEqual([
      { acknowledgedSeq: 2, previousSeq: 1 },
      { failed: 'no more of node_b' },
      { acknowledgedSeq: 2, previousSeq: 1 },
    ])
    expect(chart(T0, T0 + 10_000, 10, T0).series.count).toEqual([2])
    const seqs = db.prepare('select seq from taken order by node').pluck().all()
    expect(seqs).toEqual([2, 1, 2])
  })

  it('begins a step anew whose row the disk spoilt', () => {
    take([window(1, T0, [0.1])], T0)
    db.exec("update ring_10 set measured = x'07000100'")
    expect(take([window(2, T0, [0.1, 0.2])], T0)).toMatchObject({ acknowledgedSeq: 2 })
    expect(chart(T0, T0 + 10_000, 10, T0).series.count).toEqual([2])
  })

  it('keeps what the node had at the end of the last of them: sum, largest and how often', () => {
    const report = (seq: number, readQueue: number) => ({
      ...{ bootId: 'boot', uptimeMs: 5_000 },
      windows: [],
      gauges: { readQueue, openFiles: 0 },
      host: {
        ...{ loadAverage1m: 0.5, memoryTotalBytes: 8, memoryAvailableBytes: null },
        ...{ residentBytes: 7, openDescriptors: seq },
        roots: [
          { totalBytes: 100, freeBytes: 75 },
          { totalBytes: null, freeBytes: 1 },
          { totalBytes: 100, freeBytes: 10 },
        ],
      },
    })
    for (const [seq, readQueue] of [
      [1, 4],
      [2, 1],
    ] as const) {
      const gauges = gaugesOf(report(seq, readQueue))
      const windows = [window(seq, T0, [])]
      rings.takeAll([{ nodeId: NODE, bootId: 'boot', windows, nowMs: T0, gauges }])
    }
    const of = (sum: number, max: number) => ({ sum, max, count: 2 })
    expect(Object.fromEntries(rings.steps.read(1, FINEST, T0 / 1000)?.gauges ?? [])).toEqual({
      ...{ readQueue: of(5, 4), openFiles: of(0, 0), loadAverage1m: of(1, 0.5) },
      ...{ memoryTotalBytes: of(16, 8), residentBytes: of(14, 7), openDescriptors: of(3, 2) },
      diskUsedRatio: of(1.8, 0.9),
    })
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
    const row = rings.steps.read(rings.subjects.find(NODE) ?? 0, FINEST, T0 / 1000)
    expect([...(row?.series.keys() ?? [])]).toEqual([6, 7])
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
    while (rings.rollUp.some(nowMs + 60_000));
    const exact = quantile(histogramOf(all), 0.99)
    for (const ring of RINGS) {
      const plan = { fromSeconds: T0 / 1000, toSeconds: nowMs / 1000, stepSeconds: 1800 }
      const series = seriesOf({
        ...plan,
        resolutionSeconds: ring.resolutionSeconds,
        nodeIds: [NODE],
        stage: 'total',
      })
      expect(series.p99Seconds, `ring of ${ring.resolutionSeconds} s`).toEqual([exact])
      expect(series.count).toEqual([all.length])
      expect(series.coverage).toEqual([1])
    }
  })
})

describe('a chart of a coarse ring', () => {
  it('has what is not rolled up yet, once, whatever part of it is', () => {
    for (let i = 0; i < 200; i++) take([window(i + 1, T0 + i * 10_000, [0.1])], T0 + i * 10_000)
    const nowMs = T0 + 2_000_000
    for (let isMore = true; isMore; isMore = rings.rollUp.some(nowMs)) {
      for (const step of [60, 900]) {
        const { series } = chart(T0, nowMs, step, nowMs + 8 * DAY * (step / 900))
        const sum = series.count.reduce<number>((total, n) => total + (n ?? 0), 0)
        expect(sum, `steps of ${step} s`).toBe(200)
      }
    }
  })
})

describe('the rings', () => {
  const resolutions = () =>
    RINGS.map(({ resolutionSeconds }) => resolutionSeconds).filter(
      (resolution) => db.prepare(`select 1 from ring_${resolution}`).get() !== undefined,
    )

  /** As the store does: until there is no more. */
  function prune(nowMs: number): number {
    let parts = 0
    for (let last: number | null = 0; last !== null; parts++) last = rings.pruneSome(nowMs, last)
    return parts
  }
  const rollUp = (nowMs: number) => {
    while (rings.rollUp.some(nowMs));
  }

  it('are pruned some subjects at a time, and all of them', () => {
    const windows = [window(1, T0, [0.1])]
    const ids = Array.from({ length: 120 }, (_, i) => `node_${i}`)
    rings.takeAll(ids.map((nodeId) => ({ nodeId, bootId: 'boot', windows, nowMs: T0 })))
    rollUp(T0 + 3_600_000)
    expect(resolutions()).toEqual([10, 60, 900])
    expect(prune(T0 + 401 * DAY)).toBe(4)
    expect(resolutions()).toEqual([])
  })

  it('let go of what is too old, each at its own time, and of old boots', () => {
    take([window(1, T0, [0.1])], T0, 'old')
    take([window(1, T0, [0.1])], T0 + 1, 'new')
    rollUp(T0 + 3_600_000)
    prune(T0 + 5 * 3_600_000)
    expect(resolutions()).toEqual([10, 60, 900])
    prune(T0 + 7 * 3_600_000)
    expect(resolutions()).toEqual([60, 900])
    prune(T0 + 8 * DAY)
    expect(resolutions()).toEqual([900])
    expect(db.prepare('select boot_id from taken').all()).toEqual([{ boot_id: 'new' }])
    prune(T0 + 401 * DAY)
    expect(resolutions()).toEqual([])
  })

  it('keep what is not rolled up yet, however old it is', () => {
    take([window(1, T0, [0.1])], T0)
    prune(T0 + 7 * 3_600_000)
    expect(resolutions()).toEqual([10])
    rollUp(T0 + 7 * 3_600_000)
    prune(T0 + 7 * 3_600_000)
    expect(resolutions()).toEqual([60, 900])
  })

  it('keep a bounded number of counters, gauges and generations of a node that invents them', () => {
    for (let i = 0; i < 10; i++) {
      const invented = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`c${i}x${n}`, 1]))
      const series = Array.from({ length: 8 }, (_, g) => ({
        generation: 1 + i * 8 + g,
        counters: invented,
        stages: {},
      }))
      const windows = [{ seq: i + 1, endedAtMs: T0, durationMs: 5_000, series }]
      rings.takeAll([{ nodeId: NODE, bootId: 'boot', windows, nowMs: T0, gauges: invented }])
    }
    const row = rings.steps.read(1, FINEST, T0 / 1000)
    expect(row?.series.size).toBe(65)
    expect(row?.gauges.size).toBe(256)
    for (const { counters } of row?.series.values() ?? []) {
      expect(Object.keys(counters).length).toBeLessThanOrEqual(256)
    }
    expect(row?.series.get(0)?.counters.c9x0).toBe(8)
  })
})

describe('the file', () => {
  it('of the version before, with a row for each stage, is made into one of ours', () => {
    const path = join(dir, 'old.db')
    const old = new Sqlite(path)
    old.pragma('auto_vacuum = incremental')
    old.exec(`
      create table coverage (node_id text not null, resolution_s integer not null, step_s integer not null,
        covered_ms integer not null, primary key (node_id, resolution_s, step_s)) strict, without rowid;
      create table taken (node_id text not null, boot_id text not null, seq integer not null,
        taken_at_ms integer not null, primary key (node_id, boot_id)) strict, without rowid;
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
    old.prepare('insert into taken values (?, ?, 7, ?)').run(NODE, 'boot', T0)
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
    rings = createRingStore(db)
    const { series } = chart(T0, T0 + 10_000, 10, T0)
    expect([series.count, series.requestsPerSecond]).toEqual([[3], [0.3]])
    expect(series.p50Seconds).toEqual([quantile(histogramOf([...times]), 0.5)])
    take([window(7, T0, [0.1]), window(8, T0, [0.1])], T0)
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
