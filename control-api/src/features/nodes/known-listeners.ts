// SPDX-License-Identifier: MIT
// The listeners in a rendered text, remembered by the text's id, which is its digest: a list of nodes neither
// reads nor parses the same texts again.

import type { Kysely } from 'kysely'
import { renderedTexts } from '../../assignments/store.ts'
import { inSlices, nextTurn } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import { type Listeners, listenersOf } from './urls.ts'

export type KnownListeners = (
  textIds: Iterable<string>,
) => Promise<(textId: string | undefined) => Listeners>

/** Some hundred bytes each; a larger farm reads the rest anew. */
const MOST_KNOWN = 20_000
/** Texts that are read and parsed between two turns of the loop. */
const AT_ONCE = 50
const NONE: Listeners = { sites: [], admin: null }

export function createKnownListeners(db: Kysely<Database>): KnownListeners {
  const known = new Map<string, Listeners>()
  return async (textIds) => {
    const found = new Map([...textIds].map((id) => [id, known.get(id)]))
    const missing = [...found].filter(([, listeners]) => !listeners).map(([id]) => id)
    for (const ids of inSlices(missing, AT_ONCE)) {
      for (const [id, text] of await renderedTexts(db, ids)) {
        const listeners = listenersOf(text)
        found.set(id, listeners)
        if (known.size >= MOST_KNOWN) known.clear()
        known.set(id, listeners)
      }
      if (missing.length > AT_ONCE) await nextTurn()
    }
    return (id) => (id === undefined ? NONE : (found.get(id) ?? NONE))
  }
}
