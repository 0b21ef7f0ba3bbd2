// SPDX-License-Identifier: MIT
// Which versions changed a site's part of the config. Versions are read from the newest back, as far as it pays.
import { nextTurn } from '../../base/slices.ts'
import type { KnownSite } from './known-sites.ts'
import { siteFor, type TextSite } from './text-sites.ts'

export type StoredVersion = {
  number: number
  text: string
  author: string
  message: string
  created_at_ms: number
}
type Deps = {
  versionOf: (config: string, number: number) => Promise<StoredVersion | undefined>
  sitesIn: (text: string) => Promise<readonly TextSite[]>
}
export type SiteChange = Omit<StoredVersion, 'text' | 'created_at_ms'> & {
  atMs: number
  what: 'added' | 'changed' | 'removed'
}
export type SiteHistory = {
  /** Newest first. */
  changes: SiteChange[]
  /** Older ones were not looked at; null: it begins where `changes` ends. */
  lookedBackTo: number | null
}

const MOST_CHANGES = 10
const MOST_VERSIONS = 100
/** Of all texts together. */
const MOST_CHARACTERS = 8_000_000

/** Back to where it was added. */
export async function historyOf(
  { versionOf, sitesIn }: Deps,
  { config, newestVersion, hosts }: Pick<KnownSite, 'config' | 'newestVersion' | 'hosts'>,
): Promise<SiteHistory> {
  const changes: SiteChange[] = []
  let left = MOST_CHARACTERS
  const read = async (number: number) => {
    const version = await versionOf(config, number)
    if (!version) return null
    left -= version.text.length
    const found = siteFor(await sitesIn(version.text), hosts)
    await nextTurn()
    const { text: _, ...said } = version
    return { said, digest: found?.digest ?? null }
  }
  let later = await read(newestVersion)
  for (let number = newestVersion - 1; later !== null; number--) {
    const isFar = newestVersion - number > MOST_VERSIONS || left <= 0
    if (number > 0 && (isFar || changes.length >= MOST_CHANGES)) {
      return { changes, lookedBackTo: number + 1 }
    }
    const before = await read(number)
    const digest = before?.digest ?? null
    if (digest !== later.digest) changes.push(changeOf(later, digest))
    if (later.digest !== null && digest === null) break
    later = before
  }
  return { changes, lookedBackTo: null }
}

type Read = { said: Omit<StoredVersion, 'text'>; digest: string | null }

function changeOf({ said, digest }: Read, before: string | null): SiteChange {
  const { number, author, message, created_at_ms: atMs } = said
  const what = digest === null ? 'removed' : before === null ? 'added' : 'changed'
  return { number, author, message, atMs, what }
}
