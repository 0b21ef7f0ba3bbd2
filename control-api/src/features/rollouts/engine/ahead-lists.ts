// SPDX-License-Identifier: MIT
// Keeps what nodes are told to hold ahead as the rollouts have it that are under way: read when one begins or ends, outside
// the transaction, for of a large one it is a row for each node.
import type { Reader } from '../../../db/database.ts'
import type { ReleasesAhead, Wanted } from '../../../fleet/ahead.ts'
import { newOf } from '../plan/releases.ts'
import { rolloutsAhead, wantedAhead } from '../store/ahead.ts'

type Deps = { db: Reader; ahead: Pick<ReleasesAhead, 'set'> }

export function createAheadLists({ db, ahead }: Deps) {
  const lists = new Map<string, Wanted>()
  let isStale = true
  let work: Promise<void> | null = null

  async function read(): Promise<void> {
    while (isStale) {
      isStale = false
      const underWay = await rolloutsAhead(db)
      for (const id of lists.keys()) if (underWay.every((one) => one.id !== id)) lists.delete(id)
      for (const { id, releases } of underWay) {
        if (lists.has(id)) continue
        const manifests = new Set(newOf(releases).map(({ manifest }) => manifest))
        lists.set(id, await wantedAhead(db, id, manifests))
      }
      ahead.set(lists)
    }
  }

  /** Throws what the database does; it is tried again with the next. */
  async function look(): Promise<void> {
    if (!isStale && work === null) return
    work ??= read()
      .catch((error: unknown) => {
        isStale = true
        throw error
      })
      .finally(() => {
        work = null
      })
    await work
  }

  return {
    look,
    /** One has begun, or ended. */
    changed(): void {
      isStale = true
      // What fails is told by the next tick, which looks again.
      look().catch(() => {})
    },
  }
}
