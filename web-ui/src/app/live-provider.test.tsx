// SPDX-License-Identifier: MIT
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EventKind } from '../lib/api-types.ts'
import { FakeStream, say } from '../test/fake-stream.ts'
import { LiveProvider } from './live-provider.tsx'
import { createQueryClient } from './query-client.ts'

/** How long an answer takes. */
const TAKES_MS = 800
const EVENT_EVERY_MS = 100
const OLDEST_MS = 3000

let started: number
let aborted: number

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeStream)
  started = 0
  aborted = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A list of nodes that says as of when it is. */
function List() {
  const { data } = useQuery({
    queryKey: ['nodes', 'list', {}, 0],
    queryFn: ({ signal }) => {
      started += 1
      signal.addEventListener('abort', () => {
        aborted += 1
      })
      const asOf = Date.now()
      return new Promise<number>((done) => setTimeout(() => done(asOf), TAKES_MS))
    },
  })
  return <output>{data}</output>
}

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

/** The greatest age of what was shown, looked at before each event. */
async function oldestWhile(kind: EventKind, seconds: number): Promise<number> {
  let oldestMs = 0
  for (let ms = 0; ms < seconds * 1000; ms += EVENT_EVERY_MS) {
    say(kind)
    await passes(EVENT_EVERY_MS)
    oldestMs = Math.max(oldestMs, Date.now() - Number(screen.getByRole('status').textContent))
  }
  return oldestMs
}

async function showList(): Promise<void> {
  render(
    <QueryClientProvider client={createQueryClient(() => {})}>
      <LiveProvider>
        <List />
      </LiveProvider>
    </QueryClientProvider>,
  )
  await passes(TAKES_MS)
}

test('with an event every 100 ms what is shown is never older than 3 s, and no fetch is given up', async () => {
  await showList()
  expect(await oldestWhile('node', 20)).toBeLessThanOrEqual(OLDEST_MS)
  expect(started).toBeLessThanOrEqual(12)
  expect(aborted).toBe(0)
})

test('measurements alone have the list read again every ten seconds at most', async () => {
  await showList()
  await oldestWhile('metrics', 30)
  // At once, then after ten, twenty and thirty seconds.
  expect(started).toBeGreaterThanOrEqual(4)
  expect(started).toBeLessThanOrEqual(5)
})
