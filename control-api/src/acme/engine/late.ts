// SPDX-License-Identifier: MIT
import { latestOf } from '../../certificates/store.ts'
import type { Reader } from '../../db/database.ts'
import { failingManaged } from '../managed-store.ts'

const LOOKED_AT = 1000
const LATEST = 2 / 3
/** Anybody may ask how the service is. */
const GOOD_MS = 10_000

type Deps = { db: Reader; now: () => number }

/** Managed certificates whose orders fail, and that are within the last third of their life, or never had one. */
export function createLate({ db, now }: Deps): () => Promise<string[]> {
  let known: { names: string[]; atMs: number } | null = null
  return async () => {
    const nowMs = now()
    if (known !== null && Math.abs(nowMs - known.atMs) < GOOD_MS) return known.names
    const failing = await failingManaged(db, nowMs, LOOKED_AT)
    const latest = await latestOf(db, failing)
    const names = failing.filter((name) => {
      const { notBeforeMs = 0, notAfterMs = 0 } = latest.get(name) ?? {}
      return nowMs >= notBeforeMs + (notAfterMs - notBeforeMs) * LATEST
    })
    known = { names, atMs: nowMs }
    return names
  }
}
