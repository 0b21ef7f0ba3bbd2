// SPDX-License-Identifier: MIT
// An open metrics.db: by itself, or as a copy of what PostgreSQL keeps (postgres/opening.ts).
import { type GiveWay, giveWay } from './give-way.ts'
import type { Question } from './messages.ts'
import { openMetricsDb } from './open.ts'
import { FORGET_COPY } from './postgres/forget.ts'
import { createRingStore, type Outcome, type RingStore, type Take } from './ring-store.ts'

/** What was measured then is kept, and not here yet: neither a gap nor nothing. */
export class NotReadYet extends Error {}

export type Opened = {
  rings: RingStore
  take(takes: Take[]): Outcome[] | Promise<Outcome[]>
  /** Throws NotReadYet. */
  requireRead(question: Question): void
  /** All that sums are made of is here. */
  canRollUp(): boolean
  /** What is kept elsewhere of a time that is over goes there, too. */
  keepUp(nowMs: number): void
  giveWay(order: GiveWay): number | Promise<number>
  close(): void | Promise<void>
}

export function openAlone(path: string): Opened {
  const db = openMetricsDb(path)
  db.exec(FORGET_COPY)
  const rings = createRingStore(db)
  return {
    rings,
    take: rings.takeAll,
    requireRead: () => {},
    canRollUp: () => true,
    keepUp: () => {},
    giveWay: (order) => giveWay(db, rings, order),
    close: () => void db.close(),
  }
}
