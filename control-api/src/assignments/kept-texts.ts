// SPDX-License-Identifier: MIT
// The texts that nodes are given, kept in memory as they are written into an answer: when ten thousand nodes ask for
// one, it is read and escaped once. An id is a digest of its text, so what is kept never changes.
import type { Parts } from '../agent-protocol/content.ts'
import { Kept } from '../base/kept.ts'
import type { Reader } from '../db/database.ts'
import { renderedText } from './store.ts'

declare global {
  interface JSON {
    /** What JSON.stringify writes as it is. */
    rawJSON(json: string): { readonly rawJSON: string }
  }
}

export type KeptText = Parts & {
  /** JSON.stringify writes the text for it; nothing else can be done with it. */
  json: string
  bytes: number
}
export type KeptTexts = { of(id: string): Promise<KeptText> }

/** Some twenty of the largest, or all of a farm whose nodes have small ones of their own. */
const MOST_BYTES = 24 * 1024 * 1024
/** What keeping one takes beside its bytes. */
const EACH_BYTES = 512

export function createKeptTexts(db: Reader, mostBytes = MOST_BYTES): KeptTexts {
  const kept = new Kept<KeptText>({ mostBytes })
  return {
    async of(id) {
      const known = kept.get(id)
      if (known) return known
      const { text, certificates, releases } = await renderedText(db, id)
      const json = JSON.stringify(text)
      const bytes = Buffer.byteLength(json)
      const read = { json: asWritten(json), bytes, certificates, releases }
      kept.set(id, read, read.bytes + EACH_BYTES)
      return read
    },
  }
}

const asWritten = (json: string) => JSON.rawJSON(json) as unknown as string
