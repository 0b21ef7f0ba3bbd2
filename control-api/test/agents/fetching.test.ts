// SPDX-License-Identifier: MIT
// What ten thousand nodes say at once of how far they are is told to rollouts in few transactions.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchFetching } from '../../src/agents/fetching.ts'
import type { Fetched } from '../../src/fleet/agent-ports.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const SAID = { manifestSha256: 'a', files: 9000, filesDone: 0, bytes: 9, bytesDone: 1 }

function watching(tell: (nodes: readonly Fetched[]) => void = () => {}) {
  const lots: (readonly Fetched[])[] = []
  const errors: unknown[] = []
  const fetches = watchFetching({
    tell: async (nodes) => {
      lots.push(nodes)
      tell(nodes)
    },
    onError: (error) => errors.push(error),
  })
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    // Between two lots of one second others have their turn.
    for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate)
  }
  return { ...fetches, lots, errors, pass, told: () => lots.splice(0).flat() }
}

test('it is told at once, and again when it has come further, but not with each report', async () => {
  const { heard, told, pass } = watching()
  const saysAfter = async (ms: number, said: typeof SAID) => {
    await pass(ms)
    heard('n1', said)
    await pass(1_000)
    return told().map(({ filesDone }) => filesDone)
  }
  expect(await saysAfter(0, SAID)).toEqual([0])
  expect(await saysAfter(0, { ...SAID, filesDone: 5 })).toEqual([])
  expect(await saysAfter(5_000, { ...SAID, filesDone: 6 })).toEqual([6])
  // It stands still.
  expect(await saysAfter(60_000, { ...SAID, filesDone: 6 })).toEqual([])
  expect(await saysAfter(0, { ...SAID, filesDone: 6, bytesDone: 2 })).toEqual([6])
  // The next release, or the same one anew.
  expect(await saysAfter(0, { ...SAID, manifestSha256: 'b' })).toEqual([0])
  heard('n1', undefined)
  expect(await saysAfter(0, { ...SAID, manifestSha256: 'b' })).toEqual([0])
})

test('one that waits for a neighbour is told of like one that comes further', async () => {
  const { heard, waits, told, pass } = watching()
  waits('n1')
  await pass(1_000)
  expect(told()).toEqual([])
  heard('n1', SAID)
  await pass(1_000)
  expect(told()).toHaveLength(1)
  waits('n1')
  await pass(1_000)
  expect(told()).toEqual([])
  await pass(5_000)
  waits('n1')
  await pass(1_000)
  expect(told()).toEqual([{ nodeId: 'n1', files: 9000, filesDone: 0 }])
})

test('a minute of ten thousand nodes is some two hundred transactions, and none has to wait for long', async () => {
  const { heard, lots, pass } = watching()
  const lastTold = new Map<string, number>()
  let longestSeconds = 0
  let seen = 0
  for (let second = 0; second < 60; second++) {
    // Each reports every five seconds.
    for (let i = second % 5; i < 10_000; i += 5) heard(`n${i}`, { ...SAID, filesDone: second + 1 })
    await pass(1_000)
    for (const { nodeId } of lots.slice(seen).flat()) {
      longestSeconds = Math.max(longestSeconds, second - (lastTold.get(nodeId) ?? second))
      lastTold.set(nodeId, second)
    }
    seen = lots.length
  }
  expect(lastTold.size).toBe(10_000)
  // 120,000 reports.
  expect(lots.length).toBeLessThan(250)
  expect(Math.max(...lots.map(({ length }) => length))).toBe(200)
  expect(longestSeconds).toBeLessThan(30)
})

test('what could not be told is told with the next report', async () => {
  let isFull = true
  const { heard, told, errors, pass } = watching(() => {
    if (isFull) throw new Error('the disk is full')
  })
  heard('n1', SAID)
  await pass(1_000)
  expect(errors).toHaveLength(1)
  told()
  isFull = false
  heard('n1', { ...SAID, filesDone: 1 })
  await pass(1_000)
  expect(told()).toEqual([{ nodeId: 'n1', files: 9000, filesDone: 1 }])
})

test('nothing is told once it is closed', async () => {
  const { heard, close, told, pass } = watching()
  heard('n1', SAID)
  heard('n2', SAID)
  await close()
  heard('n3', SAID)
  await pass(5_000)
  expect(told().map(({ nodeId }) => nodeId)).toEqual(['n1'])
})
