// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { boundsOf, levelOf, lookOfLevel, NOTHING } from './levels.ts'

describe('the colours of a measurement', () => {
  test('go in equal steps where values are near each other', () => {
    expect(boundsOf([2, 8, null, 5])).toEqual([3, 4, 5, 6, 7, 8])
  })

  test('go by factors where they are far apart, so that one slow node does not hide the rest', () => {
    const bounds = boundsOf([0.001, 1, null]) ?? []
    expect(bounds).toHaveLength(6)
    expect(bounds[0]).toBeCloseTo(0.00316, 5)
    expect(bounds[5]).toBeCloseTo(1, 9)
    expect(levelOf(0.001, bounds)).toBe('0')
    expect(levelOf(0.02, bounds)).toBe('2')
    expect(levelOf(1, bounds)).toBe('5')
  })

  test('are one where all have the same, and none where nothing was measured', () => {
    expect(boundsOf([0, 0])).toEqual([0])
    expect(levelOf(0, [0])).toBe('0')
    expect(boundsOf([null])).toBeNull()
    expect(levelOf(null, [1])).toBe(NOTHING)
  })

  test('are told by size, too: the more, the larger', () => {
    const sizes = [0, 1, 2, 3, 4, 5].map((level) => {
      const { paths } = lookOfLevel(String(level), 6)
      return Number(/h([\d.]+)v/.exec(paths.fill ?? '')?.[1])
    })
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect(new Set(sizes).size).toBe(6)
    expect(lookOfLevel(NOTHING, 6).paths.fill).toBeUndefined()
  })
})
