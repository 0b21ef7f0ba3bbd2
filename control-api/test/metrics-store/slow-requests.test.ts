// SPDX-License-Identifier: MIT
// How little of slow requests is kept, however many there are.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createSlowRequests, MOST_SLOW_OF_NODE } from '../../src/metrics-store/slow-requests.ts'
import { tempDir } from '../helper.ts'

const HOUR_MS = 3600_000
const NOW = 1_800_000_000_000
const request = (ms: number) => ({
  startedAtUs: ms * 1000,
  generation: 1,
  status: 200,
  bytes: 1,
  protocol: 'HTTP/1.1',
  reason: null,
  path: '/a',
  stageSeconds: { total: 1 },
})
function open() {
  const db = openMetricsDb(join(tempDir(), 'metrics.db'))
  onTestFinished(() => {
    db.close()
  })
  const count = (node: number) =>
    db.prepare('select count(*) from slow_requests where node = ?').pluck().get(node)
  return { db, slow: createSlowRequests(db), count }
}

test('a farm of which every request is slow adds a thousand at once and a hundred a second', () => {
  const { slow, count } = open()
  const eight = Array.from({ length: 8 }, () => request(NOW))
  for (let i = 0; i < 1_000; i++) slow.add(1, eight, NOW)
  expect(count(1)).toBe(1_000)
  for (let i = 0; i < 1_000; i++) slow.add(1, eight, NOW + i * 10)
  expect(count(1)).toBe(1_999)
  // A clock that was set back gives no more.
  slow.add(1, eight, NOW - HOUR_MS)
  expect(count(1)).toBe(1_999)
})

test('a node keeps a day and its newest thousand; the others’ are not touched', () => {
  const { slow, count } = open()
  for (let i = 0; i < 1_500; i++) slow.add(1, [request(NOW + i)], NOW + i * 20)
  slow.add(2, [request(NOW - 25 * HOUR_MS), request(NOW - 23 * HOUR_MS)], NOW + 60_000)
  slow.pruneNode(1, NOW + 1_500, 1)
  expect(count(1)).toBe(MOST_SLOW_OF_NODE + 1)
  expect(count(2)).toBe(2)
  slow.pruneNode(2, NOW, 1)
  expect(count(2)).toBe(1)
  const found = slow.find(1, { nodeId: '', fromMs: 0, toMs: NOW + HOUR_MS, limit: 2 })
  expect(found.map(({ startedAtUs }) => startedAtUs / 1000)).toEqual([NOW + 1_499, NOW + 1_498])
  // A full disk: the share that is left of everything.
  slow.pruneNode(1, NOW, 1 / 10)
  expect(count(1)).toBe(MOST_SLOW_OF_NODE / 10 + 1)
  slow.pruneFarm(0)
  expect([count(1), count(2)]).toEqual([0, 0])
})
