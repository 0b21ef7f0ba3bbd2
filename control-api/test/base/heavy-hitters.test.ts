// SPDX-License-Identifier: MIT
// What comes most often is named, and never counted wrong by more than is said.
import { describe, expect, it } from 'vitest'
import { HeavyHitters } from '../../src/base/heavy-hitters.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'

describe('what comes most often', () => {
  it('is counted exactly while there is room', () => {
    const hitters = new HeavyHitters(3)
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) hitters.add(key)
    expect(hitters.top(2)).toEqual([
      { key: 'a', count: 3, overcountAtMost: 0 },
      { key: 'b', count: 2, overcountAtMost: 0 },
    ])
  })

  it('counts a weight as so many', () => {
    const hitters = new HeavyHitters(2)
    hitters.add('a', 2.5)
    hitters.add('b')
    hitters.add('a', 2.5)
    expect(hitters.top(1)).toEqual([{ key: 'a', count: 5, overcountAtMost: 0 }])
  })

  it('stays within its bounds, whatever comes, and misses none that comes often', () => {
    const random = seededRandom(7)
    const hitters = new HeavyHitters(50)
    const truth = new Map<string, number>()
    for (let i = 0; i < 20_000; i++) {
      // Few come often, over far more keys than are counted.
      const key = `/${Math.floor(2_000 * random() ** 4)}`
      truth.set(key, (truth.get(key) ?? 0) + 1)
      hitters.add(key)
    }
    expect(truth.size).toBeGreaterThan(500)
    const named = hitters.top(50)
    expect(named).toHaveLength(50)
    for (const { key, count, overcountAtMost } of named) {
      const real = truth.get(key) ?? 0
      expect(count).toBeGreaterThanOrEqual(real)
      expect(count - overcountAtMost).toBeLessThanOrEqual(real)
    }
    const last = named.at(-1)?.count ?? 0
    const keys = new Set(named.map(({ key }) => key))
    for (const [key, real] of truth) {
      if (!keys.has(key)) expect(real).toBeLessThanOrEqual(last)
    }
    expect(last).toBeLessThanOrEqual(20_000 / 50)
  })
})
