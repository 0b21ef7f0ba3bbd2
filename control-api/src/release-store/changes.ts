// SPDX-License-Identifier: MIT
// What a release changes of another, and what a node that has the one must fetch for the other. Never changes, so it is
// reckoned once: a million files are read for it.
import type { FileHandle } from 'node:fs/promises'
import { Kept } from '../base/kept.ts'
import { nextTurn } from '../base/slices.ts'
import { blobsOfPart } from './blob-list.ts'
import { totalsBetween } from './diff.ts'
import { DamagedManifest } from './entries.ts'
import { FIRST_BYTES, type ReleaseFolder } from './folder.ts'
import { reading } from './lines.ts'

export type Fetch = {
  /** Contents that the one before does not have. */
  fetchFiles: number
  fetchBytes: number
  /** Of the contents of both, each once. */
  heldBytes: number
}
/** Of entries, by path. */
export type Changes = Fetch & { added: number; changed: number; removed: number }
/** null: the files of one of them are not here, or its manifest was changed by the disk. */
export type ChangesOf = (from: string | null, to: string) => Promise<Changes | null>

const MOST_KEPT = 100

export function createChangesOf(folder: ReleaseFolder): ChangesOf {
  const known = new Kept<Promise<Changes | null>>({ most: MOST_KEPT })
  return async (from, to) => {
    const key = `${from} ${to}`
    // What was not here may be by now.
    const before = await known.get(key)?.catch(() => null)
    if (before) return before
    const changes = reckon(folder, from, to)
    known.set(key, changes)
    return await changes
  }
}

async function reckon(
  folder: ReleaseFolder,
  from: string | null,
  to: string,
): Promise<Changes | null> {
  const sides = { from: from === null ? null : folder.blob(from), to: folder.blob(to) }
  try {
    const { added, changed, removed } = await totalsBetween(sides)
    return { added, changed, removed, ...(await toFetch(folder, from, to)) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (error instanceof DamagedManifest) return null
    throw error
  }
}

async function toFetch(folder: ReleaseFolder, from: string | null, to: string): Promise<Fetch> {
  return await reading(folder.list(to), async (now) =>
    from === null
      ? await gathered(null, now)
      : await reading(folder.list(from), (before) => gathered(before, now)),
  )
}

/** By parts of a 256th: in memory are those of two. */
async function gathered(before: FileHandle | null, now: FileHandle): Promise<Fetch> {
  const sum: Fetch = { fetchFiles: 0, fetchBytes: 0, heldBytes: 0 }
  for (const part of FIRST_BYTES.keys()) {
    const had = before === null ? [] : await blobsOfPart(before, part)
    const has = new Set(had.map(({ sha256 }) => sha256))
    for (const { size } of had) sum.heldBytes += size
    for (const { sha256, size } of await blobsOfPart(now, part)) {
      if (has.has(sha256)) continue
      sum.fetchFiles++
      sum.fetchBytes += size
      sum.heldBytes += size
    }
    await nextTurn()
  }
  return sum
}
