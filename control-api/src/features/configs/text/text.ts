// SPDX-License-Identifier: MIT
// Reads a config's text as strictly as the node does: JSON with comments, and nothing in it that two
// readers could understand differently (no duplicate keys, no trailing commas, no fractions). Only
// then is an equal digest a proof that both sides read the text alike.
import {
  createScanner,
  getNodePath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { ConfigError } from '../../../api-shapes/common.ts'
import type { JsonObject, JsonValue } from '../../../json/values.ts'

export type ConfigText =
  | { ok: true; value: JsonValue; root: Node }
  | { ok: false; errors: ConfigError[] }

/** The node's bound too: no text can exhaust the stack of a recursive reader. */
export const MAX_DEPTH = 32
export const MAX_ERRORS = 100

export function parseConfigText(text: string): ConfigText {
  const at = positionsIn(text)
  const tooDeep = offsetDeeperThan(text, MAX_DEPTH)
  if (tooDeep !== null) {
    const message = `nested more than ${MAX_DEPTH} levels deep`
    return {
      ok: false,
      errors: [{ ...at(tooDeep, 1), pointer: '', code: 'too_large', message, hint: '' }],
    }
  }
  const syntax: ParseError[] = []
  const root = parseTree(text, syntax, { allowTrailingComma: false, disallowComments: false })
  if (syntax.length > 0 || !root) {
    return { ok: false, errors: syntaxErrors(text, syntax, at) }
  }
  const errors: ConfigError[] = []
  const value = readValue(root, '', { text, at, errors })
  return errors.length === 0
    ? { ok: true, value, root }
    : { ok: false, errors: errors.slice(0, MAX_ERRORS) }
}

export type Position = Pick<ConfigError, 'line' | 'column' | 'endLine' | 'endColumn'>
/** Stands for the whole document: there is no better place to point to. */
export const WHOLE_DOCUMENT: Position = { line: 0, column: 0, endLine: 0, endColumn: 0 }

/** Offsets to lines and columns from 1, columns in UTF-16 units as editors count. */
export function positionsIn(text: string): (offset: number, length: number) => Position {
  const starts = lineStarts(text)
  const find = (offset: number) => {
    let low = 0
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
  return (offset, length) => {
    const end = find(offset + length)
    return { ...find(offset), endLine: end.line, endColumn: end.column }
  }
}

/** A line ends with LF, CR LF or CR. */
export function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length)]
}

export const pointerTo = (parent: string, key: string | number) =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`

export const keysOf = (pointer: string) =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Keys and indexes from the root. */
export type Path = readonly (string | number)[]
/** Of a value, or of the value a key belongs to. */
export const pathOf = (node: Node): Path => getNodePath(node)
export const pointerOf = (path: Path) => path.reduce<string>(pointerTo, '')

/** The tree's node a pointer names, with the key's node when it is a property. */
export function nodeAt(root: Node, pointer: string): { value: Node; key: Node | null } | null {
  let found: { value: Node; key: Node | null } = { value: root, key: null }
  for (const key of keysOf(pointer)) {
    const parent = found.value
    if (parent.type === 'array') {
      const item = parent.children?.[Number(key)]
      if (!item) return null
      found = { value: item, key: null }
      continue
    }
    const property = parent.children?.find((child) => child.children?.[0]?.value === key)
    const [keyNode, valueNode] = property?.children ?? []
    if (parent.type !== 'object' || !keyNode || !valueNode) return null
    found = { value: valueNode, key: keyNode }
  }
  return found
}

type Reading = { text: string; at: ReturnType<typeof positionsIn>; errors: ConfigError[] }

function readValue(node: Node, pointer: string, reading: Reading): JsonValue {
  switch (node.type) {
    case 'object':
      return readObject(node, pointer, reading)
    case 'array':
      return (node.children ?? []).map((item, i) => readValue(item, pointerTo(pointer, i), reading))
    case 'number':
      return readInteger(node, pointer, reading)
    case 'string':
      refuseBadString(reading, node, pointer)
      return node.value
    default:
      return node.value
  }
}

function readObject(node: Node, pointer: string, reading: Reading): JsonObject {
  // Without a prototype, so that a key named "__proto__" is a key like any other.
  const object: JsonObject = Object.create(null)
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (!key || !value) continue
    const name = String(key.value)
    const here = pointerTo(pointer, name)
    if (!name.isWellFormed()) refuse(reading, key, here, 'syntax', 'holds half of a surrogate pair')
    if (Object.hasOwn(object, name)) {
      refuse(reading, key, here, 'duplicate_key', `${JSON.stringify(name)} is given twice`)
    }
    object[name] = readValue(value, here, reading)
  }
  return object
}

function refuseBadString(reading: Reading, node: Node, pointer: string): void {
  const text = String(node.value)
  const fault = !text.isWellFormed()
    ? 'this text holds half of a surrogate pair'
    : text.includes('\0') && 'a text cannot contain the NUL character'
  if (fault) refuse(reading, node, pointer, 'syntax', fault)
}

function readInteger(node: Node, pointer: string, reading: Reading): number {
  const literal = reading.text.slice(node.offset, node.offset + node.length)
  const value = Number(literal)
  if (!/^-?(0|[1-9][0-9]*)$/.test(literal)) {
    refuse(
      reading,
      node,
      pointer,
      'not_integer',
      `must be a whole number, got ${literal.slice(0, 40)}`,
    )
  } else if (!Number.isSafeInteger(value)) {
    refuse(
      reading,
      node,
      pointer,
      'out_of_range',
      'is beyond 2^53 - 1, which not every reader holds exactly',
    )
  }
  return value
}

function refuse(
  reading: Reading,
  node: Node,
  pointer: string,
  code: string,
  message: string,
): void {
  const position = reading.at(node.offset, node.length)
  reading.errors.push({ pointer, ...position, code, message, hint: '' })
}

const SYNTAX_MESSAGES: Record<string, string> = {
  InvalidSymbol:
    'this is not JSON: texts need double quotes, and only true, false and null have none',
  InvalidNumberFormat: 'this number is malformed',
  PropertyNameExpected: 'a property name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing brace } is expected here',
  CloseBracketExpected: 'a closing bracket ] is expected here',
  EndOfFileExpected: 'the document ends before this: only comments may follow',
  InvalidCommentToken: 'this comment is malformed',
  UnexpectedEndOfComment: 'this comment is never closed',
  UnexpectedEndOfString: 'this text has no closing quote on its line',
  UnexpectedEndOfNumber: 'this number ends too early',
  InvalidUnicode: 'this \\u escape needs four hex digits',
  InvalidEscapeCharacter: 'this escape does not exist in JSON',
  InvalidCharacter: 'this control character must be written as an escape',
}

/** The first one only: what a reader finds after a slip of the pen is mostly noise. */
function syntaxErrors(text: string, found: ParseError[], at: Reading['at']): ConfigError[] {
  const first = found[0]
  if (!first) {
    return [
      {
        ...at(0, 0),
        pointer: '',
        code: 'syntax',
        message: 'the document is empty',
        hint: 'start with {}',
      },
    ]
  }
  const name = printParseErrorCode(first.error)
  const before = text.slice(0, first.offset).trimEnd()
  if (/^(PropertyName|Value)Expected$/.test(name) && before.endsWith(',')) {
    const message = 'nothing follows this comma'
    const place = at(before.length - 1, 1)
    return [{ ...place, pointer: '', code: 'syntax', message, hint: 'remove it' }]
  }
  const message = SYNTAX_MESSAGES[name] ?? 'this is not JSON'
  return [{ ...at(first.offset, first.length), pointer: '', code: 'syntax', message, hint: '' }]
}

const OPENING = new Set([1, 3]) // SyntaxKind.OpenBraceToken, OpenBracketToken: a const enum, not importable
const CLOSING = new Set([2, 4])
const END_OF_TEXT = 17

function offsetDeeperThan(text: string, limit: number): number | null {
  const scanner = createScanner(text, true)
  let depth = 0
  for (let kind = scanner.scan(); kind !== END_OF_TEXT; kind = scanner.scan()) {
    if (OPENING.has(kind) && ++depth > limit) return scanner.getTokenOffset()
    if (CLOSING.has(kind)) depth--
  }
  return null
}
