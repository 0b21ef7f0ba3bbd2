// SPDX-License-Identifier: MIT
// The events as a chain: each row carries a digest over itself and the row before it, so that a row that
// was changed, removed or put elsewhere is found. Whoever can write the database can make a whole new
// chain; only a head that was noted elsewhere shows that (docs/audit.md).
import canonicalize from 'canonicalize'
import type { Selectable } from 'kysely'
import { sha256 } from '../base/ids.ts'
import type { EventsTable, Reader } from '../db/database.ts'
import { type InsertedEvent, newestEvent, ownId } from './event-store.ts'
import { currentOrigin, type Via } from './origin.ts'

/** A line of an export without its own hash. The hash is the SHA-256 of its canonical form (RFC 8785). */
export type AuditRecord = {
  id: number
  at: string
  kind: string
  object: string
  action: string
  actor: string | null
  via: string
  tokenId: string | null
  requestId: string | null
  address: string | null
  data: unknown
  previousHash: string
}
export type ChainRow = Omit<Selectable<EventsTable>, 'by_whom'>

/** What the first event follows. */
export const genesisHash = (controlPlaneId: string) => sha256(`farmstead-audit:${controlPlaneId}`)

export function recordOf(row: Omit<ChainRow, 'hash'>, previousHash: string): AuditRecord {
  return {
    id: row.id,
    at: new Date(row.at_ms).toISOString(),
    kind: row.kind,
    object: row.object_id,
    action: row.action,
    actor: row.actor,
    via: row.via,
    tokenId: row.token_id,
    requestId: row.request_id,
    address: row.address,
    data: JSON.parse(row.data),
    previousHash,
  }
}

export const hashOf = (record: AuditRecord) => sha256(canonicalize(record) ?? '')

export type AppendedEvent = {
  kind: string
  id: string
  action: string
  actor: string | null
  data: Record<string, unknown>
}

/** The newest event's id and hash, or what the first one follows. */
export type ChainEnd = { id: number; hash: string }

/** As they are written behind the chain's end, by who holds the write lock since that was read. */
export function chainedTo(
  { id, hash }: ChainEnd,
  events: readonly AppendedEvent[],
  nowMs: number,
): { rows: InsertedEvent[]; end: ChainEnd } {
  const origin = currentOrigin()
  const end = { id, hash }
  const rows = events.map((event) => {
    const row = rowOf(event, end.id + 1, { nowMs, origin })
    end.id = row.id
    end.hash = hashOf(recordOf(row, end.hash))
    return { ...row, hash: end.hash }
  })
  return { rows, end }
}

type Origin = ReturnType<typeof currentOrigin>

function rowOf(
  { kind, id, action, actor, data }: AppendedEvent,
  number: number,
  { nowMs, origin }: { nowMs: number; origin: Origin },
): Omit<ChainRow, 'hash'> {
  const { via, tokenId, requestId, address } = origin
  const by: Via = actor === null ? 'service' : via
  return {
    id: number,
    at_ms: nowMs,
    kind,
    object_id: wellFormed(id),
    action,
    actor: actor === null ? null : wellFormed(actor),
    via: by,
    token_id: by === 'token' ? tokenId : null,
    request_id: requestId,
    address,
    data: JSON.stringify(data, (_key, value) => wellFormed(value)),
  }
}

/** Half a surrogate pair has no UTF-8, so neither SQLite nor the canonical form could hold it; PostgreSQL holds no NUL. */
function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd') as T
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
  if (entries.every(([key]) => key.isWellFormed())) return value
  return Object.fromEntries(entries.map(([key, part]) => [key.toWellFormed(), part])) as T
}

export const chainEnd = async (db: Reader): Promise<ChainEnd> =>
  (await newestEvent(db)) ?? { id: 0, hash: genesisHash(await ownId(db)) }
