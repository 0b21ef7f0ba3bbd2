// SPDX-License-Identifier: MIT
// Certificates and their versions at rest. A version never changes; its key is sealed, and opened for nodes alone.
import { type Selectable, sql } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { Reader, Trx } from '../db/database.ts'
import type { CertificateTables } from '../db/tables/certificates.ts'

type CertificateRow = Selectable<CertificateTables['certificates']>
type WholeVersionRow = Selectable<CertificateTables['certificate_versions']>
/** What lists show. */
export type VersionRow = Omit<WholeVersionRow, 'key' | 'chain'>
export type CertificateWithLatest = Omit<CertificateRow, 'told_days' | 'told_end_ms'> & {
  version: VersionRow
}

const SHOWN = [
  'certificate_versions.certificate',
  'certificate_versions.number',
  'certificate_versions.fingerprint',
  'certificate_versions.names',
  'certificate_versions.subject',
  'certificate_versions.issuer',
  'certificate_versions.serial',
  'certificate_versions.key_kind',
  'certificate_versions.chain_length',
  'certificate_versions.warnings',
  'certificate_versions.not_before_ms',
  'certificate_versions.not_after_ms',
  'certificate_versions.source',
  'certificate_versions.order_id',
  'certificate_versions.created_at_ms',
  'certificate_versions.created_by',
] as const satisfies readonly `certificate_versions.${keyof VersionRow}`[]

const withLatest = (db: Reader) =>
  db
    .selectFrom('certificates')
    .innerJoin('certificate_versions', (join) =>
      join
        .onRef('certificate_versions.certificate', '=', 'certificates.name')
        .onRef('certificate_versions.number', '=', 'certificates.latest'),
    )
    .select(SHOWN)
    .select([
      'certificates.name',
      'certificates.revision',
      'certificates.latest',
      'certificates.released',
      'certificates.created_at_ms as made_at_ms',
      'certificates.created_by as made_by',
    ])

type Joined = Awaited<ReturnType<ReturnType<typeof withLatest>['execute']>>[number]

const toWhole = ({
  name,
  revision,
  latest,
  released,
  made_at_ms,
  made_by,
  ...version
}: Joined) => ({
  ...{ name, revision, latest, released, version },
  not_after_ms: version.not_after_ms,
  created_at_ms: made_at_ms,
  created_by: made_by,
})

type Page = { limit: number; q: string }

export async function listByName(
  db: Reader,
  { after, limit, q }: Page & { after: string },
): Promise<CertificateWithLatest[]> {
  const rows = await withLatest(db)
    .where('certificates.name', '>', after)
    .$if(q !== '', (query) => query.where(partOf(q)))
    .orderBy('certificates.name')
    .limit(limit)
    .execute()
  return rows.map(toWhole)
}

/** Those that end first. */
export async function listByEnd(
  db: Reader,
  { after, limit, q }: Page & { after: readonly [endMs: number, name: string] },
): Promise<CertificateWithLatest[]> {
  const [endMs, name] = after
  const rows = await withLatest(db)
    .where(sql<boolean>`(certificates.not_after_ms, certificates.name) > (${endMs}, ${name})`)
    .$if(q !== '', (query) => query.where(partOf(q)))
    .orderBy('certificates.not_after_ms')
    .orderBy('certificates.name')
    .limit(limit)
    .execute()
  return rows.map(toWhole)
}

/** Of its name, or of one of the hosts. */
const partOf = (q: string) =>
  sql<boolean>`(instr(certificates.name, ${q}) > 0 or instr(certificate_versions.names, ${q}) > 0)`

export async function findCertificate(
  db: Reader,
  name: string,
): Promise<CertificateWithLatest | undefined> {
  const row = await withLatest(db).where('certificates.name', '=', name).executeTakeFirst()
  return row && toWhole(row)
}

/** The version that this order brought; null: none yet. */
export async function versionOfOrder(
  db: Reader,
  name: string,
  orderId: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('certificate_versions')
    .select('number')
    .where('certificate', '=', name)
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return row?.number ?? null
}

/** Newest first. */
export const listVersions = (
  db: Reader,
  name: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<VersionRow[]> =>
  db
    .selectFrom('certificate_versions')
    .select(SHOWN)
    .where('certificate', '=', name)
    .$if(before !== null, (query) => query.where('number', '<', before ?? 0))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

export const findVersion = (
  db: Reader,
  name: string,
  number: number,
): Promise<(VersionRow & Pick<WholeVersionRow, 'chain'>) | undefined> =>
  db
    .selectFrom('certificate_versions')
    .select(SHOWN)
    .select('chain')
    .where('certificate', '=', name)
    .where('number', '=', number)
    .executeTakeFirst()

/** With its key, sealed: for who gives it to a node. */
export const versionWithKey = (
  db: Reader,
  name: string,
  number: number,
): Promise<Pick<WholeVersionRow, 'chain' | 'key' | 'fingerprint'> | undefined> =>
  db
    .selectFrom('certificate_versions')
    .select(['chain', 'key', 'fingerprint'])
    .where('certificate', '=', name)
    .where('number', '=', number)
    .executeTakeFirst()

export type Latest = {
  name: string
  number: number
  fingerprint: string
  names: string[]
  notBeforeMs: number
  notAfterMs: number
}

/** The newest versions of those that are there. */
export async function latestOf(db: Reader, names: readonly string[]): Promise<Map<string, Latest>> {
  const { rows } = await sql<Omit<Latest, 'names'> & { names: string }>`
    select c.name, v.number, v.fingerprint, v.names,
      v.not_before_ms as "notBeforeMs", v.not_after_ms as "notAfterMs"
    from json_each(${JSON.stringify(names)}) wanted
    cross join certificates c
    join certificate_versions v on v.certificate = c.name and v.number = c.latest
    where c.name = wanted.value`.execute(db)
  return new Map(rows.map((row) => [row.name, { ...row, names: JSON.parse(row.names) }]))
}

/** Some of their names, by name. */
export async function someNames(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('certificates')
    .select('name')
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

export type Given = { name: string; version: number; fingerprintSha256: string }

/** As nodes get them: the newest versions, or those that rollouts proved. A name there is none of is left out. */
export async function givenVersions(
  db: Reader,
  names: readonly string[],
  which: 'newest' | 'proved',
): Promise<Given[]> {
  if (names.length === 0) return []
  const number = which === 'newest' ? sql`c.latest` : sql`coalesce(c.released, c.latest)`
  const { rows } = await sql<Given>`
    select c.name, v.number as version, v.fingerprint as "fingerprintSha256"
    from json_each(${JSON.stringify(names)}) wanted
    cross join certificates c
    join certificate_versions v on v.certificate = c.name and v.number = ${number}
    where c.name = wanted.value
    order by c.name`.execute(db)
  return rows
}

/** By name what a rollout brought to all nodes last, where one did. */
export async function releasedVersions(
  db: Reader,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ name: string; released: number }>`
    select c.name, c.released from json_each(${JSON.stringify([...new Set(names)])}) wanted
    cross join certificates c
    where c.name = wanted.value and c.released is not null`.execute(db)
  return new Map(rows.map(({ name, released }) => [name, released]))
}

/** A rollout brought them to all nodes. Of two that overlap the one with the older version may end last. */
export async function noteReleased(
  trx: Trx,
  versions: readonly Pick<Given, 'name' | 'version'>[],
): Promise<void> {
  for (const { name, version } of versions) {
    await trx
      .updateTable('certificates')
      .set({ released: version })
      .where('name', '=', name)
      .where(({ or, eb }) => or([eb('released', 'is', null), eb('released', '<', version)]))
      .execute()
  }
}

export async function countCertificates(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('certificates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The first version of a new certificate. */
export async function insertCertificate({ trx }: Unit, version: WholeVersionRow): Promise<void> {
  const { certificate: name, number: latest, not_after_ms, created_at_ms, created_by } = version
  await trx
    .insertInto('certificates')
    .values({ name, revision: 1, latest, not_after_ms, created_at_ms, created_by })
    .execute()
  await trx.insertInto('certificate_versions').values(version).execute()
}

export async function insertVersion({ trx }: Unit, version: WholeVersionRow): Promise<void> {
  await trx.insertInto('certificate_versions').values(version).execute()
  await trx
    .updateTable('certificates')
    .set(({ eb }) => ({
      revision: eb('revision', '+', 1),
      latest: version.number,
      not_after_ms: version.not_after_ms,
    }))
    .where('name', '=', version.certificate)
    .execute()
}

export async function deleteCertificate({ trx }: Unit, name: string): Promise<void> {
  await trx.deleteFrom('certificates').where('name', '=', name).execute()
}

export type Ending = {
  name: string
  latest: number
  /** Of the newest version. */
  notBeforeMs: number
  notAfterMs: number
  /** The earliest end of what nodes serve of it; null: no node says that it does. */
  servedNotAfterMs: number | null
  toldDays: number | null
  toldEndMs: number | null
}

/** Those whose newest version ends first, from the one after `after` on. */
export async function endings(
  db: Reader,
  { after, limit }: { after: readonly [endMs: number, name: string]; limit: number },
): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    select c.name, c.latest, v.not_before_ms as "notBeforeMs", c.not_after_ms as "notAfterMs",
      c.told_days as "toldDays", c.told_end_ms as "toldEndMs", (
        select min(s.not_after_ms) from certificate_versions o
        join served_certificates s on s.fingerprint = o.fingerprint
        join nodes n on n.id = s.node_id and n.decommissioned_at_ms is null
        where o.certificate = c.name) as "servedNotAfterMs"
    from certificates c
    join certificate_versions v on v.certificate = c.name and v.number = c.latest
    where (c.not_after_ms, c.name) > (${after[0]}, ${after[1]})
    order by c.not_after_ms, c.name limit ${limit}`.execute(db)
  return rows
}

export async function setTold(
  trx: Trx,
  name: string,
  { days, endMs }: { days: number; endMs: number },
): Promise<void> {
  await trx
    .updateTable('certificates')
    .set({ told_days: days, told_end_ms: endMs })
    .where('name', '=', name)
    .execute()
}
