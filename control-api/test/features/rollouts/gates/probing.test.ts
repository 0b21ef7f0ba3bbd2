// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import {
  probedWithinMs,
  type Side,
  whatToProbe,
} from '../../../../src/features/rollouts/gates/probing.ts'

const side = (nodes: number, requests = 0, name = 'n'): Side => ({
  nodeIds: Array.from({ length: nodes }, (_, i) => `${name}${String(i).padStart(4, '0')}`),
  requests,
})
const want = (canary: Side, control: Side, minSamples = 500) =>
  whatToProbe({ canary, control, minSamples })

describe('what nodes are to fetch', () => {
  it('is as much on each side, until the side with fewer nodes has enough', () => {
    expect(want(side(1, 0, 'a'), side(2, 0, 'b'))).toEqual({
      nodeIds: ['a0000', 'b0000', 'b0001'],
      count: 500,
      perSecond: 25,
    })
  })

  it('is only what is missing', () => {
    expect(want(side(1, 450), side(1, 500))).toMatchObject({ count: 50, perSecond: 3 })
    expect(want(side(1, 500), side(1, 490))).toMatchObject({ count: 10, perSecond: 1 })
    expect(want(side(1, 500), side(1, 500))).toBeNull()
    expect(want(side(1, 9_000), side(1, 9_000))).toBeNull()
  })

  it('is nothing when there is nobody to compare with', () => {
    expect(want(side(1), side(0))).toBeNull()
    expect(want(side(0), side(1))).toBeNull()
  })

  it('stays within what a node takes: 50 a second, 2,000 at once', () => {
    const most = want(side(1), side(1), 1_000_000)
    expect(most).toMatchObject({ count: 2_000, perSecond: 50 })
    expect(most && probedWithinMs(most)).toBeLessThanOrEqual(60_000)
  })

  it('is asked of twenty nodes of a side at most', () => {
    const wanted = want(side(1, 0, 'a'), side(1_000, 0, 'b'))
    expect(wanted?.nodeIds).toHaveLength(21)
    expect(wanted?.nodeIds.at(-1)).toBe('b0019')
  })

  it('is spread over several windows, and not asked for again before it is reported', () => {
    for (const minSamples of [1, 20, 21, 500, 1_000, 2_000]) {
      const wanted = want(side(1), side(1), minSamples)
      if (!wanted) throw new Error('nothing is wanted')
      const seconds = wanted.count / wanted.perSecond
      if (minSamples > 20) expect(seconds).toBeGreaterThan(10)
      expect(seconds).toBeLessThanOrEqual(40)
      expect(probedWithinMs(wanted)).toBeGreaterThanOrEqual(seconds * 1_000 + 5_000)
    }
  })
})
