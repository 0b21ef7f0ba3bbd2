// SPDX-License-Identifier: MIT

import type { Place } from '../../components/code/positions.ts'
import { t } from '../../languages/t.ts'
import type { VersionSummary } from '../../lib/api-types.ts'

const count = (value: unknown): number | undefined => {
  const number = Number(value)
  return Number.isInteger(number) && number > 0 ? number : undefined
}

/** A place to show in a text: ?pointer=/sites/0/root&line=12&column=3 */
export function parsePlaceSearch(search: Record<string, unknown>): Place {
  const place: Place = {}
  const line = count(search.line)
  const column = count(search.column)
  if (line !== undefined) place.line = line
  if (column !== undefined) place.column = column
  if (typeof search.pointer === 'string') place.pointer = search.pointer
  return place
}

/** The editor's place, and which of its two views of the text is open; `both` where there is room for them. */
export type ConfigSearch = Place & { view?: 'form' | 'both' | undefined }

export function parseConfigSearch(search: Record<string, unknown>): ConfigSearch {
  const place: ConfigSearch = parsePlaceSearch(search)
  const { view } = search
  return view === 'form' || view === 'both' ? { ...place, view } : place
}

/** A side of a comparison: a version's number, or the draft. */
export type Side = number | 'draft'
export const sideLabel = (side: Side) => (side === 'draft' ? t('Draft') : `v${side}`)
export type CompareSearch = {
  from?: Side | undefined
  to?: Side | undefined
  view?: 'options' | undefined
}

const side = (value: unknown): Side | undefined => (value === 'draft' ? 'draft' : count(value))

export function parseCompareSearch(search: Record<string, unknown>): CompareSearch {
  const parsed: CompareSearch = {}
  const from = side(search.from)
  const to = side(search.to)
  if (from !== undefined) parsed.from = from
  if (to !== undefined) parsed.to = to
  if (search.view === 'options') parsed.view = 'options'
  return parsed
}

/** Which versions are listed. */
export type VersionsSearch = {
  q?: string | undefined
  author?: string | undefined
  source?: VersionSummary['source'] | undefined
}

export const sources = [
  'ui',
  'api',
  'cli',
  'import',
  'drift',
  'revert',
  'setup',
] as const satisfies readonly VersionSummary['source'][]

export function parseVersionsSearch(search: Record<string, unknown>): VersionsSearch {
  const parsed: VersionsSearch = {}
  // A word of digits arrives as a number.
  const words = (value: unknown) => (value === undefined ? '' : String(value).slice(0, 128))
  if (words(search.q) !== '') parsed.q = words(search.q)
  if (words(search.author) !== '') parsed.author = words(search.author)
  const source = sources.find((known) => known === search.source)
  if (source !== undefined) parsed.source = source
  return parsed
}
