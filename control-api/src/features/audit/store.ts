// SPDX-License-Identifier: MIT
// The audit at rest is the events table. Every look-up walks one index from its newest end and looks at
// no more rows than it says, however many there are.
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { ChainRow } from '../../audit/chain.ts'
import type { Database } from '../../db/database.ts'
import { lowered } from '../../db/lowered.ts'
import { nodeNames } from '../../node-identity/store/nodes.ts'
import type { AuditEntry, AuditFilter } from './schema.ts'

/** Rows one page may look at. A rare match among many rows takes several pages. */
export const LOOKED_AT = 5_000

type Place = { atMs: number; id: number }
type Entry = Omit<ChainRow, 'data' | 'hash'> & { by_whom: string }
export type AuditPage = { rows: Entry[]; next: Place | null }

const ENTRY = [
  'id',
  'at_ms',
  'kind',
  'object_id',
  'action',
  'actor',
  'via',
  'by_whom',
  'token_id',
  'request_id',
  'address',
] as const

/** Each has an index that goes on with the time; the first that is given is walked. */
const FILTERS = [
  ['object', 'object_id'],
  ['actor', 'actor'],
  ['action', 'action'],
  ['kind', 'kind'],
  ['by', 'by_whom'],
] as const

type Events = SelectQueryBuilder<Database, 'events', object>

export async function auditPage(
  db: Kysely<Database>,
  filter: AuditFilter,
  { after, limit, lookAt = LOOKED_AT }: { after: Place | null; limit: number; lookAt?: number },
): Promise<AuditPage> {
  const rows = await db
    .with('walked', () =>
      walk(db, filter, after)
        .select([...ENTRY, 'data'])
        .limit(lookAt),
    )
    .selectFrom('walked')
    .select(ENTRY)
    .$call((query) => narrow(query as unknown as Events, filter) as unknown as typeof query)
    // In the order of the walk: to sort here would be to walk on when the page is full.
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  if (rows.length > limit && last) return { rows: shown, next: { atMs: last.at_ms, id: last.id } }
  return { rows: shown, next: await lastWalked(db, filter, after, lookAt) }
}

/** Where a walk that looked at all it may has come to; null: it saw everything. */
async function lastWalked(
  db: Kysely<Database>,
  filter: AuditFilter,
  after: Place | null,
  lookAt: number,
): Promise<Place | null> {
  const row = await walk(db, filter, after)
    .select(['at_ms', 'id'])
    .offset(lookAt - 1)
    .limit(1)
    .executeTakeFirst()
  return row ? { atMs: row.at_ms, id: row.id } : null
}

function walk(db: Kysely<Database>, filter: AuditFilter, after: Place | null): Events {
  const walked = FILTERS.find(([name]) => filter[name] !== undefined)
  let query: Events = db.selectFrom('events')
  if (walked) query = query.where(walked[1], '=', filter[walked[0]] ?? '')
  if (filter.from) query = query.where('at_ms', '>=', Date.parse(filter.from))
  if (filter.to) query = query.where('at_ms', '<', Date.parse(filter.to))
  if (after) query = query.where(sql<boolean>`(at_ms, id) < (${after.atMs}, ${after.id})`)
  return query.orderBy('at_ms', 'desc').orderBy('id', 'desc')
}

/** As an expression by no index: what is walked bounds the work, and by another one it would be found anew each time. */
function narrow(query: Events, filter: AuditFilter): Events {
  let narrowed = query
  for (const [name, column] of FILTERS) {
    const wanted = filter[name]
    if (wanted !== undefined) narrowed = narrowed.where(sql`${sql.ref(column)} || ''`, '=', wanted)
  }
  if (filter.without !== undefined) narrowed = narrowed.where('action', '!=', filter.without)
  if (filter.q === undefined) return narrowed
  const pattern = `%${lowered(filter.q).replaceAll(/[\\%_]/g, '\\$&')}%`
  return narrowed.where(sql<boolean>`lower(data) like ${pattern} escape '\\'`)
}

export function auditRow(db: Kysely<Database>, id: number) {
  return db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst()
}

/** In the order of the chain, at most `ids` rows looked at; each brings the hash of the row before it. */
export async function chainSlice(
  db: Kysely<Database>,
  { after, ids }: { after: number; ids: number },
  filter: AuditFilter = {},
) {
  let query = db
    .selectFrom('events')
    .selectAll()
    .select((row) =>
      row
        .selectFrom('events as before')
        .select('before.hash')
        .where('before.id', '<', row.ref('events.id'))
        .orderBy('before.id', 'desc')
        .limit(1)
        .as('previous_hash'),
    )
    .where('id', '>', after)
    .where('id', '<=', after + ids)
  if (filter.from) query = query.where('at_ms', '>=', Date.parse(filter.from))
  if (filter.to) query = query.where('at_ms', '<', Date.parse(filter.to))
  const narrowed = narrow(query as unknown as Events, filter) as unknown as typeof query
  return await narrowed.orderBy('id').execute()
}

/** Entries say which node by its id; people know it by its name. */
export const namesIn = (
  db: Kysely<Database>,
  entries: readonly Pick<Entry, 'object_id' | 'actor'>[],
): Promise<ReadonlyMap<string, string>> => {
  const said = entries.flatMap(({ object_id, actor }) => [object_id, actor ?? ''])
  return nodeNames(
    db,
    said.filter((id) => id.startsWith('node_')),
    null,
  )
}

export const viewEntry = (row: Entry, names: ReadonlyMap<string, string>): AuditEntry => ({
  id: row.id,
  at: new Date(row.at_ms).toISOString(),
  kind: row.kind,
  object: row.object_id,
  objectName: names.get(row.object_id) ?? null,
  action: row.action,
  actor: row.actor,
  actorName: names.get(row.actor ?? '') ?? null,
  by: row.by_whom as AuditEntry['by'],
  via: row.via,
  tokenId: row.token_id,
  requestId: row.request_id,
  address: row.address,
})
