// SPDX-License-Identifier: MIT
// Entity tags (RFC 9110, 8.8.3) as they come back to us. Ours name the revision of a thing, not the bytes of
// an answer; what a proxy does to them when it packs the answer (W/ in front, "-gzip" at the end) changes
// nothing of what they name. So opaque parts are compared: docs/decisions/0084.

/** One that fits the grammar, or nothing between two commas. */
const TAG = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y
/** Apache and Caddy put it at the end, each for its own encodings. */
const PACKED = /[-;](gzip|br|zstd|deflate)$/

/** What a list of tags names; any: whatever there is. null: it is no list of tags. */
export function namedBy(header: string): 'any' | string[] | null {
  if (header.trim() === '*') return 'any'
  const found: string[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < header.length) {
    const match = TAG.exec(header)
    if (!match) return null
    if (match[1] !== undefined) found.push(match[1].replace(PACKED, ''))
  }
  return found.length > 0 ? found : null
}

export function isNamed(etag: string, named: 'any' | readonly string[]): boolean {
  return named === 'any' || named.some((opaque) => `"${opaque}"` === etag)
}
