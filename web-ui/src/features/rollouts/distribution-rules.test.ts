// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { Distribution } from '../../lib/api-types.ts'
import { drawnOf, endOf, marksOf, markWords, sharesOf, ticksOf } from './distribution-rules.ts'

const distribution = (change: Partial<Distribution> = {}): Distribution => ({
  ...{ stage: 'total', firstColumn: -20, canary: [1, 3], control: [10, 10], quantiles: [] },
  ...change,
})

test('sides of different sizes are compared by their shares', () => {
  expect(sharesOf(distribution())).toEqual({ canary: [0.25, 0.75], control: [0.5, 0.5] })
  expect(sharesOf(distribution({ canary: [0, 0] })).canary).toEqual([0, 0])
})

test('a column ends where the API says', () => {
  expect(endOf(distribution(), 1)).toBeCloseTo(2 ** -9, 12)
})

test('is drawn as steps as high as the shares', () => {
  const size = { width: 100, height: 50, most: 0.5 }
  expect(drawnOf([0.5, 0.25], size)).toBe('M0 50V0H50V25H100')
})

test('percentiles are marked where they lie, and never outside of the picture', () => {
  // Columns up to 2^-9.5 and 2^-9 seconds.
  const quantiles = [
    { q: 0.5, canary: 2 ** -9.5, control: 2 ** -9.75 },
    { q: 0.99, canary: 1, control: null },
  ]
  const of = distribution({ quantiles })
  expect(marksOf(of).map(({ key, at, isLast }) => [key, at, isLast])).toEqual([
    ['canary 0.5', expect.closeTo(0.5, 9), false],
    ['canary 0.99', 1, true],
    ['control 0.5', expect.closeTo(0.25, 9), false],
  ])
  expect(markWords({ ...of, stage: 'handshake' })[1]).toBe(
    '99 % of the handshakes took at most 1 s with the new version, – on the other nodes.',
  )
  expect(marksOf(distribution())).toEqual([])
})

describe('the axis', () => {
  test('has powers of ten inside of the picture, four at most', () => {
    const many = Array<number>(62).fill(1)
    const ticks = ticksOf(distribution({ firstColumn: -42, canary: many, control: many }))
    expect(ticks.length).toBeGreaterThan(1)
    expect(ticks.length).toBeLessThanOrEqual(4)
    for (const { at } of ticks) expect(at).toBeGreaterThan(0)
    expect(ticks.map(({ seconds }) => Math.log10(seconds) % 1)).toEqual(
      ticks.map(() => expect.closeTo(0, 9)),
    )
  })

  test('has one in the middle where no power of ten is', () => {
    const [tick, ...others] = ticksOf(distribution({ firstColumn: -18 }))
    expect(others).toEqual([])
    expect(tick?.at).toBe(0.5)
    expect(tick?.seconds).toBeCloseTo(2 ** -8.5, 9)
  })
})
