// SPDX-License-Identifier: MIT
// What nodes say that they serve: read back from the running server, as the config's digest is.
import { sql } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Reader, Trx } from '../db/database.ts'
import { labelsWithin } from '../db/labels.ts'

/** Under one host several, when they have keys of different kinds. */
export type Served = { host: string; fingerprint: string; notAfterMs: number }
export type ServedByNode = Served & { sinceMs: number }

export async function servedBy(db: Reader, nodeId: string): Promise<ServedByNode[]> {
  const rows = await db
    .selectFrom('served_certificates')
    .selectAll()
    .where('node_id', '=', nodeId)
    .orderBy('host')
    .orderBy('fingerprint')
    .execute()
  return rows.map((row) => ({
    host: row.host,
    fingerprint: row.fingerprint,
    notAfterMs: row.not_after_ms,
    sinceMs: row.since_ms,
  }))
}

/** What it said before goes; what it says again keeps its time. */
export async function setServed(
  trx: Trx,
  nodeId: string,
  served: readonly Served[],
  nowMs: number,
): Promise<void> {
  const said = JSON.stringify(served)
  await sql`delete from served_certificates where node_id = ${nodeId} and (host, fingerprint) not in (
    select value ->> 'host', value ->> 'fingerprint' from json_each(${said}))`.execute(trx)
  await sql`insert into served_certificates (node_id, host, fingerprint, not_after_ms, since_ms)
    select ${nodeId}, value ->> 'host', value ->> 'fingerprint', value ->> 'notAfterMs', ${nowMs}
    from json_each(${said}) where true
    on conflict (node_id, host, fingerprint) do nothing`.execute(trx)
}

export type ServedWhere = {
  number: number
  fingerprint: string
  nodeId: string
  nodeName: string
  host: string
  notAfterMs: number
  sinceMs: number
}
type Place = { number: number; nodeId: string; host: string }

/** The nodes that serve versions of the certificate, the newest version's first. */
export async function servedWhere(
  db: Reader,
  name: string,
  { after, limit, scope }: { after: Place | null; limit: number; scope: Scope },
): Promise<ServedWhere[]> {
  const rows = await db
    .selectFrom('certificate_versions as v')
    .innerJoin('served_certificates as s', 's.fingerprint', 'v.fingerprint')
    .innerJoin('nodes', 'nodes.id', 's.node_id')
    .select(['v.number', 'v.fingerprint', 's.node_id', 'nodes.name', 's.host'])
    .select(['s.not_after_ms', 's.since_ms'])
    .where('v.certificate', '=', name)
    .where('nodes.decommissioned_at_ms', 'is', null)
    .where(labelsWithin('nodes.labels', scope))
    .$if(after !== null, (query) =>
      query.where(
        sql<boolean>`(-v.number, s.node_id, s.host) > (${-(after?.number ?? 0)}, ${after?.nodeId ?? ''}, ${after?.host ?? ''})`,
      ),
    )
    .orderBy('v.number', 'desc')
    .orderBy('s.node_id')
    .orderBy('s.host')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    number: row.number,
    fingerprint: row.fingerprint,
    nodeId: row.node_id,
    nodeName: row.name,
    host: row.host,
    notAfterMs: row.not_after_ms,
    sinceMs: row.since_ms,
  }))
}
