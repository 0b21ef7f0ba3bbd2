// SPDX-License-Identifier: MIT
// The texts that nodes are given, kept in memory as they are written into an answer: when ten thousand nodes ask for
// one, it is read and escaped once. An id is a digest of its text, so what is kept never changes.
import type { CertificateVersion } from '../agent-protocol/messages.gen.ts'
import type { Reader } from '../db/database.ts'
import { renderedText } from './store.ts'

declare global {
  interface JSON {
    /** What JSON.stringify writes as it is. */
    rawJSON(json: string): { readonly rawJSON: string }
  }
}

export type KeptText = {
  /** JSON.stringify writes the text for it; nothing else can be done with it. */
  json: string
  bytes: number
  certificates: readonly CertificateVersion[]
}
export type KeptTexts = { of(id: string): Promise<KeptText> }

/** Some twenty of the largest, or all of a farm whose nodes have small ones of their own. */
const MOST_BYTES = 24 * 1024 * 1024
/** What keeping one takes beside its bytes. */
const EACH_BYTES = 512

export function createKeptTexts(db: Reader, mostBytes = MOST_BYTES): KeptTexts {
  /** The one that was asked for last is the last. */
  const kept = new Map<string, KeptText>()
  let bytes = 0
  const keep = (id: string, text: KeptText) => {
    kept.set(id, text)
    bytes += text.bytes + EACH_BYTES
    for (const [oldest, { bytes: its }] of kept) {
      if (bytes <= mostBytes) break
      kept.delete(oldest)
      bytes -= its + EACH_BYTES
    }
  }
  return {
    async of(id) {
      const known = kept.get(id)
      if (known) {
        kept.delete(id)
        kept.set(id, known)
        return known
      }
      const { text, certificates } = await renderedText(db, id)
      const json = JSON.stringify(text)
      const read = { json: asWritten(json), bytes: Buffer.byteLength(json), certificates }
      if (!kept.has(id)) keep(id, read)
      return read
    },
  }
}

const asWritten = (json: string) => JSON.rawJSON(json) as unknown as string
