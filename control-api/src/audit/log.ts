// SPDX-License-Identifier: MIT
// Tells listeners in this process what was committed to the events table, in its order, each once.
// It reads the table rather than being told, so that events of the operator's commands, written by
// another process, arrive too.
import type { Kysely } from 'kysely'
import { nextTurn } from '../base/slices.ts'
import type { Database } from '../db/database.ts'
import type { Event } from './event.ts'
import { type EventRow, eventsAfter, firstSince, newestEventId } from './event-store.ts'

export type StoredEvent = {
  id: number
  event: Event
  /** User name, node id or "operator"; null: the control plane itself. */
  actor: string | null
  /** What an alert is about; null: of other things people ask. For who is told elsewhere. */
  detail: Record<string, unknown> | null
}
type Listener = (event: StoredEvent) => void

export type EventLog = {
  /** Look for committed events now. */
  wake(): void
  /** Returns how to stop. */
  subscribe(listener: Listener): () => void
  lastId(): number
  /** The event before the first of those since then; looks at the newest `limit` events only. */
  lastBefore(atMs: number, limit: number): Promise<number>
  /** At most `limit` events after `id`, oldest first. */
  after(id: number, limit: number): Promise<StoredEvent[]>
  close(): Promise<void>
}

/** How soon the events of another process are noticed. */
const POLL_MS = 1000
const BATCH = 500

export async function openEventLog(db: Kysely<Database>): Promise<EventLog> {
  const listeners = new Set<Listener>()
  let last = await newestEventId(db)
  let running: Promise<void> | null = null
  let again = false
  let closed = false

  const publishNew = async () => {
    for (;;) {
      again = false
      const batch = await readAfter(db, last, BATCH)
      for (const stored of batch) {
        last = stored.id
        for (const listener of listeners) listener(stored)
      }
      if (batch.length === BATCH) await nextTurn()
      else if (!again) return
    }
  }
  const wake = () => {
    if (closed) return
    again = true
    // A failed read is repeated by the next poll; the rows are still there.
    running ??= publishNew()
      .catch(() => {})
      .finally(() => {
        running = null
        if (again) wake()
      })
  }
  const timer = setInterval(wake, POLL_MS)
  timer.unref()

  return {
    wake,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lastId: () => last,
    lastBefore: async (atMs, limit) => {
      const first = await firstSince(db, { atMs, after: last - limit })
      return first === null ? last : first - 1
    },
    after: (id, limit) => readAfter(db, id, limit),
    async close() {
      closed = true
      clearInterval(timer)
      await running
      listeners.clear()
    },
  }
}

const readAfter = async (db: Kysely<Database>, id: number, limit: number): Promise<StoredEvent[]> =>
  (await eventsAfter(db, id, limit)).map(toStored)

const toStored = (row: EventRow): StoredEvent => ({
  id: row.id,
  actor: row.actor,
  detail: row.detail === null ? null : JSON.parse(row.detail),
  event: {
    kind: row.kind as Event['kind'],
    id: row.object_id,
    action: row.action,
    at: new Date(row.at_ms).toISOString(),
  },
})
