// SPDX-License-Identifier: MIT
// Which of the blobs that a manifest needs are not there, or are of another size than it says.
import { readdir, stat } from 'node:fs/promises'
import { inSlices } from '../base/slices.ts'
import { type Blob, blobsOfPart } from './blob-list.ts'
import { keepAWhile, sizeAt } from './compare.ts'
import { FIRST_BYTES, type ReleaseFolder } from './folder.ts'
import { reading } from './lines.ts'

/** By their names alone: what has one is whole. From after `after`, '' is the beginning; at most `limit`. */
export async function missingBlobs(
  folder: ReleaseFolder,
  manifest: string,
  { after, limit }: { after: string; limit: number },
): Promise<Blob[]> {
  return await reading(folder.list(manifest), async (file) => {
    const missing: Blob[] = []
    const parts = new Set(await folder.parts())
    for (let part = partOf(after); part < FIRST_BYTES.length && missing.length < limit; part++) {
      const wanted = (await blobsOfPart(file, part)).filter(({ sha256 }) => sha256 > after)
      if (wanted.length === 0) continue
      const first = FIRST_BYTES[part] ?? ''
      const there = new Set(parts.has(first) ? await readdir(folder.blobsOf(first)) : [])
      missing.push(...wanted.filter(({ sha256 }) => !there.has(sha256)))
    }
    return missing.slice(0, limit)
  })
}

const partOf = (sha256: string) => (sha256 === '' ? 0 : Number.parseInt(sha256.slice(0, 2), 16))

export type Complete =
  | { ok: true }
  | { ok: false; reason: 'missing' | 'size'; blob: Blob; isThereWith?: number }
const AT_ONCE = 64

/**
 * Looks at each: a manifest may say another size than the content has, which nobody could serve as it says. What was last
 * wanted before `freshSinceMs` is wanted again from now on: a replica that led before, and stood still while it removed
 * old contents, goes on for a moment with what it knew, and looks at nothing but their times.
 */
export async function checkBlobs(
  folder: ReleaseFolder,
  manifest: string,
  freshSinceMs: number,
): Promise<Complete> {
  const sizeOf = async ({ sha256 }: Blob) => {
    const path = folder.blob(sha256)
    const stats = await stat(path).catch(() => null)
    if (!stats || stats.mtimeMs >= freshSinceMs) return stats?.size
    await keepAWhile(path).catch(() => {})
    // It may be gone by now.
    return (await sizeAt(path)) ?? undefined
  }
  return await reading(folder.list(manifest), async (file): Promise<Complete> => {
    for (const part of FIRST_BYTES.keys()) {
      for (const blobs of inSlices(await blobsOfPart(file, part), AT_ONCE)) {
        const sizes = await Promise.all(blobs.map(sizeOf))
        for (const [at, blob] of blobs.entries()) {
          const size = sizes[at]
          if (size === undefined) return { ok: false, reason: 'missing', blob }
          if (size !== blob.size) return { ok: false, reason: 'size', blob, isThereWith: size }
        }
      }
    }
    return { ok: true }
  })
}
