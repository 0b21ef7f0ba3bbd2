// SPDX-License-Identifier: MIT
// The addresses in a rendered text, remembered by the text's id, which is its digest: a list of nodes neither
// reads nor parses the same texts again.

import type { Kysely } from 'kysely'
import { renderedTexts } from '../../assignments/store.ts'
import type { Database } from '../../db/database.ts'
import { urlsOf } from './urls.ts'

type Wanted = { textId: string; hostname: string }
export type KnownUrls = (wanted: readonly Wanted[]) => Promise<(wanted: Wanted) => string[]>

/** Some hundred bytes each; a larger farm reads the rest anew. */
const MOST_KNOWN = 20_000

const keyOf = ({ textId, hostname }: Wanted) => `${textId} ${hostname}`

export function createKnownUrls(db: Kysely<Database>): KnownUrls {
  const known = new Map<string, string[]>()
  return async (wanted) => {
    const found = new Map(wanted.map((one) => [keyOf(one), known.get(keyOf(one))]))
    const missing = wanted.filter((one) => found.get(keyOf(one)) === undefined)
    const texts = await renderedTexts(db, [...new Set(missing.map(({ textId }) => textId))])
    for (const one of missing) {
      const urls = urlsOf(texts.get(one.textId) ?? '', one.hostname)
      found.set(keyOf(one), urls)
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(keyOf(one), urls)
    }
    return (one) => found.get(keyOf(one)) ?? []
  }
}
