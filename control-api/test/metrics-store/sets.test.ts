// SPDX-License-Identifier: MIT
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quantile } from '../../src/histogram/histogram.ts'
import { compareSets } from '../../src/metrics-store/compare.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore, type RingStore } from '../../src/metrics-store/ring-store.ts'
import { planQuery } from '../../src/metrics-store/rings.ts'
import {
  type AskedSet,
  queryHeatmap,
  querySets,
  type Wanted,
} from '../../src/metrics-store/sets.ts'
import { FARM } from '../../src/metrics-store/subjects.ts'
import { topOf } from '../../src/metrics-store/top.ts'
import type { Measure } from '../../src/metrics-store/values.ts'
import type { Counters, Stages } from '../../src/metrics-store/windows.ts'
import { tempDir } from '../helper.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'

const T0 = 1_800_000_000_000

function opened(): RingStore {
  const db = openMetricsDb(join(tempDir(), 'metrics.db'))
  onTestFinished(() => {
    db.close()
  })
  return createRingStore(db)
}

function whole<T>(parts: Generator<void, T>) {
  for (let turns = 1; ; turns++) {
    const part = parts.next()
    if (part.done) return { answer: part.value, turns }
  }
}
const plan = (seconds: number, stepSeconds: number) =>
  planQuery(
    { fromSeconds: T0 / 1000, toSeconds: T0 / 1000 + seconds },
    stepSeconds,
    T0 / 1000 + seconds,
  )
const all = (...ids: string[]): AskedSet => ids.map((id) => ({ id, generation: null }))
const WANTED: Wanted = {
  stages: ['total', 'read'],
  quantiles: [0.5, 0.99],
  counters: ['requests', 'aborted'],
  gauges: ['readQueue'],
}

/** Three nodes, a window of ten seconds each for a minute; what they measured, raw. */
function measured(rings: RingStore) {
  const random = seededRandom(3)
  const raw: { node: string; step: number; generation: number; seconds: number[] }[] = []
  for (let step = 0; step < 6; step++) {
    for (const [i, node] of ['node_a', 'node_b', 'node_c'].entries()) {
      const generation = step < 3 ? 1 : 2
      const seconds = Array.from({ length: 40 + 30 * i }, () => 10 ** (-4 + 3 * random()))
      raw.push({ node, step, generation, seconds })
      const stages = { total: histogramOf(seconds), read: histogramOf(seconds.slice(0, 5)) }
      const counters = { requests: seconds.length }
      const endedAtMs = T0 + step * 10_000 + 5_000
      const series = [{ generation, counters, stages }]
      rings.takeAll([
        {
          ...{
            nodeId: node,
            bootId: 'boot',
            nowMs: endedAtMs,
            gauges: { readQueue: step * (i + 1) },
          },
          windows: [{ seq: step + 1, endedAtMs, durationMs: 10_000, series }],
        },
      ])
    }
  }
  return raw
}

describe('a question about sets', () => {
  it('of nodes together gives the quantiles of all their requests, within half a bucket of the exact ones', () => {
    const rings = opened()
    const raw = measured(rings)
    const query = { ...plan(60, 10), sets: [all('node_a', 'node_c')], wanted: WANTED }
    const [set] = whole(querySets(rings, query)).answer
    for (let step = 0; step < 6; step++) {
      const seconds = raw
        .filter((one) => one.step === step && one.node !== 'node_b')
        .flatMap((one) => one.seconds)
        .sort((a, b) => a - b)
      expect(set?.stages.total?.count[step]).toBe(seconds.length)
      expect(set?.stages.total?.maxSeconds[step]).toBe(seconds.at(-1))
      expect(set?.stages.total?.sumSeconds[step]).toBeCloseTo(
        seconds.reduce((sum, n) => sum + n, 0),
        9,
      )
      for (const [i, q] of WANTED.quantiles.entries()) {
        const got = set?.stages.total?.quantiles[i]?.[step] ?? Number.NaN
        const exact = seconds[Math.ceil(q * seconds.length) - 1] ?? Number.NaN
        expect(Math.abs(got / exact - 1)).toBeLessThanOrEqual(2 ** (1 / 16) - 1 + 1e-9)
        expect(got).toBe(quantile(histogramOf(seconds), q))
      }
      expect(set?.stages.read?.count[step]).toBe(10)
    }
    expect(set?.nodes).toEqual([2, 2, 2, 2, 2, 2])
    expect(set?.counters).toEqual({
      requests: [140, 140, 140, 140, 140, 140],
      aborted: [0, 0, 0, 0, 0, 0],
    })
    expect(set?.gauges.readQueue).toEqual({
      mean: [0, 2, 4, 6, 8, 10],
      max: [0, 3, 6, 9, 12, 15],
    })
  })

  it('of one node has in each step what was measured in it, and nothing of the step before', () => {
    const rings = opened()
    const take = (
      step: number,
      stages: Stages,
      counters: Counters,
      gauges: Record<string, number>,
    ) => {
      const endedAtMs = T0 + step * 10_000 + 5_000
      const series = [{ generation: 1, counters, stages }]
      const window = { seq: step + 1, endedAtMs, durationMs: 10_000, series }
      rings.takeAll([
        { nodeId: 'node_a', bootId: 'boot', nowMs: endedAtMs, gauges, windows: [window] },
      ])
    }
    const slow = [0.5, 2, 2]
    const fast = [0.001]
    take(
      0,
      { total: histogramOf(slow), read: histogramOf(slow) },
      { requests: 3, aborted: 2 },
      { readQueue: 7 },
    )
    take(1, { total: histogramOf(fast) }, { requests: 1 }, {})
    take(3, { read: histogramOf(fast) }, {}, { readQueue: 1 })
    const query = { ...plan(50, 10), sets: [all('node_a')], wanted: WANTED }
    const [set] = whole(querySets(rings, query)).answer
    const at = (seconds: number[], q: number) => quantile(histogramOf(seconds), q)
    expect(set?.stages.total).toEqual({
      count: [3, 1, null, 0, null],
      sumSeconds: [4.5, 0.001, null, 0, null],
      maxSeconds: [2, 0.001, null, null, null],
      quantiles: [0.5, 0.99].map((q) => [at(slow, q), at(fast, q), null, null, null]),
    })
    expect(set?.stages.read?.count).toEqual([3, 0, null, 1, null])
    expect(set?.counters).toEqual({
      requests: [3, 1, null, 0, null],
      aborted: [2, 0, null, 0, null],
    })
    expect(set?.gauges.readQueue).toEqual({
      mean: [7, null, null, 1, null],
      max: [7, null, null, 1, null],
    })
    expect(set?.nodes).toEqual([1, 1, 0, 1, 0])
    const map = whole(
      queryHeatmap(rings, { ...plan(50, 10), set: all('node_a'), stage: 'read' }),
    ).answer
    expect(map.map((step) => step?.counts.reduce((sum, n) => sum + n, 0) ?? null)).toEqual([
      3,
      0,
      null,
      1,
      null,
    ])
  })

  it('of the farm is the same as of all its nodes, once steps are added up', () => {
    const rings = opened()
    measured(rings)
    while (rings.rollUp.some(T0 + 600_000));
    const sets = [all(FARM), all('node_a', 'node_b', 'node_c')]
    const [farm, nodes] = whole(querySets(rings, { ...plan(60, 10), sets, wanted: WANTED })).answer
    expect(farm?.stages.total?.count).toEqual(nodes?.stages.total?.count)
    expect(farm).toMatchObject({
      ...{ nodes: nodes?.nodes, counters: nodes?.counters, gauges: nodes?.gauges },
      stages: { total: { quantiles: nodes?.stages.total?.quantiles } },
    })
  })

  it('of one generation counts what its requests did, and nothing of another', () => {
    const rings = opened()
    measured(rings)
    const sets = [[{ id: 'node_a', generation: 2 }], all('node_x')]
    const [second, unknown] = whole(
      querySets(rings, { ...plan(60, 10), sets, wanted: WANTED }),
    ).answer
    expect(second?.counters.requests).toEqual([0, 0, 0, 40, 40, 40])
    expect(second?.stages.total?.count).toEqual([0, 0, 0, 40, 40, 40])
    expect(unknown?.counters.requests).toEqual([null, null, null, null, null, null])
    expect(unknown?.nodes).toEqual([0, 0, 0, 0, 0, 0])
    expect(unknown?.gauges.readQueue?.mean).toEqual([null, null, null, null, null, null])
  })

  it('reads some rows in a turn, and what is written between is no trouble', () => {
    const rings = opened()
    for (let step = 0; step < 1_200; step++) {
      const windows = [{ seq: step + 1, endedAtMs: T0 + step * 10_000, durationMs: 1, series: [] }]
      rings.takeAll([{ nodeId: 'node_a', bootId: 'boot', windows, nowMs: T0 + step * 10_000 }])
    }
    const parts = querySets(rings, { ...plan(12_000, 10), sets: [all('node_a')], wanted: WANTED })
    let turns = 0
    for (let part = parts.next(); !part.done; part = parts.next()) {
      turns++
      while (rings.rollUp.some(T0 + 12_000_000));
    }
    expect(turns).toBe(2)
  })
})

it('a question about many who measured nothing has its turns, too', () => {
  const rings = opened()
  const silent = Array.from({ length: 1_000 }, (_, i) => `node_${i}`)
  const { turns } = whole(
    querySets(rings, { ...plan(60, 10), sets: [all(...silent)], wanted: WANTED }),
  )
  expect(turns).toBe(11)
})

describe('a heatmap', () => {
  it('has the buckets of each step, and a gap where nothing was measured', () => {
    const rings = opened()
    const raw = measured(rings)
    const query = {
      ...plan(70, 10),
      set: all('node_a', 'node_b', 'node_c'),
      stage: 'total' as const,
    }
    const { answer } = whole(queryHeatmap(rings, query))
    expect(answer.at(-1)).toBeNull()
    for (let step = 0; step < 6; step++) {
      const seconds = raw.filter((one) => one.step === step).flatMap((one) => one.seconds)
      const { zeroCount, offset, counts } = histogramOf(seconds)
      expect(answer[step]).toEqual({ zeroCount, offset, counts })
    }
  })
})

describe('a comparison', () => {
  const side = (id: string, generation: number | null, fromSeconds: number, seconds: number) => {
    const range = {
      fromSeconds: T0 / 1000 + fromSeconds,
      toSeconds: T0 / 1000 + fromSeconds + seconds,
    }
    return { set: [{ id, generation }], plan: planQuery(range, 10, T0 / 1000 + 600) }
  }
  /** Of ten minutes: `slow` takes twice as long as `fast`, and one in ten of its requests fails. */
  function twoNodes(rings: RingStore) {
    const random = seededRandom(5)
    for (let step = 0; step < 60; step++) {
      for (const [node, factor] of [
        ['fast', 1],
        ['slow', 2],
      ] as const) {
        const seconds = Array.from({ length: 50 }, () => factor * (0.01 + 0.002 * random()))
        const counters = { requests: 50, responses5xx: node === 'slow' ? 5 : 0 }
        const endedAtMs = T0 + step * 10_000
        const stages = { total: histogramOf(seconds) }
        const series = [{ generation: step < 30 ? 1 : 2, counters, stages }]
        const windows = [{ seq: step + 1, endedAtMs, durationMs: 10_000, series }]
        rings.takeAll([{ nodeId: node, bootId: 'boot', windows, nowMs: endedAtMs }])
      }
    }
  }

  it('says how many times slower, within what interval, and which share fails', () => {
    const rings = opened()
    twoNodes(rings)
    const query = {
      ...{ a: side('slow', null, 0, 600), b: side('fast', null, 0, 600) },
      ...{ stages: ['total', 'read'] as const, quantiles: [0.5, 0.99] },
    }
    const { answer } = whole(compareSets(rings, query))
    const [total, read] = answer.stages
    expect(total).toMatchObject({ a: { count: 3_000 }, b: { count: 3_000 } })
    expect(total?.a.meanSeconds).toBeCloseTo(0.022, 3)
    for (const ratio of total?.ratios ?? []) {
      expect(ratio?.value).toBeCloseTo(2, 0)
      expect(ratio?.low).toBeLessThanOrEqual(2)
      expect(ratio?.high).toBeGreaterThanOrEqual(2)
      expect((ratio?.high ?? 9) - (ratio?.low ?? 0)).toBeLessThan(0.4)
    }
    expect(read).toEqual({
      stage: 'read',
      a: { count: 0, meanSeconds: null, quantiles: [null, null] },
      b: { count: 0, meanSeconds: null, quantiles: [null, null] },
      ratios: [null, null],
    })
    expect(answer.errors).toMatchObject({
      a: { requests: 3_000, errors: 300 },
      b: { requests: 3_000, errors: 0 },
      difference: { value: 0.1 },
    })
    expect(whole(compareSets(rings, query)).answer).toEqual(answer)
  })

  it('of one node at two times, or of two generations, finds nothing where nothing is', () => {
    const rings = opened()
    twoNodes(rings)
    const more = { stages: ['total'] as const, quantiles: [0.5] }
    for (const [a, b] of [
      [side('fast', null, 0, 300), side('fast', null, 300, 300)],
      [side('slow', 1, 0, 600), side('slow', 2, 0, 600)],
    ] as const) {
      const [total] = whole(compareSets(rings, { a, b, ...more })).answer.stages
      expect(total).toMatchObject({ a: { count: 1_500 }, b: { count: 1_500 } })
      expect(total?.ratios[0]?.low).toBeLessThanOrEqual(1)
      expect(total?.ratios[0]?.high).toBeGreaterThanOrEqual(1)
    }
  })

  it('of fewer than three steps has no interval', () => {
    const rings = opened()
    twoNodes(rings)
    const [a, b] = [side('slow', null, 0, 20), side('fast', null, 0, 600)]
    const { answer } = whole(compareSets(rings, { a, b, stages: ['total'], quantiles: [0.5] }))
    expect(answer.stages[0]).toMatchObject({ a: { count: 100 }, ratios: [null] })
    expect(answer.errors.difference).toBeNull()
  })
})

describe('the nodes that have most', () => {
  const names = ['node_a', 'node_b', 'node_c', 'node_x']
  const topBy = (rings: RingStore, by: Measure, limit = 10) =>
    whole(topOf(rings, { ...plan(60, 10), set: all(...names), by, limit })).answer

  it('come with the greatest first, over the whole time as one', () => {
    const rings = opened()
    const raw = measured(rings)
    const p99 = (node: string) =>
      quantile(
        histogramOf(raw.filter((one) => one.node === node).flatMap((one) => one.seconds)),
        0.99,
      )
    const slowest = topBy(rings, { kind: 'quantile', stage: 'total', q: 0.99 })
    expect(new Map(slowest.map(({ id, value }) => [id, value]))).toEqual(
      new Map(names.slice(0, 3).map((node) => [node, p99(node)])),
    )
    expect(slowest.map(({ value }) => value)).toEqual(
      slowest.map(({ value }) => value).toSorted((a, b) => b - a),
    )
    expect(topBy(rings, { kind: 'rate', counter: 'requests' }, 2)).toEqual([
      { id: 'node_c', value: 10, requests: 600, coveredSeconds: 60 },
      { id: 'node_b', value: 7, requests: 420, coveredSeconds: 60 },
    ])
    expect(topBy(rings, { kind: 'gauge', gauge: 'readQueue' }).map(({ value }) => value)).toEqual([
      7.5, 5, 2.5,
    ])
    expect(topBy(rings, { kind: 'share', counter: 'aborted' }).map(({ value }) => value)).toEqual([
      0, 0, 0,
    ])
    expect(topBy(rings, { kind: 'gauge', gauge: 'nobodyHasThat' })).toEqual([])
  })
})
