// SPDX-License-Identifier: MIT
// Removes what no manifest needs any more and nobody wanted of late: blobs, uploads that were given up, lists of
// manifests that are gone. One 256th of the blobs at a time, with a turn of the loop in between.
//
// What is needed is read from lists, which takes waits. So before anything is removed, in one turn with it, one looks
// whether a manifest came meanwhile (`ledger`); a release counts its blobs after its manifest came, and so finds what was
// removed before missing, and what was not is no more removed.
import { statSync, unlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inSlices, nextTurn } from '../base/slices.ts'
import { blobsOfPart } from './blob-list.ts'
import type { ReleaseFolder } from './folder.ts'
import { reading } from './lines.ts'
import type { StoreRoom } from './room.ts'

/** Of manifests: how many came so far, and how many are coming just now. */
export type Ledger = { came: number; coming: number }

type Deps = {
  folder: ReleaseFolder
  room: StoreRoom
  ledger: Readonly<Ledger>
  /** Those that a release names or somebody wanted of late. */
  manifests: () => Promise<readonly string[]>
  isBusy: (sha256: string) => boolean
  /** The service ends: what is left waits for the next time. */
  isStopped: () => boolean
}
export type Swept = { blobs: number; bytes: number; uploads: number }

const AT_ONCE = 50
const TRIES = 5

/** `wantedSinceMs`: what was written or asked for since then stays. Throws when a list can't be read: nothing is removed then. */
export async function sweep(deps: Deps, wantedSinceMs: number): Promise<Swept> {
  const swept: Swept = { blobs: 0, bytes: 0, uploads: 0 }
  await deps.room.counted
  await sweepUploads(deps, wantedSinceMs, swept)
  for (const first of await deps.folder.parts()) {
    if (deps.isStopped()) return swept
    for (let tries = 0; tries < TRIES; tries++) {
      if (await sweepPart(deps, first, wantedSinceMs, swept)) break
      await nextTurn()
    }
    await nextTurn()
  }
  await sweepLists(deps)
  return swept
}

/** False: a manifest came meanwhile, and what is left must be looked at again. */
async function sweepPart(
  { folder, room, ledger, manifests, isBusy }: Deps,
  first: string,
  wantedSinceMs: number,
  swept: Swept,
): Promise<boolean> {
  const dir = folder.blobsOf(first)
  const names = await readdir(dir)
  if (names.length === 0) return true
  const { came } = ledger
  const needed = new Set<string>()
  for (const manifest of await manifests()) {
    if (manifest.startsWith(first)) needed.add(manifest)
    const blobs = await reading(folder.list(manifest), (file) =>
      blobsOfPart(file, Number.parseInt(first, 16)),
    )
    for (const { sha256 } of blobs) needed.add(sha256)
  }
  for (const some of inSlices(
    names.filter((name) => !needed.has(name)),
    AT_ONCE,
  )) {
    if (ledger.came !== came || ledger.coming > 0) return false
    for (const name of some) {
      const bytes = isBusy(name) ? null : removeIfOld(join(dir, name), wantedSinceMs)
      if (bytes === null) continue
      room.give(bytes)
      swept.blobs++
      swept.bytes += bytes
    }
    await nextTurn()
  }
  return true
}

async function sweepUploads(
  { folder, room, isBusy }: Deps,
  wantedSinceMs: number,
  swept: Swept,
): Promise<void> {
  for (const some of inSlices(await readdir(folder.uploads), AT_ONCE)) {
    for (const name of some) {
      const bytes = isBusy(name) ? null : removeIfOld(folder.upload(name), wantedSinceMs)
      if (bytes === null) continue
      room.give(bytes)
      swept.uploads++
      swept.bytes += bytes
    }
    await nextTurn()
  }
}

/** A list without its manifest is made again when that comes again. */
async function sweepLists({ folder, ledger, manifests }: Deps): Promise<void> {
  const names = await readdir(folder.lists)
  const { came } = ledger
  const kept = new Set((await manifests()).map((manifest) => folder.list(manifest)))
  if (ledger.came !== came || ledger.coming > 0) return
  for (const name of names) {
    const path = join(folder.lists, name)
    if (!kept.has(path)) unlinkSync(path)
  }
}

/** In one turn: what is wanted between the look and the removal would be lost. */
function removeIfOld(path: string, wantedSinceMs: number): number | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || stats.mtimeMs >= wantedSinceMs) return null
  unlinkSync(path)
  return stats.size
}
