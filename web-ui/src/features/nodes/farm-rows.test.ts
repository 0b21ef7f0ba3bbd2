// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { node } from '../../test/samples.ts'
import { type Block, blocksWith, rowsOf } from './farm-rows.ts'

const items = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => node({ id: `node_${from + i}` }))
const block = (index: number, change: Partial<Block> = {}): Block => ({
  ...{ index, items: items(index * 50, 50), total: 10_000, readAt: 1 },
  ...change,
})

test('as many rows as there are nodes, those that were read in their places', () => {
  const rows = rowsOf([block(0), block(2)])
  expect(rows).toHaveLength(10_000)
  expect([rows[0]?.id, rows[49]?.id, rows[100]?.id]).toEqual(['node_0', 'node_49', 'node_100'])
  expect([rows[50]?.node, rows[9999]?.node]).toEqual([null, null])
  expect(new Set(rows.map(({ id }) => id)).size).toBe(10_000)
})

test('a node that moved from one block into another stands once, where the newer answer has it', () => {
  const moved = node({ id: 'node_50' })
  const older = block(1, { readAt: 1 })
  const newer = block(0, { readAt: 2, items: [moved, ...items(0, 49)] })
  for (const blocks of [
    [older, newer],
    [newer, older],
  ]) {
    const rows = rowsOf(blocks)
    expect(rows[0]?.id).toBe('node_50')
    expect(rows[50]?.node).toBeNull()
  }
})

test('the newest answer says how many there are', () => {
  expect(rowsOf([block(0, { total: 90 }), block(1, { total: 60, readAt: 2 })])).toHaveLength(60)
  expect(rowsOf([])).toEqual([])
})

test('asked for are the blocks that are drawn, and the next one when it is near', () => {
  const drawn = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i)
  expect(blocksWith([], 0)).toEqual([0])
  expect(blocksWith(drawn(100, 120), 3)).toEqual([0])
  expect(blocksWith(drawn(0, 35), 10_000)).toEqual([0])
  expect(blocksWith(drawn(0, 45), 10_000)).toEqual([0, 1])
  expect(blocksWith(drawn(5045, 5090), 10_000)).toEqual([100, 101, 102])
  // Row 3 has the focus.
  expect(blocksWith([3, ...drawn(9980, 9999)], 10_000)).toEqual([0, 199])
})
