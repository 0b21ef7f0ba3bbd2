// SPDX-License-Identifier: MIT
// Leads places in a rendered text back to the author's. By the path of the token there, not by counting
// what edits inserted: laying a value in may format its neighbours anew, but never moves them to another path.
import { findNodeAtOffset, type Node, parseTree } from 'jsonc-parser'
import type { ConfigError } from '../../../api-shapes/common.ts'
import {
  lineStarts,
  nodeAt,
  type Path,
  pathOf,
  pointerOf,
  positionsIn,
  WHOLE_DOCUMENT,
} from '../text/text.ts'

/** One who changed the text, and where; the last to do so comes first. */
export type Origin = { name: string; paths: readonly Path[] }
type Author = { text: string; root: Node }
type Unplaced = Pick<ConfigError, 'pointer' | 'code' | 'message' | 'hint'>
export type AuthorMapper = {
  error(error: ConfigError): ConfigError
  ofSpan(error: Unplaced, offset: number, length: number): ConfigError
}
type Span = { offset: number; length: number }

/** Begins what is said of a value that is not the author's. */
export const COMES_FROM = 'this value comes from '

/** Of one author's text; then of each text rendered from it. */
export function createAuthorMapper(author: Author, origins: readonly Origin[]) {
  const inAuthors = positionsIn(author.text)
  return (text: string, given?: Node): AuthorMapper => {
    let lines: number[] | undefined
    const offsetOf = (line: number, column: number) => {
      lines ??= lineStarts(text)
      return (lines[line - 1] ?? 0) + column - 1
    }
    let root = given
    const ofSpan: AuthorMapper['ofSpan'] = (error, offset, length) => {
      root ??= parseTree(text)
      const token = root && tokenAt(root, offset)
      if (!token) return { ...error, ...WHOLE_DOCUMENT }
      const from = originOf(token, author.root, origins)
      if (typeof from === 'string') {
        const hint = [error.hint, COMES_FROM + from].filter(Boolean).join('; ')
        return { ...error, ...WHOLE_DOCUMENT, hint }
      }
      const raw = (source: string, { offset: at, length: size }: Span) =>
        source.slice(at, at + size)
      const isSame = raw(text, token) === raw(author.text, from)
      const span = inToken({ offset, length }, { token, from, isSame })
      return { ...error, ...inAuthors(span.offset, span.length) }
    }
    const error: AuthorMapper['error'] = (found) => {
      if (found.line === 0) return found
      const start = offsetOf(found.line, found.column)
      const end = offsetOf(found.endLine, found.endColumn)
      return { ...found, ...ofSpan(found, start, Math.max(0, end - start)) }
    }
    return { error, ofSpan }
  }
}

/** The key or value at this place; around spaces and comments, what they are in. */
function tokenAt(root: Node, offset: number): Node | undefined {
  const found = findNodeAtOffset(root, offset) ?? root
  return found.type === 'property' ? found.children?.[0] : found
}

const isKey = (node: Node) => node.parent?.type === 'property' && node.parent.children?.[0] === node

/** The author's own token, or who put this one there. */
function originOf(token: Node, authorRoot: Node, origins: readonly Origin[]): Node | string {
  const path = pathOf(token)
  const own = nodeAt(authorRoot, pointerOf(path))
  // A key that was there stays the author's, whoever gave it another value.
  const depth = isKey(token) && own?.key ? path.length - 1 : path.length
  const changed = origins.find(({ paths }) => paths.some((at) => leadsTo(at, path, depth)))
  if (changed) return changed.name
  return (isKey(token) ? own?.key : own?.value) ?? authorRoot
}

const leadsTo = (change: Path, path: Path, depth: number) =>
  change.length <= depth && change.every((key, i) => key === path[i])

type Matched = { token: Span & Pick<Node, 'children'>; from: Span; isSame: boolean }

/** Alike, they have the same places within; else the whole stands for its parts. */
function inToken(span: Span, { token, from, isSame }: Matched): Span {
  if (isSame) return { offset: from.offset + span.offset - token.offset, length: span.length }
  const isOpening = token.children !== undefined && span.length < token.length
  return isOpening ? { offset: from.offset, length: 1 } : from
}
