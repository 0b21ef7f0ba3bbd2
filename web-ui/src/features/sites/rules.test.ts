// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { MetricsOfSets, RequestSample } from '../../lib/api-types.ts'
import { slowPathsOf, soonestOf, trafficOf } from './rules.ts'

const certificate = (name: string, state: 'good' | 'expiring' | 'expired' | null, day = 1) => ({
  ...{ name, state, notAfter: state === null ? null : `2027-01-0${day}T00:00:00.000Z` },
})

test('the certificate that asks for somebody is the one that is shown', () => {
  const all = [certificate('a', 'good', 3), certificate('b', 'expired', 5), certificate('c', null)]
  expect(soonestOf(all)?.name).toBe('b')
  expect(soonestOf([certificate('a', 'good', 3), certificate('b', 'good', 2)])?.name).toBe('b')
  expect(soonestOf([certificate('c', null)])).toBeNull()
})

describe('traffic', () => {
  const set = (of: string, counters: MetricsOfSets['sets'][number]['counters']) => ({
    ...{ of, title: of, nodes: 2, measuredNodes: 2, counters, gauges: {} },
    stages: {
      total: {
        count: [2, 2],
        mean: [1, 1],
        max: [1, 1],
        quantiles: [
          [0.1, 0.2],
          [0.3, null],
        ],
      },
    },
  })
  const answer = (...sets: unknown[]) =>
    ({ stepSeconds: 10, times: [0, 10], quantiles: [0.5, 0.99], sets }) as unknown as MetricsOfSets

  test('is by version, with 404 apart from the other 4xx', () => {
    const [row] = trafficOf(
      answer(
        set('version:web/7', {
          requests: [60, 40],
          bytesSent: [1000, 1000],
          responses2xx: [80, null],
          responses4xx: [20, 0],
          responses404: [15, 0],
          responses5xx: [0, 0],
        }),
      ),
    )
    expect(row).toMatchObject({ version: 7, requests: 100, requestsPerSecond: 5, p99Seconds: 0.3 })
    expect(row?.shares).toMatchObject({
      ...{ responses2xx: 0.8, responses4xx: 0.05, responses404: 0.15, responses5xx: 0 },
      responses3xx: null,
    })
  })

  test('that nobody measured is none, not zero', () => {
    const [row] = trafficOf(answer(set('version:web/7', { requests: [null, null] })))
    expect(row).toMatchObject({ requests: null, requestsPerSecond: null })
    expect(row?.shares.responses5xx).toBeNull()
  })
})

test('slow paths are those most often slow first, with what they were answered', () => {
  const sample = (path: string, total: number, status: number | null = 200) =>
    ({ path, status, stageSeconds: { total } }) as unknown as RequestSample
  expect(
    slowPathsOf([sample('/a', 1), sample('/b', 9), sample('/a', 3, 206), sample('/c', 10, null)]),
  ).toEqual([
    { path: '/a', requests: 2, slowestSeconds: 3, status: '200, 206' },
    { path: '/c', requests: 1, slowestSeconds: 10, status: 'none' },
    { path: '/b', requests: 1, slowestSeconds: 9, status: '200' },
  ])
})
