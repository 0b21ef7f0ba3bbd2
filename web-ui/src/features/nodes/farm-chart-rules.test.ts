// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { MetricsSeries } from '../../lib/api-types.ts'
import { MAX_LINES, nodesToAsk, p99Lines } from './farm-chart-rules.ts'

const measured = (name: string, p99Seconds: (number | null)[]): MetricsSeries => {
  const none = p99Seconds.map(() => null)
  return {
    nodeId: `node_${name}`,
    nodeName: name,
    p50Seconds: none,
    p90Seconds: none,
    p99Seconds,
    maxSeconds: none,
    count: none,
    requestsPerSecond: none,
    errorRatio: none,
    clientErrorRatio: none,
    notFoundRatio: none,
    bytesPerSecond: none,
    coverage: p99Seconds.map(() => 1),
    lostWindows: p99Seconds.map(() => 0),
  }
}

test('the slowest are drawn, by name, no two alike; gaps stay', () => {
  const lines = p99Lines(
    Array.from({ length: 15 }, (_, i) => measured(`edge-${i + 1}`, [null, i / 1000])),
  )
  expect(lines.map((line) => line.name)).toEqual(
    Array.from({ length: MAX_LINES }, (_, i) => `edge-${i + 4}`),
  )
  expect(lines[0]?.values).toEqual([null, 0.003])
  expect(new Set(lines.map(({ colour, dash }) => `${colour} ${dash}`)).size).toBe(MAX_LINES)
})

test('a node that served nothing is no line', () => {
  expect(p99Lines([measured('edge-1', [null, null]), measured('edge-2', [0.001])])).toHaveLength(1)
})

test('of more nodes than the API answers about, the first are asked about, by id', () => {
  const many = Array.from({ length: 130 }, (_, i) => ({ id: `node_${999 - i}` }))
  const asked = nodesToAsk(many)
  expect(asked).toHaveLength(100)
  expect([asked[0], asked[99]]).toEqual(['node_900', 'node_999'])
})
