// SPDX-License-Identifier: MIT
// Of nginx's maps those that choose by media type: each of their lines is a rule for types.

import { wordsOf } from '../regex.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isMediaType } from '../values.ts'

export type TypeMap = {
  entries: { types: string[]; value: string }[]
  /** For all other types. */
  usual: string
  directives: Directive[]
}

/** null: it does not choose by media type, or by more than a list of them. */
export function typeMapOf(map: Directive): TypeMap | null {
  if (argsOf(map)[0] !== '$sent_http_content_type') return null
  const byValue = new Map<string, string[]>()
  let usual = ''
  for (const line of map.block ?? []) {
    const value = argsOf(line)[0] ?? ''
    if (line.name === 'default') usual = value
    // What has no type at all: a 304.
    else if (line.name === '') continue
    else {
      const types = typesOf(line.name)
      if (!types) return null
      byValue.set(value, [...(byValue.get(value) ?? []), ...types])
    }
  }
  const entries = [...byValue].map(([value, types]) => ({ types, value }))
  return { entries, usual, directives: [map, ...(map.block ?? [])] }
}

/** "text/css", "text/html; charset=utf-8", "~image/" and "~*text/(css|html)". */
function typesOf(key: string): string[] | null {
  const isRegex = key.startsWith('~')
  if (!isRegex) {
    const type = (key.split(';')[0] ?? '').trim()
    return isMediaType(type) ? [type] : null
  }
  const types = wordsOf(key.replace(/^~\*?/, ''))?.flatMap((word) => {
    if (word === 'xml') return XML
    return word.endsWith('/') ? [`${word}*`] : [word]
  })
  return types?.every((type) => isMediaType(type)) ? types : null
}

/** What "xml" finds among the types of files that sites have. */
const XML = [
  ...[
    'application/xml',
    'text/xml',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/rss+xml',
  ],
  'application/atom+xml',
]
