// SPDX-License-Identifier: MIT
// The one way to change control.db: a transaction that carries its events, and effects that run only
// after the commit (a crash in between loses the effect, so every effect must be safe to leave out
// and to repeat: nodes and browsers ask again).
import type { Kysely, Transaction } from 'kysely'
import { appendEvent } from '../audit-chain.ts'
import type { Event } from '../features/events/schema.ts'
import type { Room } from '../storage/room.ts'
import type { Database } from './database.ts'

export type NewEvent = {
  kind: Exclude<Event['kind'], 'metrics'>
  id: string
  action: string
  /** User name, node id or "operator"; left out: the control plane itself. */
  actor?: string
  data?: Record<string, unknown>
}

/** What a writer gets. Use `trx` for every query inside: `db` would wait for this very transaction. */
export type Unit = {
  trx: Transaction<Database>
  /** The event's id: the row of the audit that says so. */
  emit(event: NewEvent): Promise<number>
  afterCommit(effect: () => void): void
}
/** Awaits nothing but the database inside: the whole service writes through one connection. */
export type Write = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>

type Deps = {
  db: Kysely<Database>
  now: () => number
  onEvents: () => void
  /** `work` may run twice: when the disk was full, and room was made. */
  withRoom: Room['withRoom']
}

export function createWrite({ db, now, onEvents, withRoom }: Deps): Write {
  async function attempt<T>(work: (unit: Unit) => Promise<T>) {
    const effects: (() => void)[] = []
    let emitted = false
    const result = await db.transaction().execute((trx) =>
      work({
        trx,
        async emit({ kind, id, action, actor, data }) {
          emitted = true
          const row = { kind, id, action, actor: actor ?? null, data: data ?? {} }
          return await appendEvent(trx, row, now())
        },
        afterCommit(effect) {
          effects.push(effect)
        },
      }),
    )
    return { result, effects, emitted }
  }

  return async (work) => {
    const { result, effects, emitted } = await withRoom(() => attempt(work))
    for (const effect of effects) effect()
    if (emitted) onEvents()
    return result
  }
}
