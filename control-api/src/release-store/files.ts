// SPDX-License-Identifier: MIT
// What a manifest names, by pages and one by one.
import { type Entry, entryOf } from './entries.ts'
import { reading, textsFrom } from './lines.ts'

type Page = { prefix: string; after: string; limit: number }

/** From after `after`, '' is the beginning; `next`: there is more after it. */
export const filesIn = (
  manifest: string,
  { prefix, after, limit }: Page,
): Promise<{ entries: Entry[]; next: string | null }> =>
  reading(manifest, async (file) => {
    const entries: Entry[] = []
    for await (const lines of textsFrom(file, after === '' ? prefix : after)) {
      for (const line of lines) {
        const entry = entryOf(line)
        if (entry.path === after) continue
        if (!entry.path.startsWith(prefix)) return { entries, next: null }
        if (entries.length === limit) return { entries, next: entries.at(-1)?.path ?? null }
        entries.push(entry)
      }
    }
    return { entries, next: null }
  })

export const entryAt = async (manifest: string, path: string): Promise<Entry | null> => {
  const { entries } = await filesIn(manifest, { prefix: path, after: '', limit: 1 })
  return entries[0]?.path === path ? entries[0] : null
}
