// SPDX-License-Identifier: MIT
// The farm's long table out of the blocks of it that were read. Pure.
import type { Node } from '../../lib/api-types.ts'

/** Rows that are asked for at a time. */
export const BLOCK_ROWS = 50
/** Rows before and after those that are drawn, for which it is asked as well. */
const SPARE_ROWS = 10

export type Block = { index: number; items: readonly Node[]; total: number; readAt: number }
/** `node` is null until its block is there. */
export type FarmRow = { id: string; node: Node | null }

/**
 * Between two blocks' answers a node may move from one to the other: it stands where the newer answer has it, so
 * that no row comes twice.
 */
export function rowsOf(blocks: readonly Block[]): FarmRow[] {
  const newestFirst = blocks.toSorted((one, other) => other.readAt - one.readAt)
  const total = newestFirst[0]?.total ?? 0
  const rows = Array.from({ length: total }, (_, i): FarmRow => ({ id: `row ${i}`, node: null }))
  const placed = new Set<string>()
  for (const { index, items } of newestFirst) {
    items.forEach((node, i) => {
      const at = index * BLOCK_ROWS + i
      if (at >= total || placed.has(node.id)) return
      placed.add(node.id)
      rows[at] = { id: node.id, node }
    })
  }
  return rows
}

/** Which blocks hold those of so many rows that have these indexes, and their neighbours. */
export function blocksWith(indexes: readonly number[], total: number): number[] {
  const blocks = new Set<number>()
  for (const index of indexes) {
    for (const near of [index - SPARE_ROWS, index, index + SPARE_ROWS]) {
      if (near >= 0 && near < total) blocks.add(Math.floor(near / BLOCK_ROWS))
    }
  }
  // How many there are by now one of them tells.
  return blocks.size === 0 ? [0] : [...blocks].toSorted((a, b) => a - b)
}
