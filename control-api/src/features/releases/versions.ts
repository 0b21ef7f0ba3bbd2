// SPDX-License-Identifier: MIT
// Makes a version of a release: only of a manifest whose contents are all here, and only after the latest.
import type { Kysely } from 'kysely'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import { type ChangeTotals, totalsBetween } from '../../release-store/diff.ts'
import { DamagedManifest } from '../../release-store/entries.ts'
import { syncNames } from '../../release-store/folder.ts'
import { checkBlobs } from '../../release-store/missing.ts'
import {
  findRelease,
  findVersion,
  insertVersion,
  touchManifest,
  type VersionRow,
} from '../../releases/store.ts'
import type { Contents } from './contents.ts'
import {
  BlobSizeDiffers,
  BlobsMissing,
  ContentGone,
  ManifestNotFound,
  ParentNotLatest,
} from './errors.ts'

type Deps = { db: Kysely<Database>; write: Write; now: () => number; contents: Contents }
type Wish = {
  release: string
  manifest: string
  parent: number | null
  author: string
  message: string
  source: string
}
/** `created` false: the latest version was of this manifest already. */
export type Saved = { created: boolean; version: VersionRow }

/** What making a version can refuse with. */
export const versionErrors = [
  ManifestNotFound,
  ParentNotLatest,
  BlobsMissing,
  BlobSizeDiffers,
  ContentGone,
]

export async function saveVersion(deps: Deps, wish: Wish): Promise<Saved> {
  const { db, write, now, contents } = deps
  const { release, manifest, parent } = wish
  if (!(await contents.touch(manifest))) throw new ManifestNotFound(manifest)
  await requireBlobs(contents, manifest)
  const before = await parentOf(db, wish)
  if (before?.manifest === manifest) return { created: false, version: before }
  const { bytes, ...counts } = await changesSince(contents, before, manifest)
  return await write(async (unit) => {
    await parentOf(unit.trx, wish)
    if (!(await touchManifest(unit, manifest, now()))) throw new ManifestNotFound(manifest)
    const number = await insertVersion(unit, {
      ...{ ...wish, ...counts, changed_bytes: bytes, created_at_ms: now() },
    })
    const version = await findVersion(unit.trx, release, number)
    if (!version) throw new Error(`version ${number} of "${release}" was not kept`)
    const { author: actor, message, source } = wish
    const data = { version: number, manifest, parent, message, source, ...counts, bytes }
    await unit.emit({ kind: 'release', id: release, action: 'version-created', actor, data })
    return { created: true, version }
  })
}

/** Whatever is removed was not looked for: see release-store/sweep.ts. */
async function requireBlobs(
  { folder, isThere, freshSinceMs }: Contents,
  manifest: string,
): Promise<void> {
  if (!(await isThere(manifest))) throw new ContentGone(manifest)
  const complete = await checkBlobs(folder, manifest, freshSinceMs())
  if (complete.ok) return await syncNames(folder)
  const { sha256, size } = complete.blob
  if (complete.reason === 'missing') throw new BlobsMissing(manifest, sha256)
  throw new BlobSizeDiffers(sha256, size, complete.isThereWith ?? 0)
}

/** A parent whose text is gone, after a restore, or was changed by the disk, is as if there had been none. */
async function changesSince(
  { folder, isThere }: Contents,
  before: VersionRow | null,
  manifest: string,
): Promise<ChangeTotals> {
  const to = folder.blob(manifest)
  const from = before && (await isThere(before.manifest)) ? folder.blob(before.manifest) : null
  return totalsBetween({ from, to }).catch((error) => {
    if (error instanceof DamagedManifest) return totalsBetween({ from: null, to })
    throw error
  })
}

/** Throws when it is not the latest. */
async function parentOf(db: Kysely<Database>, { release, parent }: Wish) {
  const latest = (await findRelease(db, release))?.latest ?? null
  if (latest !== parent) throw new ParentNotLatest(release, latest, parent)
  return parent === null ? null : ((await findVersion(db, release, parent)) ?? null)
}
