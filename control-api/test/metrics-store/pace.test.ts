// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest'
import { createPace } from '../../src/metrics-store/pace.ts'

/** A report each second, each of which waited so long. */
function after(...stretches: [seconds: number, waitedMs: number][]) {
  const pace = createPace(() => 0)
  let nowMs = 1_000_000
  const factors: number[] = []
  for (const [seconds, waitedMs] of stretches) {
    for (let i = 0; i < seconds; i++) {
      nowMs += 1_000
      pace.kept(waitedMs, nowMs)
    }
    factors.push(pace.factor())
  }
  return { pace, factors, nowMs }
}

it('is as usual while reports are kept in time, or a little late', () => {
  expect(after([600, 10]).factors).toEqual([1])
  expect(after([600, 1_900]).factors).toEqual([1])
})

it('makes windows longer step by step while reports are late, and no longer than six times', () => {
  expect(after([1, 2_000], [14, 9_000], [2, 9_000], [600, 9_000]).factors).toEqual([2, 2, 4, 6])
})

it('goes back when they were in time for a minute, step by step', () => {
  const { factors } = after([40, 9_000], [60, 10], [2, 10], [59, 10], [3, 10], [62, 10])
  expect(factors).toEqual([6, 6, 4, 4, 2, 1])
})

it('waits anew when one was late, or in between', () => {
  expect(after([40, 9_000], [50, 10], [1, 1_000], [50, 10]).factors.at(-1)).toBe(6)
})

it('goes back though of many reports a few were a little late', () => {
  const { pace, nowMs } = after([40, 9_000])
  let at = nowMs
  // A hundred a second, of which one in so many waits for a second.
  const minute = (lateEvery: number) => {
    for (let i = 1; i <= 6_100; i++, at += 10) pace.kept(i % lateEvery === 0 ? 1_000 : 10, at)
    return pace.factor()
  }
  expect([minute(200), minute(50), minute(7_000)]).toEqual([4, 4, 2])
})

it('makes windows of a large farm longer, whether reports are late or not', () => {
  let nodes = 5_000
  const pace = createPace(() => nodes)
  expect(pace.factor()).toBe(1)
  nodes = 5_001
  expect(pace.factor()).toBe(2)
  for (const waitedMs of [2_000, 2_000]) pace.kept(waitedMs, 1_000_000)
  nodes = 10_000
  expect(pace.factor()).toBe(2)
  nodes = 1_000_000
  expect(pace.factor()).toBe(6)
})

it('takes no time that went backwards for a long one', () => {
  const { pace, nowMs } = after([40, 9_000])
  pace.kept(10, nowMs - 3_600_000)
  pace.kept(10, nowMs - 3_600_000 + 30_000)
  expect(pace.factor()).toBe(6)
})
