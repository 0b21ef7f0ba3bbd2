// SPDX-License-Identifier: MIT
// Tells listeners in this process what was committed to the events table, in its order, each once.
// It reads the table rather than being told, so that events of the operator's commands, written by
// another process, arrive too.
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Event } from './event.ts'

export type StoredEvent = {
  id: number
  event: Event
  /** User name, node id or "operator"; null: the control plane itself. */
  actor: string | null
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
  let last = await newestId(db)
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
      if (batch.length < BATCH && !again) return
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
      const first = await db
        .selectFrom('events')
        .select('id')
        .where('id', '>', last - limit)
        .where('at_ms', '>=', atMs)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return first ? first.id - 1 : last
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

async function newestId(db: Kysely<Database>): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return row?.id ?? 0
}

async function readAfter(db: Kysely<Database>, id: number, limit: number): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'kind', 'object_id', 'action', 'at_ms', 'actor'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    actor: row.actor,
    event: {
      kind: row.kind as Event['kind'],
      id: row.object_id,
      action: row.action,
      at: new Date(row.at_ms).toISOString(),
    },
  }))
}
