// SPDX-License-Identifier: MIT
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useFarmRows } from '../features/nodes/use-farm-rows.ts'
import type { EventKind } from '../lib/api-types.ts'
import { fakeApi, json } from '../test/fake-api.ts'
import { FakeStream, say, sayOfNode } from '../test/fake-stream.ts'
import { node, nodesPage } from '../test/samples.ts'
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

async function showList(list = <List />): Promise<void> {
  render(
    <QueryClientProvider client={createQueryClient(() => {})}>
      <LiveProvider>{list}</LiveProvider>
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

/** The first row: what events say of it, and what only the list has. */
function Row() {
  const [row] = useFarmRows({}).data ?? []
  return (
    <output>
      {row?.node?.sync.desired?.generation} {row?.node?.hostname}
    </output>
  )
}

test('with an event about a node every 100 ms its row follows them, and no answer sets it back', async () => {
  const { sync, id } = node()
  let last = 0
  const standing = () => ({
    ...{ state: 'applying' as const, acknowledged: null, effective: null },
    desired: { generation: last, digest: 'sha256:a', version: null },
  })
  const api = fakeApi({
    'GET /nodes': () => {
      const read = node({ hostname: `${last}`, sync: { ...sync, ...standing() } })
      const answer = { ...nodesPage(read), revision: last }
      return new Promise((done) => setTimeout(() => done(json(answer)), TAKES_MS))
    },
  })
  await showList(<Row />)
  await passes(TAKES_MS)
  let before = 0
  let rowMs = 0
  let listMs = 0
  for (let ms = 0; ms < 20_000; ms += EVENT_EVERY_MS) {
    last += 1
    const facts = { connected: true, lastSeenAt: null, sync: standing() }
    sayOfNode({ number: last, id, action: 'offered', node: facts })
    await passes(EVENT_EVERY_MS)
    const [heard, read] = (screen.getByRole('status').textContent ?? '').split(' ').map(Number)
    expect(heard).toBeGreaterThanOrEqual(before)
    before = heard ?? 0
    rowMs = Math.max(rowMs, (last - before) * EVENT_EVERY_MS)
    listMs = Math.max(listMs, (last - (read ?? 0)) * EVENT_EVERY_MS)
  }
  expect(rowMs).toBeLessThanOrEqual(400)
  expect(listMs).toBeLessThanOrEqual(OLDEST_MS)
  expect(api.requests.length).toBeLessThanOrEqual(12)
})
