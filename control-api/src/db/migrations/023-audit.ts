// SPDX-License-Identifier: MIT
// The events become the audit: how each came about, and a chain of digests over them.
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of columns) await sql.raw(statement).execute(db)
  await chain(db)
  for (const statement of guards) await sql.raw(statement).execute(db)
}

const columns = [
  `drop trigger events_are_not_changed`,
  `alter table events add column via text not null default 'service'`,
  `alter table events add column token_id text`,
  `alter table events add column request_id text`,
  `alter table events add column address text`,
  `alter table events add column hash text not null default ''`,
  `alter table events add column by_whom text generated always as
     (case via when 'service' then 'service' when 'agent' then 'nodes' else 'people' end) virtual`,
  // As far as it is known of what happened before.
  `update events set via = case
     when actor is null then 'service'
     when actor = 'operator' then 'operator'
     when actor glob 'node_??????????????????????????' then 'agent'
     else 'session' end`,
]

const guards = [
  `create trigger events_are_not_changed before update on events
     begin select raise(abort, 'events are append-only'); end`,
  `create trigger events_are_appended before insert on events
     when new.id is not (select coalesce(max(id), 0) + 1 from events) or length(new.hash) <> 64
     begin select raise(abort, 'events are append-only: each follows the last, with its hash'); end`,
  ...[
    'at_ms',
    'actor, at_ms',
    'kind, at_ms',
    'action, at_ms',
    'object_id, at_ms',
    'by_whom, at_ms',
  ].map((list) => `create index events_by_${list.replace(', ', '_')} on events (${list})`),
]

type Row = {
  id: number
  at_ms: number
  kind: string
  object_id: string
  action: string
  actor: string | null
  via: string
  data: string
}
const BATCH = 1000

async function chain(db: Kysely<unknown>): Promise<void> {
  const own = await sql<{
    value: string
  }>`select value from meta where key = 'controlPlaneId'`.execute(db)
  let previousHash = sha256(`farmstead-audit:${own.rows[0]?.value ?? ''}`)
  for (let after = 0; ; ) {
    const { rows } =
      await sql<Row>`select * from events where id > ${after} order by id limit ${BATCH}`.execute(
        db,
      )
    for (const row of rows) {
      const { text, data } = wellFormed(row.data)
      previousHash = hashOf(row, data, previousHash)
      await sql`update events set hash = ${previousHash}, data = ${text} where id = ${row.id}`.execute(
        db,
      )
      after = row.id
    }
    if (rows.length < BATCH) return
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Half a surrogate pair has no canonical form. */
function wellFormed(json: string): { text: string; data: unknown } {
  const text = json.replaceAll(/(\\\\)|\\u(d[89a-f][0-9a-f]{2})/gi, (all, escaped) =>
    escaped ? all : '\ufffd',
  )
  return { text, data: JSON.parse(text) }
}

function hashOf(row: Row, data: unknown, previousHash: string): string {
  const { id, at_ms, kind, object_id, action, actor, via } = row
  const record = {
    ...{ id, at: new Date(at_ms).toISOString(), kind, object: object_id, action, actor, via },
    ...{ tokenId: null, requestId: null, address: null, data, previousHash },
  }
  return sha256(canonicalize(record) ?? '')
}
