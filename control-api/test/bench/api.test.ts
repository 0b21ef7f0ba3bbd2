// SPDX-License-Identifier: MIT
// The bench itself, on a small scale: that it measures every route, not how fast this machine is.
import { expect, test } from 'vitest'
import { measure, table } from './api.ts'
import { quantile } from './quantile.ts'

test('quantiles are of the values as they are', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect([0.5, 0.95, 0.99].map((q) => quantile(values, q))).toEqual([51, 96, 100])
})

test('the table says how many were above the limit', () => {
  const lines = table([{ name: 'GET /x', limitMs: 20, ms: [1, 2, 3, 30], cpuMs: 2.25 }])
  expect(lines[2]).toBe('| GET /x | 4 | 3.0 | 30.0 | 30.0 | 25.0 % > 20 ms | 2.3 |')
})

test('asks a service with a database of the size it was told', { timeout: 120_000 }, async () => {
  const { rows, stolenShare } = await measure({
    seconds: 2,
    warmUpSeconds: 0,
    alone: 3,
    versions: 30,
    nodes: 50,
    auditRows: 100,
  })
  expect(stolenShare).toBeGreaterThanOrEqual(0)
  expect(stolenShare).toBeLessThanOrEqual(1)
  expect(rows.length).toBeGreaterThan(5)
  for (const { ms } of rows) expect(ms.every((one) => one > 0)).toBe(true)
  const reads = rows.filter(({ cpuMs }) => cpuMs !== null)
  expect(reads.length).toBeGreaterThan(3)
  expect(reads.every(({ cpuMs }) => Number(cpuMs) >= 0)).toBe(true)
})
