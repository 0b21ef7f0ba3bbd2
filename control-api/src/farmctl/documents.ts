// SPDX-License-Identifier: MIT
// Files of farmctl's own making: JSON with comments, as configs are. Errors name their place.
import {
  getNodeValue,
  type Node as JsonNode,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { EXIT } from './exit-codes.ts'
import { atPosition, Failure } from './failures.ts'

export type JsonObject = Record<string, unknown>

/** A reader of one member: says what is wrong with it, null for nothing. */
export type Members = Record<string, (value: unknown) => string | null>

const OPTIONS = { allowTrailingComma: true }

/** null: any members. */
export function readDocument(file: string, text: string, members: Members | null): JsonObject {
  if (text.startsWith('\uFEFF')) {
    const message = 'the text begins with a byte order mark (save it as UTF-8 without it)'
    throw new Failure(atPosition(file, { line: 1, column: 1, message }), EXIT.rejected)
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, OPTIONS)
  const found = errors.map(({ offset, error }) => ({ offset, message: sentence(error) }))
  if (found.length === 0) found.push(...twice(root), ...wrongMembers(root, members))
  if (found.length === 0) return parse(text, [], OPTIONS)
  const lines = found.map(({ offset, message }) => {
    return atPosition(file, { ...positionOf(text, offset), message })
  })
  throw new Failure(lines.join('\n'), EXIT.rejected)
}

const sentence = (error: number) =>
  `is no JSON here: ${printParseErrorCode(error).replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`

/** Of two members of one name, readers take the last, and whoever wrote the first one does not hear of it. */
function twice(node: JsonNode | undefined): { offset: number; message: string }[] {
  const children = node?.children ?? []
  const seen = new Set<unknown>()
  return children.flatMap((child) => {
    const key: unknown = node?.type === 'object' ? child.children?.[0]?.value : undefined
    const isAgain = key !== undefined && seen.has(key)
    seen.add(key)
    const message = `"${String(key)}" is here for the second time`
    return [...(isAgain ? [{ offset: child.offset, message }] : []), ...twice(child)]
  })
}

function wrongMembers(root: JsonNode | undefined, members: Members | null) {
  if (root?.type !== 'object') return [{ offset: root?.offset ?? 0, message: 'must be an object' }]
  if (members === null) return []
  return (root.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? []
    const check = Object.hasOwn(members, key?.value) ? members[key?.value] : undefined
    if (!check) {
      const message = `"${key?.value}" is not known here: choose of ${Object.keys(members).join(', ')}`
      return [{ offset: property.offset, message }]
    }
    const problem = value && check(getNodeValue(value))
    return problem ? [{ offset: value.offset, message: `"${key?.value}" ${problem}` }] : []
  })
}

/** From 1, columns in UTF-16 units, as the API counts. */
function positionOf(text: string, offset: number) {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const mustBeObject = (value: unknown) => (isObject(value) ? null : 'must be an object')
export const mustBeString = (value: unknown) =>
  typeof value === 'string' ? null : 'must be a text in double quotes'
export const mustBeWholeNumber = (value: unknown) =>
  Number.isInteger(value) ? null : 'must be a whole number'
export const mustBeNames = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? null
    : 'must be a list of names'
export const mustBeLabels = (value: unknown) =>
  isObject(value) && Object.values(value).every((item) => typeof item === 'string')
    ? null
    : 'must be an object of texts'
