// SPDX-License-Identifier: MIT
// The one way to change control.db: a transaction that carries its events, and effects that run only
// after the commit (a crash in between loses the effect, so every effect must be safe to leave out
// and to repeat: nodes and browsers ask again).
import type { Kysely } from 'kysely'
import type { Database, Trx } from '../db/database.ts'
import type { Store } from '../db/store.ts'
import type { DiskSpace } from '../storage/disk-space.ts'
import { type ChainEnd, chainEnd, chainedTo } from './chain.ts'
import type { NewEvent } from './event.ts'
import { type Bounding, type Cause, createEventBounds } from './event-bounds.ts'
import { type InsertedEvent, insertEvents } from './event-store.ts'

/** What a writer gets. Use `trx` for every query inside: `db` would wait for this very transaction. */
export type Unit = {
  trx: Trx
  /**
   * The event's id: the row of the audit that says so. Of what a node says too often only how much it was is
   * written (event-bounds.ts), and the id is that of the row before.
   */
  emit(event: NewEvent): Promise<number>
  /** Many at once, in this order: rollouts of many nodes say as much of each. */
  emitAll(events: readonly NewEvent[]): Promise<void>
  /** Grows with each row that was written, and with all that will be. */
  changesSoFar(): Promise<number>
  /** For what is written best when all is known: at the end, in the same transaction. */
  beforeCommit(work: () => Promise<void>): void
  afterCommit(effect: () => void): void
}
/** Awaits nothing but the database inside: the whole service writes through one connection. */
export type Write = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>

type Deps = {
  db: Kysely<Database>
  rowsChanged: Store['rowsChanged']
  now: () => number
  onEvents: () => void
  /** `work` may run twice: when the disk was full, and room was made. */
  withRoom: DiskSpace['withRoom']
}

/** What we notice of a node by ourselves, as often as it likes. */
const NOTICED = new Set(['connected', 'disconnected', 'clone-detected', 'clone-ended'])

/** All failed sign-ins together: an account and a network each are rare, many of them are not. */
const FAILED = { kind: 'session', id: 'unknown', action: 'sign-in-failed' } as const

/** Who can bring this about by what they say, a node or a stranger; null: people and rollouts did it, which is not bounded. */
function causeOf({ kind, id, action, actor, data }: NewEvent): Cause | null {
  if (kind === FAILED.kind && action === FAILED.action) return FAILED
  if (kind === 'node') {
    const isItsOwn = actor === id || (actor === undefined && NOTICED.has(action))
    return isItsOwn ? { kind, id, action } : null
  }
  const isStep = kind === 'rollout' && action.startsWith('task-') && actor === undefined
  return isStep && typeof data?.nodeId === 'string'
    ? { kind: 'node', id: data.nodeId, action }
    : null
}
const LEFT_OUT = 'events-left-out'
/** Events in a statement: what waits for it is in memory. */
const WRITTEN_TOGETHER = 500

export function createWrite({ db, rowsChanged, now, onEvents, withRoom }: Deps): Write {
  const beginBounding = createEventBounds()
  /**
   * The chain in one transaction: nobody else writes it meanwhile, so where it ends is read once, and many events are written
   * together.
   */
  const chainIn = (trx: Trx) => {
    let end: ChainEnd | null = null
    let unwritten: InsertedEvent[] = []
    let appended = 0
    const flush = async () => {
      await insertEvents(trx, unwritten)
      unwritten = []
    }
    const append = async (events: readonly NewEvent[]): Promise<number> => {
      const said = events.map(({ kind, id, action, actor, data }) => ({
        ...{ kind, id, action, actor: actor ?? null, data: data ?? {} },
      }))
      const chained = chainedTo(end ?? (await chainEnd(trx)), said, now())
      end = chained.end
      unwritten.push(...chained.rows)
      appended += said.length
      if (unwritten.length >= WRITTEN_TOGETHER) await flush()
      return end.id
    }
    return { append, flush, appended: () => appended }
  }

  /** The event, unless it is one too many, and what was left out before it. */
  function bounded(bounding: Bounding, event: NewEvent): NewEvent[] {
    const cause = causeOf(event)
    if (!cause) return [event]
    const { write, summary } = bounding.judge(cause, now())
    const { kind, id } = cause
    const said = summary ? [{ kind, id, action: LEFT_OUT, data: summary }] : []
    return write ? [...said, event] : said
  }

  async function attempt<T>(work: (unit: Unit) => Promise<T>) {
    const effects: (() => void)[] = []
    const lasts: (() => Promise<void>)[] = []
    let emitted = false
    const bounding = beginBounding()
    const forget = (error: unknown): never => {
      bounding.undo()
      throw error
    }
    const inTransaction = async (trx: Trx) => {
      const chain = chainIn(trx)
      const done = await work({
        trx,
        async emit(event) {
          emitted = true
          return await chain.append(bounded(bounding, event))
        },
        async emitAll(events) {
          if (events.length === 0) return
          emitted = true
          await chain.append(events.flatMap((event) => bounded(bounding, event)))
        },
        changesSoFar: async () =>
          (await rowsChanged(trx)) + chain.appended() + effects.length + lasts.length,
        beforeCommit(last) {
          lasts.push(last)
        },
        afterCommit(effect) {
          effects.push(effect)
        },
      })
      for (const last of lasts) await last()
      await chain.flush()
      return done
    }
    // Before the next one begins; and of one whose commit fails.
    const result = await db
      .transaction()
      .execute((trx) => inTransaction(trx).catch(forget))
      .catch(forget)
    return { result, effects, emitted }
  }

  return async (work) => {
    const { result, effects, emitted } = await withRoom(() => attempt(work))
    for (const effect of effects) effect()
    if (emitted) onEvents()
    return result
  }
}
