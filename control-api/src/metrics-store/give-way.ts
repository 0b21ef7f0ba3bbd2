// SPDX-License-Identifier: MIT
// Measurements give way to decisions when the disk is full: oldest first, until enough is free. What rollouts
// rest on is not here: their evidence is in control.db, and what gates look at in memory (latency-board.ts).
import { statSync } from 'node:fs'
import type { MetricsDb } from './metrics-db.ts'
import type { RingStore } from './ring-store.ts'

export type GiveWay = { wantedBytes: number; nowMs: number }

/** Of what each ring keeps otherwise; the last: ten minutes of the finest, twelve days of the coarsest. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
const PAGES_AT_ONCE = 2_000

/** By how many bytes its files have shrunk. */
export function giveWay(db: MetricsDb, rings: RingStore, { wantedBytes, nowMs }: GiveWay): number {
  const before = bytesOf(db)
  const freed = () => before - bytesOf(db)
  inPlace(db, () => {
    for (const share of SHARES) {
      for (let last: number | null = 0; last !== null; ) last = rings.pruneSome(nowMs, last, share)
      shrink(db)
      if (freed() >= wantedBytes) return
    }
  })
  return freed()
}

/**
 * There is no room for a log of what is deleted. Should the power fail meanwhile, the file is damaged, and
 * set aside with the next start.
 */
function inPlace(db: MetricsDb, work: () => void): void {
  db.pragma('journal_mode = memory')
  db.pragma('synchronous = off')
  try {
    work()
  } finally {
    db.pragma('synchronous = normal')
    db.pragma('journal_mode = wal')
  }
}

/** In steps: what it moves is kept in memory until the end of each. */
function shrink(db: MetricsDb): void {
  const free = () => Number(db.pragma('freelist_count', { simple: true }))
  for (let before = free(); before > 0; ) {
    db.pragma(`incremental_vacuum(${PAGES_AT_ONCE})`)
    const after = free()
    if (after >= before) return
    before = after
  }
}

const bytesOf = ({ name }: MetricsDb): number =>
  [name, `${name}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
