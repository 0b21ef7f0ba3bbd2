// SPDX-License-Identifier: MIT
// lighttpd's values: texts, whole numbers, and lists whose entries may have keys. Pure.
import { type Place, Unreadable } from '../tree.ts'
import { boundText } from './lexer.ts'

export type Value = string | number | List
export type Entry = { key: string | null; value: Value }
/** `size` counts the entries of inner lists as well. */
export type List = { entries: readonly Entry[]; size: number }

const LARGEST_LIST = 8192
/** Of Unicode's private use: stands in a text for what only the old server's machine knows. */
export const UNKNOWN = '\ue000'

export const isList = (value: Value): value is List => typeof value === 'object'
export const isKnown = (value: Value): boolean =>
  isList(value)
    ? value.entries.every(({ key, value: inner }) => !key?.includes(UNKNOWN) && isKnown(inner))
    : !String(value).includes(UNKNOWN)

export function listOf(entries: readonly Entry[], place: Place): List {
  const size = entries.reduce((sum, { value }) => sum + 1 + (isList(value) ? value.size : 0), 0)
  if (size > LARGEST_LIST)
    throw new Unreadable(place, `the list here has more than ${LARGEST_LIST} entries`)
  return { entries, size }
}

/** "+" of two values, and "+=". */
export function sum(a: Value, b: Value, place: Place): Value {
  if (isList(a) && isList(b)) {
    const keys = new Set(b.entries.flatMap(({ key }) => (key === null ? [] : [key])))
    // Of equal keys the later one counts.
    const kept = a.entries.filter(({ key }) => key === null || !keys.has(key))
    return listOf([...kept, ...b.entries], place)
  }
  if (isList(a) || isList(b)) throw new Unreadable(place, 'a list can be added to a list only')
  if (typeof a === 'number' && typeof b === 'number') return a + b
  const text = `${a}${b}`
  boundText(text, place)
  return text
}
