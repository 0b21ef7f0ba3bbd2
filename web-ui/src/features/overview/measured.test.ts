// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { MetricsOfSets } from '../../lib/api-types.ts'
import {
  askedWindow,
  changeWords,
  glanceOf,
  judgeErrors,
  judgeLatency,
  latencyWords,
  objectivesOf,
} from './measured.ts'

const asked = {
  before: { fromSeconds: 0, toSeconds: 20 },
  now: { fromSeconds: 20, toSeconds: 40 },
}
const column = (...values: (number | null)[]) => values
const stage = (sumSeconds: (number | null)[]) => ({
  count: column(1, 1, 1, 1),
  sumSeconds,
  maxSeconds: column(1, 1, 1, 1),
  quantiles: [column(0.1, 0.1, 0.2, 0.3), column(1, 1, 2, 3)],
})
const sets = (change: Partial<MetricsOfSets['sets'][number]> = {}): MetricsOfSets => ({
  stepSeconds: 10,
  times: [0, 10, 20, 30],
  quantiles: [0.5, 0.99],
  sets: [
    {
      ...{ of: 'farm', title: 'The whole farm', nodes: 2, measuredNodes: [2, 2, 2, 2] },
      stages: {
        total: stage(column(1, 1, 6, 4)),
        firstByte: stage(column(1, 1, 1, 1)),
        write: stage(column(0, 0, 5, 3)),
        writeClient: stage(column(0, 0, 3, null)),
        writeNetwork: stage(column(0, 0, 1, 1)),
        writeBuffer: stage(column(0, 0, 0, 0)),
      },
      counters: {
        requests: column(100, 100, 300, null),
        responses5xx: column(0, 0, 3, null),
        bytesSent: column(0, 0, 5000, null),
        cacheHits: column(9, 9, 90, null),
        cacheMisses: column(1, 1, 10, null),
      },
      gauges: {},
      ...change,
    },
  ],
})

describe('the farm at a glance', () => {
  test('is of the range, beside as long a time before, and divides by what was measured', () => {
    const { now, before, steps } = glanceOf({ asked, sets: sets() })
    expect(now).toEqual({
      ...{ requests: 300, errors: 3, errorRatio: 0.01, hitRatio: 0.9 },
      ...{ requestsPerSecond: 30, bytesPerSecond: 500 },
    })
    expect(before.requestsPerSecond).toBe(10)
    expect(steps.times).toEqual([20, 30])
    expect(steps.requestsPerSecond).toEqual([30, null])
    expect(steps.p99).toEqual([2, 3])
    expect(steps.hitRatio).toEqual([0.9, null])
  })

  test('has nothing, not zero, where nothing was measured', () => {
    const none = { stages: {}, counters: {} }
    const { now, parts, steps } = glanceOf({ asked, sets: sets(none) })
    expect(Object.values(now)).toEqual([null, null, null, null, null, null])
    expect(steps.p50).toEqual([null, null])
    expect(parts).toBeNull()
  })

  test('divides the time of requests into parts that add up to all of it', () => {
    const { parts } = glanceOf({ asked, sets: sets() })
    expect(parts).toEqual([
      { name: 'Until the first byte', ratio: 0.2 },
      { name: 'Client takes it', ratio: 0.3 },
      { name: 'Network', ratio: 0.2 },
      { name: 'Send buffer', ratio: 0 },
      { name: 'Rest of the write', ratio: 0.3 },
    ])
  })

  test('asks for whole steps that the farm’s sums have reached', () => {
    expect(askedWindow('1h', 10_000_000_000 + 65_000)).toEqual({
      now: { fromSeconds: 9_996_420, toSeconds: 10_000_020 },
      before: { fromSeconds: 9_992_820, toSeconds: 9_996_420 },
    })
  })
})

test.each([
  [112, 100, '12 % more than the 1 h before'],
  [50, 100, '50 % less than the 1 h before'],
  [100.5, 100, 'Same as the 1 h before'],
  [100, null, 'Nothing to compare with the 1 h before'],
  [0, 0, ''],
  [null, 100, ''],
])('%s after %s is told as "%s"', (now, before, words) => {
  expect(changeWords(now, before, '1h')).toBe(words)
})

test('a latency differs only when the interval says so', () => {
  expect(latencyWords({ value: 1.2, low: 1.1, high: 1.3 }, 9, '24h')).toBe(
    '20 % slower than the 24 h before',
  )
  expect(latencyWords({ value: 0.5, low: 0.4, high: 0.9 }, 9, '24h')).toBe(
    '50 % faster than the 24 h before',
  )
  expect(latencyWords({ value: 1.2, low: 0.9, high: 1.3 }, 9, '24h')).toContain(
    'No clear difference',
  )
  expect(latencyWords(null, 9, '24h')).toContain('Too little')
  expect(latencyWords(null, 0, '24h')).toBe('Nothing to compare with the 24 h before')
})

test('objectives are those of the whole farm that are on', () => {
  const rule = { id: 'rule_1', name: 'x', description: '', enabled: true, appliesTo: 'farm' }
  const rest = {
    ...{ severity: 'critical' as const, forSeconds: 0, keepFiringSeconds: 0 },
    ...{ failing: null, createdAt: '', createdBy: 'ana' },
  }
  const burn = (objective: number, more = {}) => ({
    ...{ ...rule, ...rest, ...more },
    condition: { kind: 'burn-rate' as const, objective },
  })
  const slow = {
    ...burn(0.99),
    condition: { kind: 'burn-rate' as const, objective: 0.99, slowerThanSeconds: 0.2 },
  }
  const off = burn(0.9, { enabled: false })
  const ofOne = burn(0.8, { appliesTo: 'group:web' })
  const { latency, errors } = objectivesOf([off, ofOne, slow, burn(0.9995)])
  expect(latency).toMatchObject({ ratio: 0.99, withinSeconds: 0.2 })
  expect(judgeLatency(latency, 0.19)).toEqual({
    isMet: true,
    words: 'Objective met: 99 % within 200 ms',
  })
  expect(judgeLatency(latency, 0.21)?.isMet).toBe(false)
  expect(judgeErrors(errors, 0.0005)).toEqual({
    isMet: true,
    words: 'Objective met: 99.95 % without a 5xx',
  })
  expect(judgeErrors(errors, 0.001)?.isMet).toBe(false)
  expect(judgeErrors(errors, null)).toBeNull()
})
