// SPDX-License-Identifier: MIT
// What is wrong with a text, said while it is typed: a quick first filter from the node's schema.
// The control plane, and behind it the node binary itself, has the last word.

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { t } from '../../languages/t.ts'
import {
  expectation,
  kindsOf,
  onlyWord,
  type SchemaNode,
  schemaAt,
  typesOf,
} from './schema-walk.ts'

export type Finding = {
  from: number
  to: number
  pointer: string
  code: string
  message: string
  hint: string
}

export const MAX_FINDINGS = 100

export function lintConfig(text: string, schema: SchemaNode | null): Finding[] {
  const syntax: ParseError[] = []
  const root = parseTree(text, syntax, { allowTrailingComma: false, disallowComments: false })
  const [first] = syntax
  // What a reader finds after a slip of the pen is mostly noise: the first is the one to mend.
  if (first !== undefined || root === undefined) return [syntaxFinding(text, first)]
  const findings: Finding[] = []
  duplicateKeys(root, '', findings)
  if (schema !== null) checkNode(root, [], '', { schema, findings, text })
  return findings.sort((a, b) => a.from - b.from).slice(0, MAX_FINDINGS)
}

// In the node's manner of speaking: its findings take the place of these.
const syntaxMessages: Record<string, string> = {
  InvalidSymbol: t(
    'this is not JSON: texts need double quotes; only true, false and null have none',
  ),
  PropertyNameExpected: t('a property name in double quotes is expected here'),
  ValueExpected: t('a value is expected here'),
  ColonExpected: t('a colon is expected here'),
  CommaExpected: t('a comma is expected here'),
  CloseBraceExpected: t("a closing brace '}' is expected here"),
  CloseBracketExpected: t('a closing bracket ] is expected here'),
  EndOfFileExpected: t('the document ends before this: only comments may follow'),
  UnexpectedEndOfComment: t('this comment is never closed'),
  UnexpectedEndOfString: t('this text has no closing quote on its line'),
  InvalidEscapeCharacter: t('this escape does not exist in JSON'),
}

function syntaxFinding(text: string, error: ParseError | undefined): Finding {
  if (error === undefined) {
    const message = t('the document is empty')
    return {
      from: 0,
      to: text.length,
      pointer: '',
      code: 'syntax',
      message,
      hint: t("start with '{}'"),
    }
  }
  const name = printParseErrorCode(error.error)
  const before = text.slice(0, error.offset).trimEnd()
  const expectsMore = name === 'PropertyNameExpected' || name === 'ValueExpected'
  if (expectsMore && before.endsWith(',')) {
    const from = before.length - 1
    const message = t('nothing follows this comma')
    return { from, to: from + 1, pointer: '', code: 'syntax', message, hint: t('remove the comma') }
  }
  return {
    from: error.offset,
    to: error.offset + error.length,
    pointer: '',
    code: 'syntax',
    message: syntaxMessages[name] ?? t('this is not JSON'),
    hint: '',
  }
}

const escapeKey = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

function duplicateKeys(node: Node, pointer: string, findings: Finding[]): void {
  const seen = new Set<string>()
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') {
      duplicateKeys(child, `${pointer}/${index}`, findings)
      continue
    }
    const [key, value] = child.children ?? []
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    const here = `${pointer}/${escapeKey(name)}`
    if (seen.has(name)) {
      const message = t('{name} is given twice', { name: JSON.stringify(name) })
      findings.push({ ...spanOf(key), pointer: here, code: 'duplicate_key', message, hint: '' })
    }
    seen.add(name)
    duplicateKeys(value, here, findings)
  }
}

const spanOf = (node: Node) => ({ from: node.offset, to: node.offset + node.length })

type Check = { schema: SchemaNode; findings: Finding[]; text: string }

function checkNode(node: Node, path: (string | number)[], pointer: string, check: Check): void {
  const rule = schemaAt(check.schema, path)
  if (rule === null) return
  const report = (code: string, message: string, hint = '', at: Node = node, where = pointer) =>
    check.findings.push({ ...spanOf(at), pointer: where, code, message, hint })
  const got = check.text.slice(node.offset, node.offset + Math.min(node.length, 40))
  const expected = expectation(check.schema, rule)
  const kind = kindsOf(check.schema, rule).find((one) => fits(node, one))
  if (kind === undefined) {
    const isWord = rule.enum !== undefined && node.type === 'string'
    const code = isWord ? 'unknown_value' : 'wrong_type'
    report(
      code,
      t('must be {expected}, got {got}', { expected, got }),
      nearestHint(node.value, rule.enum),
    )
    return
  }
  const wrong = valueProblem(node, kind, got)
  if (wrong !== null) {
    report(
      wrong.code,
      t('must {must}, got {got}', { must: wrong.must ?? t('be {expected}', { expected }), got }),
    )
  }
  if (node.type === 'array') {
    for (const [index, item] of (node.children ?? []).entries()) {
      checkNode(item, [...path, index], `${pointer}/${index}`, check)
    }
  }
  if (node.type !== 'object') return
  const names = new Set<string>()
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    names.add(name)
    const here = `${pointer}/${escapeKey(name)}`
    if (kind.additionalProperties === false && !Object.hasOwn(kind.properties ?? {}, name)) {
      const known = Object.keys(kind.properties ?? {})
      report(
        'unknown_key',
        t('there is no option {name} here', { name: JSON.stringify(name) }),
        nearestHint(name, known),
        key,
        here,
      )
    } else checkNode(value, [...path, name], here, check)
  }
  for (const name of kind.required ?? []) {
    if (names.has(name)) continue
    report(
      'missing_key',
      t('{name} is missing', { name: JSON.stringify(name) }),
      '',
      node,
      `${pointer}/${escapeKey(name)}`,
    )
  }
}

function fits(node: Node, kind: SchemaNode): boolean {
  if (kind.enum !== undefined) return kind.enum.includes(node.value)
  if (kind.const !== undefined) return kind.const === node.value
  const types = typesOf(kind)
  if (types.length === 0) return true
  return types.some((type) => (type === 'integer' ? node.type === 'number' : type === node.type))
}

type ValueProblem = { code: string; must: string | null }

/** What is wrong with a value of the right type; `must` null: the expectation says it best. */
function valueProblem(node: Node, kind: SchemaNode, literal: string): ValueProblem | null {
  if (node.type === 'number') return numberProblem(node.value, kind, literal)
  if (node.type === 'string') return textProblem(String(node.value), kind)
  if (node.type === 'array') {
    return lengthProblem(node.children?.length ?? 0, kind.minItems, kind.maxItems, t('items'))
  }
  return null
}

function numberProblem(value: number, kind: SchemaNode, literal: string): ValueProblem | null {
  if (typesOf(kind).includes('integer') && !/^-?\d+$/.test(literal)) {
    return { code: 'not_integer', must: t('be a whole number, written without point or exponent') }
  }
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = kind
  return value < minimum || value > maximum ? { code: 'out_of_range', must: null } : null
}

function textProblem(value: string, kind: SchemaNode): ValueProblem | null {
  const wrongLength = lengthProblem(value.length, kind.minLength, kind.maxLength, t('characters'))
  if (wrongLength !== null) return wrongLength
  if (kind.pattern === undefined || new RegExp(kind.pattern, 'u').test(value)) return null
  if (onlyWord(kind) !== null) return { code: 'wrong_type', must: null }
  return { code: 'invalid_value', must: t('be of the form that this option takes') }
}

function lengthProblem(
  length: number,
  min = 0,
  max = Number.POSITIVE_INFINITY,
  what: string,
): ValueProblem | null {
  if (length < min)
    return { code: 'wrong_length', must: t('have at least {min} {what}', { min, what }) }
  return length > max
    ? { code: 'wrong_length', must: t('have at most {max} {what}', { max, what }) }
    : null
}

function nearestHint(given: unknown, known: readonly unknown[] | undefined): string {
  if (typeof given !== 'string' || known === undefined) return ''
  const names = known.filter((name) => typeof name === 'string')
  const near = names
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  // Two letters swapped are two edits: allowed in words long enough for it to mean something.
  const limit = given.length < 4 ? 1 : Math.max(2, Math.floor(given.length / 3))
  return near !== undefined && near.distance <= limit
    ? t('did you mean {name}?', { name: JSON.stringify(near.name) })
    : ''
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
