// SPDX-License-Identifier: MIT
// What changed between two documents, by JSON Pointer: reordered keys and comments are no change.
import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, type JsonValue } from '../../json.ts'
import { helpFor, type SchemaNode } from './schema-walk.ts'
import { pointerTo } from './text.ts'

export type Change = {
  pointer: string
  kind: 'added' | 'removed' | 'changed'
  from: JsonValue | null
  to: JsonValue | null
  help: string
}

export function diffValues(from: JsonValue, to: JsonValue, schema: SchemaNode): Change[] {
  const changes: Change[] = []
  compare(from, to, '', changes)
  return changes.map((change) => ({ ...change, help: helpFor(schema, change.pointer) }))
}

function compare(from: JsonValue, to: JsonValue, pointer: string, out: Change[]): void {
  if (isDeepStrictEqual(from, to)) return
  if (isObject(from) && isObject(to)) compareObjects(from, to, pointer, out)
  else if (Array.isArray(from) && Array.isArray(to)) compareArrays(from, to, pointer, out)
  else out.push({ pointer, kind: 'changed', from, to, help: '' })
}

function compareObjects(from: JsonObject, to: JsonObject, pointer: string, out: Change[]): void {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const here = pointerTo(pointer, key)
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    const after = Object.hasOwn(to, key) ? to[key] : undefined
    if (before === undefined)
      out.push({ pointer: here, kind: 'added', from: null, to: after ?? null, help: '' })
    else if (after === undefined)
      out.push({ pointer: here, kind: 'removed', from: before, to: null, help: '' })
    else compare(before, after, here, out)
  }
}

/** Items alike at both ends are set aside first, so that one inserted item is one change. */
function compareArrays(from: JsonValue[], to: JsonValue[], pointer: string, out: Change[]): void {
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && isDeepStrictEqual(from[head], to[head])) head++
  let tail = 0
  while (tail < shorter - head && isDeepStrictEqual(from.at(-1 - tail), to.at(-1 - tail))) tail++
  const before = from.slice(head, from.length - tail)
  const after = to.slice(head, to.length - tail)
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const here = pointerTo(pointer, head + i)
    const [old, now] = [before[i], after[i]]
    if (old === undefined)
      out.push({ pointer: here, kind: 'added', from: null, to: now ?? null, help: '' })
    else if (now === undefined)
      out.push({ pointer: here, kind: 'removed', from: old, to: null, help: '' })
    else compare(old, now, here, out)
  }
}
