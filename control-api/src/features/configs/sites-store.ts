// SPDX-License-Identifier: MIT
// The sites of versions in control.db: written with each version, so that a list of half a million reads no text. Of a
// config's newest version, and of those that nodes run; others are forgotten when the next is written.
import { type Selectable, sql } from 'kysely'
import type { Unit } from '../../audit/write.ts'
import type { Reader } from '../../db/database.ts'
import type { ConfigTables } from '../../db/tables/configs.ts'
import { versionsRun } from '../../node-identity/store/nodes.ts'
import type { TextSite } from './text/sites.ts'

type ConfigVersion = { config: string; version: number }
/** In the version that it is of. */
type StoredSite = ConfigVersion &
  Pick<TextSite, 'hosts' | 'root' | 'certificates' | 'hasCertificateFiles'>
type SiteRow = Selectable<ConfigTables['sites']>
/** By host, then config: after this one. */
type SitePlace = readonly [host: string, config: string]

/** Nothing when they were kept already, or the version has gone. */
export async function keepSites(
  { trx }: Unit,
  { config, version }: ConfigVersion,
  sites: readonly TextSite[],
): Promise<void> {
  const { numInsertedOrUpdatedRows: isNew } = await trx
    .insertInto('sites_read')
    .columns(['config', 'version'])
    .expression((eb) =>
      eb
        .selectFrom('config_versions')
        .select(['config', 'number'])
        .where('config', '=', config)
        .where('number', '=', version),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (!isNew) return
  const each = eachHostOnce(sites)
  await sql`insert into sites (host, config, version, hosts, root, certificates, has_certificate_files, place)
    select value ->> 'host', ${config}, cast(${version} as bigint), value -> 'hosts', value ->> 'root',
      value -> 'certificates', cast(value ->> 'hasFiles' as bigint), cast(value ->> 'index' as bigint)
    from json_each(${JSON.stringify(each.map(rowOf))})`.execute(trx)
  const hosts = each.flatMap((site) => site.hosts.map((host) => [host, site.hosts[0]]))
  await sql`insert into site_hosts (config, host, version, site)
    select ${config}, value ->> 0, cast(${version} as bigint), value ->> 1
    from json_each(${JSON.stringify(hosts)})`.execute(trx)
  await forgetOthers(trx, config, version)
}

const rowOf = ({ index, hosts, root, certificates, hasCertificateFiles }: TextSite) => ({
  ...{ index, host: hosts[0], hosts, root, certificates, hasFiles: Number(hasCertificateFiles) },
})

/** A node takes no text in which two sites have one host; of what another release took, the first has it. */
function eachHostOnce(sites: readonly TextSite[]): TextSite[] {
  const seen = new Set<string>()
  return sites.flatMap((site) => {
    const hosts = [...new Set(site.hosts)]
    if (hosts.some((host) => seen.has(host))) return []
    for (const host of hosts) seen.add(host)
    return [{ ...site, hosts }]
  })
}

/** Of a config of a thousand versions its newest alone is looked at, and the few that nodes run. */
async function forgetOthers(trx: Unit['trx'], config: string, version: number): Promise<void> {
  const used = [version, ...(await versionsRun(trx, config))]
  await trx
    .deleteFrom('sites_read')
    .where('config', '=', config)
    .where('version', 'not in', used)
    .where('version', '<', ({ selectFrom }) =>
      selectFrom('config_versions')
        .select(({ fn }) => fn.max('number').as('number'))
        .where('config', '=', config),
    )
    .execute()
}

/** Newest versions whose sites were never read: they are from before there was a table of them. */
export const unreadNewest = async (db: Reader): Promise<ConfigVersion[]> =>
  (
    await sql<ConfigVersion>`select config, version from (
        select name as config,
          (select max(number) from config_versions v where v.config = configs.name) as version
        from configs) newest
      where version is not null and not exists (
        select 1 from sites_read r where r.config = newest.config and r.version = newest.version)`.execute(
      db,
    )
  ).rows

/** Of these. */
export const unreadOf = async (
  db: Reader,
  versions: readonly ConfigVersion[],
): Promise<ConfigVersion[]> =>
  (
    await sql<ConfigVersion>`
      select wanted.value ->> 0 as config, cast(wanted.value ->> 1 as bigint) as version
      from json_each(${JSON.stringify(versions.map(({ config, version }) => [config, version]))}) wanted
      where not exists (
        select 1 from sites_read r
        where r.config = wanted.value ->> 0 and r.version = cast(wanted.value ->> 1 as bigint))`.execute(
      db,
    )
  ).rows

/** Rows that are looked through between two turns of the loop. */
const SITES_AT_ONCE = 5000

type Wish = { after: SitePlace; limit: number; q: string }

/**
 * Of each config's newest version, by host; how far was looked. With `q`, part of a host or of the config's name, it is
 * a part of the list only that is looked through, and may have none: the next begins at `lookedTo`; null: that is all.
 */
export async function newestSites(
  db: Reader,
  { after, limit, q }: Wish,
): Promise<{ sites: StoredSite[]; lookedTo: SitePlace | null }> {
  if (q === '')
    return {
      sites: (await sitesAfter(db, after).limit(limit).execute()).map(toSite),
      lookedTo: null,
    }
  const end = await db
    .selectFrom('sites as s')
    .select(['s.host', 's.config'])
    .where(isAfter(after))
    .orderBy('s.host')
    .orderBy('s.config')
    .limit(1)
    .offset(SITES_AT_ONCE - 1)
    .executeTakeFirst()
  const found = await sitesAfter(db, after)
    .$if(end !== undefined, (query) =>
      query.where(sql<boolean>`(s.host, s.config) <= (${end?.host}, ${end?.config})`),
    )
    .where(sql<boolean>`(instr(s.hosts, ${q}) > 0 or instr(s.config, ${q}) > 0)`)
    .limit(limit)
    .execute()
  return {
    sites: found.map(toSite),
    lookedTo: end === undefined ? null : [end.host, end.config],
  }
}

const isAfter = ([host, config]: SitePlace) =>
  sql<boolean>`(s.host, s.config) > (${host}, ${config})`

const sitesAfter = (db: Reader, after: SitePlace) =>
  db
    .selectFrom('sites as s')
    .selectAll()
    .where(isAfter(after))
    .where('s.version', '=', ({ selectFrom }) =>
      selectFrom('config_versions as n')
        .select(({ fn }) => fn.max('n.number').as('number'))
        .whereRef('n.config', '=', 's.config'),
    )
    .orderBy('s.host')
    .orderBy('s.config')

/** By host. */
export const sitesOf = async (db: Reader, of: ConfigVersion): Promise<StoredSite[]> =>
  (
    await db
      .selectFrom('sites')
      .selectAll()
      .where('config', '=', of.config)
      .where('version', '=', of.version)
      .orderBy('host')
      .execute()
  ).map(toSite)

/** Which of these configs' versions answer for which of these hosts, and at which place of theirs. */
export const versionsWith = async (
  db: Reader,
  wanted: readonly (readonly [config: string, host: string])[],
): Promise<(ConfigVersion & { host: string; place: number })[]> =>
  (
    await sql<ConfigVersion & { host: string; place: number }>`
      select h.config, h.host, h.version, s.place
      from json_each(${JSON.stringify(wanted)}) wanted
      cross join site_hosts h cross join sites s
      where h.config = wanted.value ->> 0 and h.host = wanted.value ->> 1
        and s.host = h.site and s.config = h.config and s.version = h.version`.execute(db)
  ).rows

/** The sites of the version with those of their hosts that none of the newer ones has. null: one of them is unread. */
export async function sitesGone(
  db: Reader,
  { config, version, newer }: ConfigVersion & { newer: readonly number[] },
): Promise<StoredSite[] | null> {
  const versions = [version, ...newer]
  const unread = await unreadOf(
    db,
    versions.map((one) => ({ config, version: one })),
  )
  if (unread.length > 0) return null
  const { rows } = await sql<{ site: string; host: string }>`
    select s.site, s.host from site_hosts s
    where s.config = ${config} and s.version = ${version} and not exists (
      select 1 from site_hosts n where n.config = s.config and n.host = s.host and n.version in (
        select cast(value as bigint) from json_each(${JSON.stringify(newer)})))`.execute(db)
  if (rows.length === 0) return []
  const gone = new Set(rows.map(({ host }) => host))
  const called = JSON.stringify([...new Set(rows.map(({ site }) => site))])
  const all = (
    await sql<SiteRow>`
      select s.* from json_each(${called}) c
      cross join sites s where s.host = c.value and s.config = ${config} and s.version = ${version}`.execute(
      db,
    )
  ).rows.map(toSite)
  return all.flatMap((site) => {
    const hosts = site.hosts.filter((host) => gone.has(host))
    return hosts.length === 0 ? [] : [{ ...site, hosts }]
  })
}

/** Of those of the configs that are there. */
export const newestNumbers = async (
  db: Reader,
  configs: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await sql<ConfigVersion>`
    select config, version from (
      select wanted.value as config,
        (select max(number) from config_versions v where v.config = wanted.value) as version
      from json_each(${JSON.stringify(configs)}) wanted) as newest
    where version is not null`.execute(db)
  return new Map(rows.map(({ config, version }) => [config, version]))
}

const toSite = (row: SiteRow): StoredSite => ({
  ...{ config: row.config, version: row.version, root: row.root },
  hosts: JSON.parse(row.hosts),
  certificates: JSON.parse(row.certificates),
  hasCertificateFiles: row.has_certificate_files === 1,
})
