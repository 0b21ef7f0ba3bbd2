// SPDX-License-Identifier: MIT
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startTicker } from '../../../../src/features/rollouts/engine/ticker.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function begin() {
  const clock = { ms: 1_000_000, diskFull: false }
  const passed: (number | 'heard again')[] = []
  const failIfFull = () => {
    if (clock.diskFull) throw new Error('disk full')
  }
  const errors: unknown[] = []
  const evaluated: number[] = []
  const stop = startTicker({
    engine: {
      tick: async (elapsedMs) => {
        failIfFull()
        passed.push(elapsedMs)
      },
      heardAgain: async () => {
        failIfFull()
        passed.push('heard again')
      },
    },
    evaluate: async () => {
      evaluated.push(clock.ms)
    },
    onError: (error) => errors.push(error),
    monotonicMs: () => clock.ms,
  })
  const wait = async (ms: number) => {
    clock.ms += ms
    await vi.advanceTimersByTimeAsync(1000)
  }
  return { clock, passed, errors, evaluated, stop, wait }
}

it('gives nodes their time anew at the start, then lets it pass', async () => {
  const { passed, stop, wait } = begin()
  await wait(1000)
  await wait(3000)
  expect(passed).toEqual(['heard again', 1000, 3000])
  await stop()
  await wait(1000)
  expect(passed).toHaveLength(3)
})

it('lets no time pass for nodes while it stood still', async () => {
  const { passed, stop, wait } = begin()
  await wait(60_000)
  await wait(1000)
  expect(passed).toEqual(['heard again', 'heard again', 1000])
  await stop()
})

it('lets no time pass for nodes while the disk was full', async () => {
  const { clock, passed, errors, stop, wait } = begin()
  await vi.advanceTimersByTimeAsync(0)
  clock.diskFull = true
  for (let s = 0; s < 30; s++) await wait(1000)
  expect(errors).toHaveLength(30)
  clock.diskFull = false
  await wait(1000)
  expect(passed).toEqual(['heard again', 'heard again'])
  await stop()
})

it('looks at what was measured as often as nodes report', async () => {
  const { clock, evaluated, stop, wait } = begin()
  const startedAtMs = clock.ms
  for (let i = 0; i < 12; i++) await wait(1_000)
  await stop()
  expect(evaluated.map((ms) => ms - startedAtMs)).toEqual([5_000, 10_000])
})
