// SPDX-License-Identifier: MIT
// A version's text as one node gets it: the node's merge patch (RFC 7396) applied as the smallest
// edits, so that the author's comments and layout arrive on the node too.
import { applyEdits, type Edit, modify } from 'jsonc-parser'
import type { ConfigError } from '../../schema/common.ts'
import {
  type JsonObject,
  type JsonValue,
  lineStarts,
  parseConfigText,
  positionsIn,
  WHOLE_DOCUMENT,
} from './text.ts'

export type Rendered = {
  text: string
  /** undefined: the override brought in what no config may hold (a fraction, say), so nobody can read it. */
  value: JsonValue | undefined
  /** Turns positions in `text` into positions in the author's text. */
  toAuthor: (error: ConfigError) => ConfigError
}

/** `text` must be a config text that parses; null when it does not. */
export function renderForNode(text: string, mergePatch: JsonObject): Rendered | null {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return null
  const formattingOptions = formattingOf(text)
  const steps: Edit[][] = []
  let rendered = text
  for (const change of patchChanges(parsed.value, mergePatch)) {
    const edits = modify(rendered, change.path, change.value, { formattingOptions })
    rendered = applyEdits(rendered, edits)
    steps.push(edits)
  }
  const result = parseConfigText(rendered)
  const toAuthor =
    steps.length === 0 ? (error: ConfigError) => error : authorMapper(text, rendered, steps)
  return { text: rendered, value: result.ok ? result.value : undefined, toAuthor }
}

/**
 * The other way: a text as a node has it, with what the override changed put back to what `base`, the
 * version the node was given, says there. As it is when either cannot be read.
 */
export function withoutOverride(text: string, base: string, mergePatch: JsonObject): string {
  const parsed = parseConfigText(base)
  if (!parsed.ok || !parseConfigText(text).ok) return text
  const formattingOptions = formattingOf(text)
  let authors = text
  for (const { path } of patchChanges(parsed.value, mergePatch)) {
    const before = valueAt(parsed.value, path)
    authors = applyEdits(authors, modify(authors, path, before, { formattingOptions }))
  }
  return authors
}

const formattingOf = (text: string) => ({
  insertSpaces: true,
  tabSize: 2,
  eol: text.includes('\r\n') ? '\r\n' : '\n',
})

const valueAt = (value: JsonValue, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (at, key) => (at !== undefined && isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  )

type PatchChange = { path: string[]; value: JsonValue | undefined }

/** The patch as single sets and removals (value undefined), leaving out what changes nothing. */
function patchChanges(target: JsonValue, patch: JsonValue, path: string[] = []): PatchChange[] {
  if (!isObject(patch)) return [{ path, value: patch }]
  if (!isObject(target)) return [{ path, value: withoutNulls(patch) }]
  return Object.entries(patch).flatMap(([key, value]) => {
    const here = [...path, key]
    const old = Object.hasOwn(target, key) ? target[key] : undefined
    if (value === null) return old === undefined ? [] : [{ path: here, value: undefined }]
    if (old === undefined) return [{ path: here, value: withoutNulls(value) }]
    if (isObject(value)) return patchChanges(old, value, here)
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [{ path: here, value }]
  })
}

/** A patch laid onto nothing: its removals have nothing to remove. Arrays are taken as they are. */
function withoutNulls(patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const kept = Object.entries(patch).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutNulls(value)]))
}

function authorMapper(text: string, rendered: string, steps: Edit[][]): Rendered['toAuthor'] {
  const renderedLines = lineStarts(rendered)
  const at = positionsIn(text)
  const offsetOf = (line: number, column: number) => (renderedLines[line - 1] ?? 0) + column - 1
  return (error) => {
    if (error.line === 0) return error
    const start = authorOffset(offsetOf(error.line, error.column), steps)
    const end = authorOffset(offsetOf(error.endLine, error.endColumn), steps)
    if (start === null) {
      const hint = [error.hint, 'this value comes from the node’s override']
        .filter(Boolean)
        .join('; ')
      return { ...error, ...WHOLE_DOCUMENT, hint }
    }
    return { ...error, ...at(start, Math.max(0, (end ?? start) - start)) }
  }
}

/** null: the place is inside text that an edit put in. */
function authorOffset(offset: number, steps: Edit[][]): number | null {
  let here = offset
  for (const edits of steps.toReversed()) {
    let grown = 0
    for (const edit of edits.toSorted((a, b) => a.offset - b.offset)) {
      const start = edit.offset + grown
      if (here < start) break
      if (here < start + edit.content.length) return null
      grown += edit.content.length - edit.length
    }
    here -= grown
  }
  return here
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
