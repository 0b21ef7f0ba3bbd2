// SPDX-License-Identifier: MIT
// What changed between two documents, by JSON Pointer: reordered keys and comments are no change.
import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, type JsonValue } from '../../../json/values.ts'
import { type Effect, effectOf, helpFor, type SchemaNode, schemaAt } from '../text/schema-walk.ts'
import { pointerTo } from '../text/text.ts'
import { pairItems } from './list-diff.ts'

type Place = {
  /** Where it is now; of what was removed, where it was. */
  pointer: string
  /** Where it was before; null: it is new. */
  fromPointer: string | null
}
type Found = Place & {
  kind: 'added' | 'removed' | 'changed' | 'moved'
  from: JsonValue | null
  to: JsonValue | null
}
export type Change = Found & {
  help: string
  /** What holds where the option is not given; null: nothing, or nothing that can be said in a word. */
  default: JsonValue | null
  effect: Effect
}
export type Changes = { changes: Change[]; moreChanges: number }

/** Nobody reads more, and a text of a megabyte can hold half a million. */
const MAX_CHANGES = 1000

export function diffValues(from: JsonValue, to: JsonValue, schema: SchemaNode): Changes {
  const found: Found[] = []
  compare(from, to, { pointer: '', fromPointer: '' }, found)
  const changes = found.slice(0, MAX_CHANGES).map((change) => explain(change, schema))
  return { changes, moreChanges: found.length - changes.length }
}

const explain = (change: Found, schema: SchemaNode): Change => ({
  ...change,
  help: helpFor(schema, change.pointer),
  default: (schemaAt(schema, change.pointer)?.default as JsonValue | undefined) ?? null,
  effect: effectOf(schema, change.pointer),
})

function compare(from: JsonValue, to: JsonValue, place: Place, out: Found[]): void {
  if (isDeepStrictEqual(from, to)) return
  if (isObject(from) && isObject(to)) compareObjects(from, to, place, out)
  else if (Array.isArray(from) && Array.isArray(to)) compareLists(from, to, place, out)
  else out.push({ ...place, kind: 'changed', from, to })
}

function compareObjects(from: JsonObject, to: JsonObject, place: Place, out: Found[]): void {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    const after = Object.hasOwn(to, key) ? to[key] : undefined
    report(before, after, below(place, key, key), out)
  }
}

function compareLists(from: JsonValue[], to: JsonValue[], place: Place, out: Found[]): void {
  for (const { from: was, to: is, moved } of pairItems(from, to)) {
    const here = below(place, was ?? is ?? 0, is ?? was ?? 0)
    if (moved) out.push({ ...here, kind: 'moved', from: null, to: null })
    report(was === null ? undefined : from[was], is === null ? undefined : to[is], here, out)
  }
}

function report(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: Place,
  out: Found[],
): void {
  const { pointer, fromPointer } = place
  if (before !== undefined && after !== undefined) compare(before, after, place, out)
  else if (after !== undefined)
    out.push({ pointer, fromPointer: null, kind: 'added', from: null, to: after })
  else if (before !== undefined)
    out.push({
      pointer: fromPointer ?? pointer,
      fromPointer,
      kind: 'removed',
      from: before,
      to: null,
    })
}

const below = (place: Place, was: string | number, is: string | number): Place => ({
  pointer: pointerTo(place.pointer, is),
  fromPointer: pointerTo(place.fromPointer ?? '', was),
})
