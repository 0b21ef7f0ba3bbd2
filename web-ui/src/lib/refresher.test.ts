// SPDX-License-Identifier: MIT
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRefresher, type Refresher } from './refresher.ts'

const KEY = ['nodes', 'list']
let client: QueryClient
let refresher: Refresher
let started: number
let aborted: number
let takesMs: number
let unsubscribe: () => void
let truth: number
const shown = () => client.getQueryData(KEY)

beforeEach(async () => {
  vi.useFakeTimers()
  client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } })
  refresher = createRefresher(client)
  started = 0
  aborted = 0
  takesMs = 100
  truth = 1
  const observer = new QueryObserver(client, {
    queryKey: KEY,
    queryFn: ({ signal }) => {
      started += 1
      signal.addEventListener('abort', () => {
        aborted += 1
      })
      const asOf = truth
      return new Promise((resolve) => setTimeout(() => resolve(asOf), takesMs))
    },
  })
  unsubscribe = observer.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(takesMs)
})
afterEach(() => {
  refresher.stop()
  unsubscribe()
  client.clear()
  vi.useRealTimers()
})

test('the first event is acted upon at once', async () => {
  truth = 2
  refresher.makeOld(['nodes'])
  await vi.advanceTimersByTimeAsync(takesMs)
  expect([started, shown()]).toEqual([2, 2])
})

test('an event every 100 ms: a fetch every two seconds, and none is given up', async () => {
  for (let at = 0; at < 10_000; at += 100) {
    truth = at
    refresher.makeOld(['nodes'])
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(started).toBeGreaterThanOrEqual(5)
  expect(started).toBeLessThanOrEqual(7)
  expect(aborted).toBe(0)
})

test('a fetch that takes longer than the time between two events arrives, and the next follows', async () => {
  takesMs = 2500
  let oldestMs = 0
  for (let at = 0; at < 20_000; at += 100) {
    truth = at
    refresher.makeOld(['nodes'])
    await vi.advanceTimersByTimeAsync(100)
    if (at > 6000) oldestMs = Math.max(oldestMs, at - Number(shown()))
  }
  expect(aborted).toBe(0)
  // The time of a fetch, twice: it begins before what changes in its time.
  expect(oldestMs).toBeLessThanOrEqual(2 * takesMs + 100)
})

test('the last of many events is not forgotten', async () => {
  refresher.makeOld(['nodes'])
  await vi.advanceTimersByTimeAsync(50)
  truth = 7
  refresher.makeOld(['nodes'])
  await vi.advanceTimersByTimeAsync(2000 + takesMs)
  expect(shown()).toBe(7)
})

test('what was under way when something changed is asked for again', async () => {
  takesMs = 3000
  void client.invalidateQueries({ queryKey: KEY })
  await vi.advanceTimersByTimeAsync(10)
  truth = 9
  refresher.makeOld(['nodes'])
  await vi.advanceTimersByTimeAsync(takesMs + 2000 + takesMs)
  expect(shown()).toBe(9)
  expect(aborted).toBe(0)
})
