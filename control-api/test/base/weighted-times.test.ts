// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { WeightedTimes } from '../../src/base/weighted-times.ts'

it('says nothing of what too few were drawn for', () => {
  const times = new WeightedTimes()
  expect(times.quantile(0.5)).toBeNull()
  for (let i = 0; i < 99; i++) times.add(0.1, 1)
  expect(times.count).toBe(99)
  expect(times.quantile(0.5)).toBeCloseTo(0.1, 2)
  expect(times.quantile(0.9)).toBeNull()
  times.add(0.1, 1)
  expect(times.quantile(0.9)).toBeCloseTo(0.1, 2)
  expect(times.quantile(0.99)).toBeNull()
})

it('is at most one percent off', () => {
  const times = new WeightedTimes()
  for (let i = 1; i <= 10_000; i++) times.add(i / 1000, 1)
  for (const [q, exact] of [
    [0.5, 5],
    [0.9, 9],
    [0.99, 9.9],
  ] as const) {
    expect(Math.abs((times.quantile(q) ?? 0) / exact - 1)).toBeLessThan(0.011)
  }
})

it('has no bias when a busy and a quiet node send as many, each with its weight', () => {
  const random = seededRandom(3)
  const times = new WeightedTimes()
  // The busy one answered 9,000 requests in 10 ms or less, the quiet one 1,000 in 1 s or less; of each 500 were drawn.
  for (let i = 0; i < 500; i++) times.add(0.01 * random(), 18)
  for (let i = 0; i < 500; i++) times.add(0.9 + 0.1 * random(), 2)
  expect(times.quantile(0.5)).toBeLessThan(0.01)
  // Of all of them 90 % took less than 10 ms; unweighted it would be half.
  expect(times.quantile(0.89)).toBeLessThan(0.011)
  expect(times.quantile(0.92)).toBeGreaterThan(0.89)
})
