// SPDX-License-Identifier: MIT
// The lists of manifests that nodes ask about, in memory as long as they do: a node asks for five hundred contents at a
// time, and to look each up on the disk took more than to send it.
import { readFile } from 'node:fs/promises'
import { Kept } from '../base/kept.ts'
import { sizeInList } from './blob-list.ts'
import type { ReleaseFolder } from './folder.ts'

/** Three of a million contents. */
const MOST_BYTES = 128 * 1024 * 1024
const IDLE_MS = 60_000

export function createKnownLists(folder: Pick<ReleaseFolder, 'list'>, idleMs = IDLE_MS) {
  const kept = new Kept<Promise<Buffer>>({ mostBytes: MOST_BYTES })
  let forgetting: NodeJS.Timeout | null = null

  function listOf(manifest: string): Promise<Buffer> {
    forgetting ??= setTimeout(forget, idleMs).unref()
    forgetting.refresh()
    const known = kept.get(manifest)
    if (known) return known
    const reading = readFile(folder.list(manifest))
    kept.set(manifest, reading)
    reading.then(
      // One that is larger than all together is alone.
      ({ length }) => kept.set(manifest, reading, Math.min(length, MOST_BYTES)),
      () => kept.delete(manifest),
    )
    return reading
  }

  function forget(): void {
    kept.clear()
    forgetting = null
  }

  return {
    /** By name, of those that one of the manifests needs. */
    async sizesOf(
      manifests: readonly string[],
      names: readonly string[],
    ): Promise<Map<string, number>> {
      const sizes = new Map<string, number>()
      for (const manifest of manifests) {
        if (sizes.size === names.length) break
        const list = await listOf(manifest)
        for (const name of names) {
          if (sizes.has(name)) continue
          const size = sizeInList(list, name)
          if (size !== null) sizes.set(name, size)
        }
      }
      return sizes
    },
  }
}
