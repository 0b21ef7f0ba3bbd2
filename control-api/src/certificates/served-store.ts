// SPDX-License-Identifier: MIT
// What nodes say that they serve: read back from the running server, as the config's digest is.
import { sql } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Reader, Trx } from '../db/database.ts'
import { labelsWithin } from '../db/labels.ts'

/** Under one host several, when they have keys of different kinds. */
export type Served = { host: string; fingerprint: string; notAfterMs: number }
export type ServedByNode = Served & {
  sinceMs: number
  /** null: it is of a file on the node. */
  ours: OurVersion | null
}
/** The version it is of, and the newest there is. */
type OurVersion = { name: string; version: number; latest: number; notBeforeMs: number }

export async function servedBy(db: Reader, nodeId: string): Promise<ServedByNode[]> {
  const rows = await db
    .selectFrom('served_certificates')
    .selectAll()
    .where('node_id', '=', nodeId)
    .orderBy('host')
    .orderBy('fingerprint')
    .execute()
  const fingerprints = [...new Set(rows.map(({ fingerprint }) => fingerprint))]
  const ours = await versionsOf(db, fingerprints)
  return rows.map((row) => ({
    host: row.host,
    fingerprint: row.fingerprint,
    notAfterMs: row.not_after_ms,
    sinceMs: row.since_ms,
    ours: ours.get(row.fingerprint) ?? null,
  }))
}

/** By these nodes, under these hosts: of how many nodes each is. */
export async function shownBy(
  db: Reader,
  nodeIds: readonly string[],
  hosts: readonly string[],
): Promise<(Served & { nodes: number })[]> {
  const { rows } = await sql<Served & { nodes: number }>`
    select s.host, s.fingerprint, s.not_after_ms as "notAfterMs", count(*) as nodes
    from json_each(${JSON.stringify(nodeIds)}) node
    cross join json_each(${JSON.stringify(hosts)}) host
    join served_certificates s on s.node_id = node.value and s.host = host.value
    group by s.host, s.fingerprint, s.not_after_ms
    order by s.host, s.not_after_ms`.execute(db)
  return rows
}

/** By fingerprint; of one that was uploaded under several names, one of them. */
async function versionsOf(
  db: Reader,
  fingerprints: readonly string[],
): Promise<Map<string, OurVersion>> {
  const { rows } = await sql<OurVersion & { fingerprint: string }>`
    select v.fingerprint, v.certificate as name, v.number as version, c.latest,
      v.not_before_ms as "notBeforeMs"
    from json_each(${JSON.stringify(fingerprints)}) wanted
    cross join certificate_versions v
    join certificates c on c.name = v.certificate
    where v.fingerprint = wanted.value
    order by v.certificate desc`.execute(db)
  return new Map(rows.map(({ fingerprint, ...version }) => [fingerprint, version]))
}

/** What it said before goes; what it says again keeps its time. False: it said nothing new. */
export async function setServed(
  trx: Trx,
  nodeId: string,
  served: readonly Served[],
  nowMs: number,
): Promise<boolean> {
  const said = JSON.stringify(served)
  const gone =
    await sql`delete from served_certificates where node_id = ${nodeId} and (host, fingerprint) not in (
    select value ->> 'host', value ->> 'fingerprint' from json_each(${said}))`.execute(trx)
  const come =
    await sql`insert into served_certificates (node_id, host, fingerprint, not_after_ms, since_ms)
    select ${nodeId}, value ->> 'host', value ->> 'fingerprint', cast(value ->> 'notAfterMs' as bigint), cast(${nowMs} as bigint)
    from json_each(${said}) where true
    on conflict (node_id, host, fingerprint) do nothing`.execute(trx)
  return (gone.numAffectedRows ?? 0n) + (come.numAffectedRows ?? 0n) > 0n
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
