// SPDX-License-Identifier: MIT
// Between a text's offsets, its lines and columns (from 1, UTF-16 units), and JSON Pointers.
import type { Text } from '@codemirror/state'
import { findNodeAtLocation, parseTree } from 'jsonc-parser'

/** A place in a config's text, as an address holds it: a pointer outlives edits, a line does not. */
export type Place = { line?: number; column?: number; pointer?: string }

export function offsetAt(doc: Text, line: number, column: number): number {
  if (line < 1) return 0
  if (line > doc.lines) return doc.length
  const { from, to } = doc.line(line)
  return Math.min(to, from + Math.max(0, column - 1))
}

/** A JSON Pointer's keys; what looks like a place in a list is a number. */
export const pathOfPointer = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key))

export function offsetOfPointer(text: string, pointer: string): number | null {
  const root = parseTree(text)
  if (root === undefined) return null
  const node = findNodeAtLocation(root, pathOfPointer(pointer))
  if (node === undefined) return null
  return node.parent?.type === 'property' ? node.parent.offset : node.offset
}

/** The pointer is tried first: the text may have moved since the place was written down. */
export function offsetOfPlace(doc: Text, place: Place): number | null {
  if (place.pointer !== undefined && place.pointer !== '') {
    const offset = offsetOfPointer(doc.toString(), place.pointer)
    if (offset !== null) return offset
  }
  return place.line === undefined ? null : offsetAt(doc, place.line, place.column ?? 1)
}
