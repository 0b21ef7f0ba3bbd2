// SPDX-License-Identifier: MIT
// The catalogs of the console's languages: src/languages/<language>/{start,rest}.json, English message → translation.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Found } from './read.ts'

export type Catalog = Record<string, string>
/** What a page may need at once, and what is loaded while it is looked at. */
export type Catalogs = { start: Catalog; rest: Catalog }

export const languagesIn = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

export function readCatalogs(dir: string, language: string): Catalogs {
  const read = (part: string): Catalog =>
    JSON.parse(readFileSync(join(dir, language, `${part}.json`), 'utf8'))
  return { start: read('start'), rest: read('rest') }
}

export function writeCatalogs(dir: string, language: string, { start, rest }: Catalogs): void {
  const write = (part: string, catalog: Catalog) =>
    writeFileSync(join(dir, language, `${part}.json`), `${JSON.stringify(catalog, null, 2)}\n`)
  write('start', start)
  write('rest', rest)
}

/** With each message of the code, empty when it is new, and without those that the code no longer has. */
export function upToDate(old: Catalogs, { messages, atStart }: Found): Catalogs {
  const known: Catalog = { ...old.start, ...old.rest }
  const names = [...messages.keys()].sort()
  const of = (wanted: readonly string[]) =>
    Object.fromEntries(wanted.map((message) => [message, known[message] ?? '']))
  return {
    start: of(names.filter((message) => atStart.has(message))),
    rest: of(names.filter((message) => !atStart.has(message))),
  }
}

/** null: it fits. An empty translation does, too: it is not there yet. */
export function whyNotFitting(message: string, translation: string): string | null {
  if (translation === '') return null
  let own: Parts
  try {
    own = partsOf(translation)
  } catch (error) {
    return `is no ICU message: ${error instanceof Error ? error.message : error}`
  }
  const wanted = partsOf(message)
  for (const kind of ['values', 'tags'] as const) {
    const missing = [...wanted[kind]].filter((name) => !own[kind].has(name))
    const added = [...own[kind]].filter((name) => !wanted[kind].has(name))
    if (missing.length > 0) return `lacks ${missing.join(', ')}`
    if (added.length > 0) return `has ${added.join(', ')}, which the message does not give`
  }
  const uncounted = [...own.counted].filter((name) => !wanted.counted.has(name))
  return uncounted.length > 0 ? `chooses by ${uncounted.join(', ')}, which may be no number` : null
}

type Parts = { values: Set<string>; tags: Set<string>; counted: Set<string> }

/** Also of a message of the code: it throws when it is none. */
export function partsOf(message: string): Parts {
  const parts: Parts = { values: new Set(), tags: new Set(), counted: new Set() }
  collect(new IntlMessageFormat(message, 'en').getAst(), parts)
  return parts
}

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

// The numbers are the parser's TYPE, which intl-messageformat does not hand on.
const LITERAL = 0
const SELECT = 5
const PLURAL = 6
const POUND = 7
const TAG = 8

function collect(elements: readonly Element[], parts: Parts): void {
  for (const element of elements) {
    const type: number = element.type
    if (type === LITERAL || type === POUND || !('value' in element)) continue
    ;(type === TAG ? parts.tags : parts.values).add(String(element.value))
    if (type === PLURAL || type === SELECT) parts.counted.add(String(element.value))
    if ('children' in element) collect(element.children, parts)
    if ('options' in element) {
      for (const { value } of Object.values(element.options)) collect(value, parts)
    }
  }
}
