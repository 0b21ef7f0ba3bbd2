// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { cellAfter, cellAt, layoutOf, partOf, partsOf } from './cells-rules.ts'

describe('a map of cells', () => {
  const wave = (index: number, nodes: number) => ({ index, nodes })

  test('has the largest cells with which it is no higher than a screen shows', () => {
    expect(layoutOf(1400, [wave(0, 60)])).toEqual({ pitch: 16, columns: 87 })
    expect(layoutOf(1400, [wave(0, 100), wave(1, 9900)])).toEqual({ pitch: 7, columns: 200 })
    // On a phone it is higher rather than smaller than one can see.
    expect(layoutOf(340, [wave(0, 10_000)])).toEqual({ pitch: 4, columns: 85 })
  })

  test('finds the wave of a cell', () => {
    const parts = partsOf([wave(0, 2), wave(3, 5)])
    expect(parts.map(({ from }) => from)).toEqual([0, 2])
    expect([0, 1, 2, 6].map((cell) => partOf(parts, cell)?.index)).toEqual([0, 0, 3, 3])
    expect(partOf(parts, 7)).toBeUndefined()
  })

  test.each([
    ['ArrowRight', 3, 4],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 3, 13],
    ['ArrowDown', 95, 99],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['a', 50, null],
  ])('goes with %s from %i to %s', (key, from, to) => {
    expect(cellAfter(key, from, 100, 10)).toBe(to)
  })

  test('tells the cell at a place, and where there is none', () => {
    const layout = { pitch: 10, columns: 4 }
    expect(cellAt({ x: 15, y: 5 }, layout, 6)).toBe(1)
    expect(cellAt({ x: 15, y: 15 }, layout, 6)).toBe(5)
    expect(cellAt({ x: 25, y: 15 }, layout, 6)).toBeNull()
    expect(cellAt({ x: 45, y: 5 }, layout, 6)).toBeNull()
  })
})
