// SPDX-License-Identifier: MIT
// Releases, their versions and the manifests those are of.
import { type Selectable, sql } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { Reader } from '../db/database.ts'
import type { ReleaseTables } from '../db/tables/releases.ts'

export type ManifestRow = Selectable<ReleaseTables['release_manifests']>
export type NewVersion = Omit<Selectable<ReleaseTables['release_versions']>, 'number'>

export type ReleaseRow = Awaited<ReturnType<typeof listReleases>>[number]

/** With what its latest version is; all of that is null where none is left. */
const releases = (db: Reader) =>
  db
    .selectFrom('release_sets as s')
    .leftJoin('release_versions as l', (join) =>
      join.onRef('l.release', '=', 's.name').onRef('l.number', '=', 's.latest'),
    )
    .leftJoin('release_manifests as m', 'm.sha256', 'l.manifest')
    .select(['s.name', 's.latest', 's.updated_at_ms as updatedAtMs'])
    .select(['l.author', 'l.message', 'm.files', 'm.bytes'])
    .select(({ selectFrom }) =>
      selectFrom('release_versions as v')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('v.release', '=', 's.name')
        .as('versions'),
    )

export const listReleases = (db: Reader, { after, limit }: { after: string; limit: number }) =>
  releases(db).where('s.name', '>', after).orderBy('s.name').limit(limit).execute()

export const findRelease = (db: Reader, name: string) =>
  releases(db).where('s.name', '=', name).executeTakeFirst()

const versions = (db: Reader) =>
  db
    .selectFrom('release_versions as v')
    .innerJoin('release_manifests as m', 'm.sha256', 'v.manifest')
    .selectAll('v')
    .select(['m.files', 'm.links', 'm.bytes', 'm.blobs', 'm.blob_bytes'])

export type VersionRow = Awaited<ReturnType<typeof listVersions>>[number]

/** Newest first. */
export const listVersions = (
  db: Reader,
  release: string,
  { before, limit }: { before: number | null; limit: number },
) =>
  versions(db)
    .where('v.release', '=', release)
    .$if(before !== null, (query) => query.where('v.number', '<', before ?? 0))
    .orderBy('v.number', 'desc')
    .limit(limit)
    .execute()

export const findVersion = (db: Reader, release: string, number: number) =>
  versions(db).where('v.release', '=', release).where('v.number', '=', number).executeTakeFirst()

/** Makes the release with its first version. */
export async function insertVersion({ trx }: Unit, version: NewVersion): Promise<number> {
  const { release, created_at_ms } = version
  await trx
    .insertInto('release_sets')
    .values({ name: release, latest: null, updated_at_ms: created_at_ms })
    .onConflict((on) => on.doNothing())
    .execute()
  const { next_number: number } = await trx
    .selectFrom('release_sets')
    .select('next_number')
    .where('name', '=', release)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('release_versions')
    .values({ ...version, number })
    .execute()
  await trx
    .updateTable('release_sets')
    .set({ next_number: number + 1, latest: number, updated_at_ms: created_at_ms })
    .where('name', '=', release)
    .execute()
  return number
}

export async function deleteVersion(
  { trx }: Unit,
  release: string,
  number: number,
  nowMs: number,
): Promise<void> {
  await trx
    .deleteFrom('release_versions')
    .where('release', '=', release)
    .where('number', '=', number)
    .execute()
  await trx
    .updateTable('release_sets')
    .set(({ selectFrom }) => ({
      updated_at_ms: nowMs,
      latest: selectFrom('release_versions')
        .select(({ fn }) => fn.max('number').as('latest'))
        .where('release', '=', release),
      released: sql<number | null>`nullif(released, ${number})`,
    }))
    .where('name', '=', release)
    .execute()
}

/** Who names the release gets it where nothing else is said: it was proved last, or is the only one. */
export async function isGivenByItself(
  db: Reader,
  { name, number }: { name: string; number: number },
): Promise<boolean> {
  const release = await db
    .selectFrom('release_sets')
    .select('released')
    .where('name', '=', name)
    .executeTakeFirst()
  if (release?.released === number) return true
  const other = await db
    .selectFrom('release_versions')
    .select('number')
    .where('release', '=', name)
    .where('number', '!=', number)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}

/** The database refuses one that has versions. */
export const deleteRelease = ({ trx }: Unit, name: string) =>
  trx.deleteFrom('release_sets').where('name', '=', name).execute()

export const findManifest = (db: Reader, sha256: string): Promise<ManifestRow | undefined> =>
  db.selectFrom('release_manifests').selectAll().where('sha256', '=', sha256).executeTakeFirst()

/** Are both versions of one release? */
export async function areOfOneRelease(db: Reader, one: string, other: string): Promise<boolean> {
  const found = await db
    .selectFrom('release_versions as a')
    .innerJoin('release_versions as b', 'b.release', 'a.release')
    .select('a.release')
    .where('a.manifest', '=', one)
    .where('b.manifest', '=', other)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export const saveManifest = async ({ trx }: Unit, row: ManifestRow): Promise<void> => {
  await trx
    .insertInto('release_manifests')
    .values(row)
    .onConflict((on) => on.column('sha256').doUpdateSet({ touched_at_ms: row.touched_at_ms }))
    .execute()
}

/** False: there is none. */
export async function touchManifest({ trx }: Unit, sha256: string, nowMs: number) {
  const { numUpdatedRows } = await trx
    .updateTable('release_manifests')
    .set({ touched_at_ms: nowMs })
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const manifestDigests = async (db: Reader): Promise<string[]> => {
  const rows = await db.selectFrom('release_manifests').select('sha256').execute()
  return rows.map(({ sha256 }) => sha256)
}

/** Those that no version is of and nobody wanted since. */
export const forgetManifests = async ({ trx }: Unit, wantedSinceMs: number): Promise<void> => {
  await trx
    .deleteFrom('release_manifests')
    .where('touched_at_ms', '<', wantedSinceMs)
    .where(
      sql<boolean>`not exists (
        select 1 from release_versions v where v.manifest = release_manifests.sha256
      )`,
    )
    .execute()
}
