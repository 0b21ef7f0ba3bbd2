// SPDX-License-Identifier: MIT
// Opens metrics.db as a copy of PostgreSQL's record, and tries until it can: whoever leads decides meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { giveWay } from '../give-way.ts'
import { openMetricsDb } from '../open.ts'
import type { Opened } from '../opened.ts'
import { createRingStore } from '../ring-store.ts'
import type { WritersPlace } from './copy.ts'
import { createGate } from './gate.ts'
import { type Mirrored, messageOf, openMirrored, type TellTrouble } from './mirror.ts'
import { Deposed, RecordRefused } from './record.ts'

const TRY_AGAIN_MS = 1_000

type How = { place: WritersPlace; tell: TellTrouble; signal: AbortSignal }

/** null: another replica leads, or it is over. */
export async function openWithRecord(path: string, how: How): Promise<Opened | null> {
  const { place, tell, signal } = how
  let hasTrouble = false
  while (!signal.aborted) {
    try {
      const mirrored = await openMirrored(path, place, tell)
      if (hasTrouble) tell(null)
      return asCopy(mirrored)
    } catch (error) {
      hasTrouble = true
      tell(messageOf(error))
      if (error instanceof Deposed) return null
      if (error instanceof RecordRefused) return toLookAt(path, error)
      await sleep(TRY_AGAIN_MS)
    }
  }
  return null
}

function asCopy({ db, mirror }: Mirrored): Opened {
  const rings = createRingStore(db)
  const gate = createGate(mirror, rings)
  return {
    rings,
    ...gate,
    keepUp: mirror.keepUp,
    giveWay: (order) => mirror.alone(() => giveWay(db, rings, order)),
    async close() {
      await mirror.close()
      db.close()
    },
  }
}

/** Past measurements are there to be looked at; a copy that nobody notes the changes of is not changed. */
function toLookAt(path: string, refused: RecordRefused): Opened {
  const db = openMetricsDb(path)
  const rings = createRingStore(db)
  return {
    rings,
    take() {
      throw refused
    },
    requireRead: () => {},
    canRollUp: () => false,
    keepUp: () => {},
    giveWay: (order) => giveWay(db, rings, order),
    close: () => void db.close(),
  }
}
