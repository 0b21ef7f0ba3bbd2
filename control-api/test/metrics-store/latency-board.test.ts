// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/base/seeded-random.ts'
import {
  emptyHistogram,
  type Histogram,
  MAX_BUCKETS,
  MIN_INDEX,
  mergeHistograms,
  quantile,
} from '../../src/histogram/histogram.ts'
import { createLatencyBoard } from '../../src/metrics-store/latency-board.ts'
import type { PlacedWindow, Series, StageName } from '../../src/metrics-store/windows.ts'
import { histogramOf } from '../histogram-of.ts'

const T0 = 1_800_000_000_000
const STAGES: StageName[] = ['firstByte', 'total', 'readWait', 'handshake']
type Random = () => number

const upTo = (random: Random, n: number) => Math.floor(random() * n)

function someHistogram(random: Random): Histogram {
  const values = Array.from({ length: upTo(random, 40) }, () => 2 ** (random() * 34 - 24))
  return random() < 0.1 ? emptyHistogram() : histogramOf(values)
}

function someWindow(random: Random, seq: number, endedAtMs: number): PlacedWindow {
  const series: Series[] = Array.from({ length: 1 + upTo(random, 2) }, (_, generation) => ({
    generation,
    counters: { requests: upTo(random, 100), responses5xx: upTo(random, 5) },
    stages: Object.fromEntries(
      STAGES.filter(() => random() < 0.8).map((stage) => [stage, someHistogram(random)]),
    ),
  }))
  return { seq, endedAtMs, durationMs: 5_000, series }
}

/** From the windows as they were told. */
function expected(windows: readonly PlacedWindow[], nowMs: number) {
  const within = windows.filter((w) => w.endedAtMs > nowMs - 60_000 && w.endedAtMs <= nowMs)
  if (within.length === 0) return null
  const all = within.flatMap(({ series }) => series)
  const merged = (stage: StageName) =>
    all.map(({ stages }) => stages[stage] ?? emptyHistogram()).reduce(mergeHistograms)
  const sum = (name: string) => all.reduce((n, { counters }) => n + (counters[name] ?? 0), 0)
  return {
    requests: merged('total').count,
    p50Seconds: quantile(merged('total'), 0.5),
    p99Seconds: quantile(merged('total'), 0.99),
    readWaitP99Seconds: quantile(merged('readWait'), 0.99),
    errorRatio: sum('requests') > 0 ? sum('responses5xx') / sum('requests') : null,
  }
}

describe('the last two minutes in memory', () => {
  it('say what the windows themselves say, late and out of order as they come', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = seededRandom(seed)
      const board = createLatencyBoard()
      const told: PlacedWindow[] = []
      for (let report = 0; report < 12; report++) {
        const nowMs = T0 + report * 10_000
        const windows = Array.from({ length: upTo(random, 4) }, (_, i) =>
          someWindow(random, report * 4 + i + 1, nowMs - upTo(random, 150_000) + 5_000),
        )
        told.push(...windows)
        board.add('node_a', windows, nowMs)
        // What had not ended by our clock when it came is not kept.
        const kept = told.filter((w) => w.endedAtMs <= nowMs || !windows.includes(w))
        told.splice(0, told.length, ...kept)
        const summary = board.summary('node_a', 60, nowMs)
        const wanted = expected(told, nowMs)
        if (wanted) expect(summary, `seed ${seed}`).toMatchObject(wanted)
        else expect(summary, `seed ${seed}`).toBeNull()
        expect(board.isHeard('node_a', 60, nowMs)).toBe(wanted !== null)
      }
      const nowMs = T0 + 110_000
      const samples = board.samples('node_a', nowMs - 120_000, nowMs)
      const series = told
        .filter((w) => w.endedAtMs > nowMs - 120_000)
        .flatMap((w) => w.series.map((one) => ({ ...one, endedAtMs: w.endedAtMs })))
      expect(samples).toHaveLength(series.length)
      for (const [i, { counters, endedAtMs, generation, stages }] of series.entries()) {
        expect(samples[i]).toMatchObject({ nodeId: 'node_a', counters, endedAtMs, generation })
        for (const stage of STAGES) {
          const sample = samples[i]?.stages[stage as 'total']
          expect(sample ?? emptyHistogram(), `seed ${seed}, ${stage}`).toEqual(
            stages[stage] ?? emptyHistogram(),
          )
        }
      }
    }
  })

  it('keep the largest histogram that a node may send', () => {
    const most = 2 ** 45
    const counts = Array.from({ length: MAX_BUCKETS }, () => most)
    const count = most * MAX_BUCKETS + 1
    const total = {
      ...{ count, zeroCount: 1, sumSeconds: 1e300, maxSeconds: 1e9 },
      ...{ offset: MIN_INDEX, counts },
    }
    expect(Number.isSafeInteger(count)).toBe(true)
    const stages = { firstByte: total, total, readWait: total, handshake: total }
    const series = [{ generation: 7, counters: {}, stages }]
    const board = createLatencyBoard()
    board.add('node_a', [{ seq: 1, endedAtMs: T0, durationMs: 1, series }], T0)
    expect(board.samples('node_a', T0 - 1, T0)[0]?.stages.handshake).toEqual(total)
  })
})
