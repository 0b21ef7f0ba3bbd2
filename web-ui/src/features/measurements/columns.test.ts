// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { MeasuredSet, Stage } from '../../lib/api-types.ts'
import { drawn, isEmpty } from './chart-lines.ts'
import {
  gauge,
  gaugeShare,
  type Line,
  needsOf,
  nodeItself,
  nodesIn,
  percentiles,
  perOne,
  rate,
  sending,
  share,
} from './columns.ts'
import { topicKeys } from './search.ts'
import { type Chart, linesOf, topics } from './topics.ts'

const stage = (count: (number | null)[], sumSeconds: (number | null)[]) => ({
  ...{ count, sumSeconds, maxSeconds: sumSeconds },
  quantiles: [0.1, 0.2, 0.3].map((value) => count.map((n) => (n ? value : null))),
})
const set = (change: Partial<MeasuredSet> = {}): MeasuredSet => ({
  ...{ of: 'farm', title: 'The whole farm', nodes: 3, measuredNodes: [] },
  ...{ stages: {}, counters: {}, gauges: {} },
  ...change,
})
const read = (line: Line, of: MeasuredSet) =>
  line.read({ set: of, stepSeconds: 10, quantiles: [0.5, 0.9, 0.99] })

describe('a rate', () => {
  test('is of the time that was measured, whichever step the reports fell into', () => {
    // Three nodes with 10 requests a second each; one report came a step late.
    const measuredNodes = [3, 3, 2, 4, 3]
    const requests = measuredNodes.map((nodes) => nodes * 100)
    const line = rate('requests', 'requests')
    expect(read(line, set({ measuredNodes, counters: { requests } }))).toEqual(Array(5).fill(30))
  })

  test('of the newest step, which is not over, is as high as it was', () => {
    const measuredNodes = [3, 3, 0.5]
    const counters = { requests: [300, 300, 50] }
    expect(read(rate('', 'requests'), set({ measuredNodes, counters })).at(-1)).toBe(30)
  })

  test('has a gap where nothing was measured, and leaves out what it is told to', () => {
    const counters = { responses4xx: [30, null], responses404: [10, null] }
    const line = rate('other 4xx', 'responses4xx', 'responses404')
    expect(read(line, set({ measuredNodes: [1, 0], counters }))).toEqual([2, null])
  })

  test('follows nodes that come and go', () => {
    const measured = [1, 1, 1, 5, 5, 5]
    expect(measured.map((_, step) => nodesIn(measured, step))).toEqual([1, 1, 1, 5, 5, 5])
    expect(nodesIn([0.2], 0)).toBe(1)
  })
})

test('a share of nothing is a gap, and its whole may be a sum', () => {
  const counters = { cacheHits: [3, 0, null], cacheMisses: [1, 0, null] }
  const hits = share('hits', ['cacheHits'], 'cacheHits', 'cacheMisses')
  expect(read(hits, set({ measuredNodes: [1, 1, 0], counters }))).toEqual([0.75, null, null])
  const gauges = {
    readBusy: { mean: [2, 1, null], max: [] },
    readThreads: { mean: [4, 0, null], max: [] },
  }
  expect(read(gaugeShare('busy', 'readBusy', 'readThreads'), set({ gauges }))).toEqual([
    ...[0.5, null, null],
  ])
})

describe('the anatomy', () => {
  const stages = {
    total: stage([10, 0, null], [10, 0, null]),
    statWait: stage([2, 0, null], [1, 0, null]),
    stat: stage([2, 0, null], [1, 0, null]),
    readWait: stage([1, 0, null], [1, 0, null]),
    read: stage([1, 0, null], [1, 0, null]),
    write: stage([10, 0, null], [4, 0, null]),
  }
  const parts = [
    ...(['statWait', 'stat', 'readWait', 'read'] as const).map((one) => perOne(one, one, 'total')),
    ...[sending, nodeItself],
  ]

  test('adds up to the mean request, whatever had a stage', () => {
    const columns = parts.map((line) => read(line, set({ stages })))
    expect(columns.map(([first]) => first)).toEqual([0.1, 0.1, 0.1, 0.1, 0.4, 0.2])
    for (const [, noRequest, gap] of columns) expect([noRequest, gap]).toEqual([null, null])
  })

  test('counts what is read while it is sent once', () => {
    const overlapping = { ...stages, write: stage([10, 0, null], [8, 0, null]) }
    const columns = parts.map((line) => read(line, set({ stages: overlapping })))
    expect(columns.slice(-2).map(([first]) => first)).toEqual([0.6, 0])
  })
})

describe('a chart', () => {
  const counts = [4, null]
  const answer = (...sets: MeasuredSet[]) => ({
    ...{ stepSeconds: 10, times: [0, 10], quantiles: [0.5, 0.9, 0.99] },
    sets,
  })
  const one = (title: string) => set({ title, stages: { total: stage(counts, [1, null]) } })
  const latency = {
    ...{ label: 'Latency', format: String, main: 'p99', isLatency: true as const },
    lines: percentiles('total'),
  }

  test('of one set has its lines, and of how many requests they are', () => {
    const [chart] = drawn(latency, answer(one('farm')))
    expect(chart).toMatchObject({ label: 'Latency', counts })
    expect(chart?.series.map(({ name }) => name)).toEqual(['p50', 'p90', 'p99'])
  })

  test('of several has one line of each, in a colour and dashes of its own', () => {
    const [chart] = drawn(latency, answer(one('v7'), one('v8')))
    expect(chart?.label).toBe('Latency: p99')
    expect(chart?.series).toMatchObject([
      { name: 'v7', colour: 1, dash: 'solid', values: [0.3, null] },
      { name: 'v8', colour: 2, dash: 'dashed' },
    ])
  })

  test('of parts of a whole is one of each set', () => {
    const stacked = { ...latency, stacked: true as const }
    const charts = drawn(stacked, answer(one('v7'), one('v8')))
    expect(charts.map(({ label }) => label)).toEqual(['Latency: v7', 'Latency: v8'])
  })

  test('of what has a limit says the newest one beside its title', () => {
    const open = gauge('open', 'open')
    const chart = { label: 'Open', lines: [open], limit: gauge('limit', 'most'), format: String }
    const column = (...mean: (number | null)[]) => ({ mean, max: mean })
    const gauges = { open: column(1, 2), most: column(90, 100, null) }
    expect(drawn(chart, answer(set({ gauges })))[0]?.help).toBe('limit 100')
    expect(drawn(chart, answer(set()))[0]?.help).toBeUndefined()
  })

  test('without a value is empty', () => {
    const nothing = set({ stages: { total: stage([null], [null]) } })
    expect(drawn(latency, answer(nothing)).every(isEmpty)).toBe(true)
    expect(drawn(latency, answer())).toEqual([])
  })
})

test('no topic asks for more names than are answered at once, and its charts differ in name', () => {
  for (const key of topicKeys) {
    if (key === 'heatmap') continue
    const charts: readonly Chart[] = topics[key].charts
    const needs = needsOf(linesOf(charts))
    expect(needs.counters.length).toBeLessThanOrEqual(30)
    expect(needs.gauges.length).toBeLessThanOrEqual(30)
    expect(new Set<Stage>(needs.stages).size).toBe(needs.stages.length)
    expect(new Set(charts.map(({ label }) => label)).size).toBe(charts.length)
  }
})
