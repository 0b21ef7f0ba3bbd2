// SPDX-License-Identifier: MIT
// A version's text as one node gets it: the merge patch (RFC 7396) of its group and then its own, each
// applied as the smallest edits, and then the variables filled in. The author's comments and layout
// arrive on the node too, and places in what the node reads lead back to what somebody wrote.
import { applyEdits, type Edit, modify, type Node, parseTree } from 'jsonc-parser'
import type { ConfigError } from '../../../api-shapes/common.ts'
import { mergePatch } from '../../../json/merge-patch.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../json/values.ts'
import type { RenderTarget } from '../../../labels/grouping.ts'
import { MAX_ERRORS, nodeAt, parseConfigText, pathOf, pointerOf } from '../text/text.ts'
import { type AuthorMapper, createAuthorMapper, type Origin } from './origins.ts'
import { type Filled, fillIn, type Lookup, mayHoldVariables, valuesFor } from './variables.ts'

export type Rendered = {
  text: string
  /**
   * Read anew each time: many are only counted, and what a text says takes several times its room.
   * undefined: nobody can read it, or a variable has no value; `errors` says which and where.
   */
  readonly value: JsonValue | undefined
  errors: ConfigError[]
  /** What was filled in, by the variables' names. */
  variables: Map<string, string>
  /** Turns positions in `text` into positions in the author's text. */
  toAuthor: (error: ConfigError) => ConfigError
}
/** Both patches laid over a version: what nodes of one group with one override have in common. */
export type Laid = {
  /** What it takes in memory, about. */
  bytes: number
  /** Nodes for which the variables say the same have the same key. */
  fill(lookup: Lookup): { key: string; render(): Rendered }
}

/** Of a text with the tree that was read of it. */
const LAID_BYTES_PER_UNIT = 16

/** `text` must be a config text that parses; null when it does not. */
export function renderForNode(text: string, target: RenderTarget): Rendered | null {
  return layOver(text, target)?.fill(valuesFor(target)).render() ?? null
}

export function layOver(text: string, { group, node }: RenderTarget): Laid | null {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return null
  const fromGroup = patchChanges(parsed.value, group.mergePatch as JsonObject)
  const grouped = mergePatch(parsed.value, group.mergePatch as JsonObject)
  const fromNode = patchChanges(grouped, node.mergePatch as JsonObject)
  const patched = withChanges(text, [...fromGroup, ...fromNode])
  const root = patched === text ? parsed.root : parseTree(patched)
  if (!root) return null
  const origins = [
    originOf('the node’s override', fromNode),
    originOf(`the override of the group ${group.name}`, fromGroup),
  ]
  const mapperOf = createAuthorMapper({ text, root: parsed.root }, origins)
  return filler({ author: text, patched, root, mapperOf })
}

const originOf = (name: string, changes: readonly Change[]): Origin => ({
  name,
  paths: changes.map(({ path }) => path),
})

type Patched = {
  author: string
  patched: string
  root: Node
  mapperOf: ReturnType<typeof createAuthorMapper>
}

function filler({ author, patched, root, mapperOf }: Patched): Laid {
  const templates = templatesIn(root)
  const finish = (filled: FilledToken[]): Rendered => {
    const text = withEdits(patched, filled.flatMap(toEdit))
    const errors = filled.flatMap(faultsOf(patched, mapperOf(patched, root)))
    const isFilled = errors.length === 0
    return {
      text,
      get value() {
        const result = isFilled ? parseConfigText(text) : null
        return result?.ok ? result.value : undefined
      },
      errors: errors.slice(0, MAX_ERRORS),
      variables: new Map(filled.flatMap(({ used }) => used)),
      toAuthor: text === author ? (error) => error : mapperOf(text).error,
    }
  }
  return {
    bytes: LAID_BYTES_PER_UNIT * patched.length,
    fill(lookup) {
      const filled = templates.map((token) => ({ token, ...fillIn(token.value, lookup) }))
      const key = JSON.stringify(filled.map(({ text, used, faults }) => [text, used, faults]))
      return { key, render: () => finish(filled) }
    },
  }
}

type FilledToken = Filled & { token: Node }

const toEdit = ({ token, text }: FilledToken): Edit[] =>
  text === token.value
    ? []
    : [{ offset: token.offset, length: token.length, content: JSON.stringify(text) }]

/** Where the reference itself is, when it is written in the token as it reads. */
const faultsOf =
  (text: string, mapper: AuthorMapper) =>
  ({ token, faults }: FilledToken): ConfigError[] =>
    faults.map(({ reference, message, hint }) => {
      const raw = text.slice(token.offset, token.offset + token.length)
      const at = raw.indexOf(reference)
      const [start, length] =
        at < 0 ? [token.offset, token.length] : [token.offset + at, reference.length]
      const pointer = pointerOf(pathOf(token))
      return mapper.ofSpan({ pointer, code: 'undefined_variable', message, hint }, start, length)
    })

/** The texts that may hold variables, names left out. */
export function templatesIn(node: Node): Node[] {
  if (node.type === 'string') return mayHoldVariables(node.value) ? [node] : []
  const within = node.type === 'property' ? node.children?.slice(1) : node.children
  return (within ?? []).flatMap(templatesIn)
}

/**
 * The other way: a text as a node has it, with what its overrides and variables changed put back to what
 * `base`, the version the node was given, says there. As it is when either cannot be read.
 */
export function authorsText(text: string, base: string, target: RenderTarget): string {
  const parsed = parseConfigText(base)
  if (!parsed.ok) return text
  const [group, node] = [
    target.group.mergePatch as JsonObject,
    target.node.mergePatch as JsonObject,
  ]
  const changes = [
    ...patchChanges(parsed.value, group),
    ...patchChanges(mergePatch(parsed.value, group), node),
  ]
  const unfilled = withReferences(text, parsed.root, valuesFor(target))
  if (unfilled === null) return text
  const before = changes.map(({ path }) => ({ path, value: valueAt(parsed.value, path) }))
  return withChanges(unfilled, before)
}

/** A text somebody changed by hand is theirs; one that reads as it was filled in is a reference again. */
function withReferences(text: string, base: Node, lookup: Lookup): string | null {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return null
  const edits = templatesIn(base).flatMap((token): Edit[] => {
    const here = nodeAt(parsed.root, pointerOf(pathOf(token)))?.value
    if (here?.type !== 'string' || here.value !== fillIn(token.value, lookup).text) return []
    const content = JSON.stringify(token.value)
    return [{ offset: here.offset, length: here.length, content }]
  })
  return withEdits(text, edits)
}

/** Edits that do not overlap, in one pass: jsonc-parser's applyEdits makes the whole text anew for each of them. */
function withEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset)) {
    parts.push(text.slice(at, offset), content)
    at = offset + length
  }
  return parts.join('') + text.slice(at)
}

type Change = { path: string[]; value: JsonValue | undefined }

function withChanges(text: string, changes: readonly Change[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol }
  return changes.reduce(
    (before, { path, value }) =>
      applyEdits(before, modify(before, path, value, { formattingOptions })),
    text,
  )
}

/** The text with this one value; nothing else of it is touched. */
export const withValue = (text: string, path: readonly string[], value: JsonValue): string =>
  withChanges(text, [{ path: [...path], value }])

export const valueAt = (value: JsonValue, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (at, key) => (at !== undefined && isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  )

/** The patch as single sets and removals (value undefined), leaving out what changes nothing. */
function patchChanges(target: JsonValue, patch: JsonValue, path: string[] = []): Change[] {
  if (!isObject(patch)) return [{ path, value: patch }]
  if (!isObject(target)) return [{ path, value: mergePatch(null, patch) }]
  return Object.entries(patch).flatMap(([key, value]) => {
    const here = [...path, key]
    const old = Object.hasOwn(target, key) ? target[key] : undefined
    if (value === null) return old === undefined ? [] : [{ path: here, value: undefined }]
    if (old === undefined) return [{ path: here, value: mergePatch(null, value) }]
    if (isObject(value)) return patchChanges(old, value, here)
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [{ path: here, value }]
  })
}
