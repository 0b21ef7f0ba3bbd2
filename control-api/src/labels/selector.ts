// SPDX-License-Identifier: MIT
// Label selectors, in the notation Kubernetes made common: "zone=eu,tier in (edge, core),!canary".
// All requirements must hold; the empty selector matches everything. A label that is not there equals
// nothing: "zone!=eu" and "zone notin (eu)" match a node without a zone.

export type Requirement =
  | { kind: 'in' | 'notin'; key: string; values: readonly string[] }
  | { kind: 'exists' | 'absent'; key: string }
export type Selector = readonly Requirement[]

export type ParsedSelector =
  | { ok: true; selector: Selector }
  | { ok: false; column: number; message: string }

export const SELECTOR_MAX_LENGTH = 1024
const KEY = /[a-z][a-z0-9_.-]{0,62}/y
/** What label values may be without quotes; others are written in double quotes, as JSON strings. */
const VALUE = /"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.:/@+-]+/y
const OPERATOR = /\s*(==|!=|=|(?:not)?in(?=[\s(]))/y

class Unreadable extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Columns count from 1, in UTF-16 units. */
export function parseSelector(text: string): ParsedSelector {
  if (text.length > SELECTOR_MAX_LENGTH) {
    return {
      ok: false,
      column: SELECTOR_MAX_LENGTH + 1,
      message: `a selector has at most ${SELECTOR_MAX_LENGTH} characters`,
    }
  }
  try {
    return { ok: true, selector: readAll(text) }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { ok: false, column: error.offset + 1, message: error.message }
  }
}

function readAll(text: string): Selector {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const skipSpace = () => take(/\s*/y)
  const key = (): string => {
    const found = take(KEY)
    if (found) return found[0]
    throw new Unreadable(
      at,
      'a label’s name is expected: lower-case letters, digits, "_", "." and "-"',
    )
  }
  const value = (): string => {
    const found = take(VALUE)
    if (!found)
      throw new Unreadable(at, 'a value is expected; put it in double quotes if it is unusual')
    return unquote(found[0], at - found[0].length)
  }
  const list = (): string[] => {
    skipSpace()
    if (!take(/\(/y)) throw new Unreadable(at, '"(" is expected: in (a, b)')
    const values: string[] = []
    do {
      skipSpace()
      values.push(value())
      skipSpace()
    } while (take(/,/y))
    if (!take(/\)/y)) throw new Unreadable(at, '"," or ")" is expected')
    return values
  }
  const requirement = (): Requirement => {
    if (take(/!\s*/y)) return { kind: 'absent', key: key() }
    const name = key()
    const operator = take(OPERATOR)?.[1]
    if (operator === undefined) return { kind: 'exists', key: name }
    if (operator === 'in' || operator === 'notin')
      return { kind: operator, key: name, values: list() }
    skipSpace()
    return { kind: operator === '!=' ? 'notin' : 'in', key: name, values: [value()] }
  }

  const selector: Requirement[] = []
  skipSpace()
  while (at < text.length) {
    selector.push(requirement())
    skipSpace()
    if (at === text.length) break
    if (!take(/,/y)) throw new Unreadable(at, '"," or the end is expected')
    skipSpace()
    if (at === text.length) throw new Unreadable(at, 'a requirement is expected after ","')
  }
  return selector
}

function unquote(text: string, offset: number): string {
  if (!text.startsWith('"')) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreadable(offset, 'the text in double quotes is no JSON string')
  }
}

export function matches(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  return selector.every((requirement) => {
    const { key } = requirement
    return holds(requirement, Object.hasOwn(labels, key) ? labels[key] : undefined)
  })
}

/** Whatever `inner` matches, `outer` matches: said by the texts alone, whatever nodes there are. */
export const isInside = (inner: Selector, outer: Selector): boolean =>
  outer.every((wanted) => inner.some((given) => implies(given, wanted)))

function implies(given: Requirement, wanted: Requirement): boolean {
  if (given.key !== wanted.key) return false
  switch (wanted.kind) {
    case 'exists':
      return given.kind === 'exists' || given.kind === 'in'
    case 'absent':
      return given.kind === 'absent'
    case 'in':
      return given.kind === 'in' && given.values.every((value) => wanted.values.includes(value))
    case 'notin':
      if (given.kind === 'absent') return true
      if (given.kind === 'in') return given.values.every((one) => !wanted.values.includes(one))
      return given.kind === 'notin' && wanted.values.every((one) => given.values.includes(one))
  }
}

function holds(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.kind) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'in':
      return value !== undefined && requirement.values.includes(value)
    case 'notin':
      return value === undefined || !requirement.values.includes(value)
  }
}

/** The one spelling of a selector; parses to the same. */
export function formatSelector(selector: Selector): string {
  return selector.map(formatRequirement).join(',')
}

function formatRequirement(requirement: Requirement): string {
  const { key } = requirement
  switch (requirement.kind) {
    case 'exists':
      return key
    case 'absent':
      return `!${key}`
    case 'in':
    case 'notin': {
      const values = requirement.values.map(formatValue)
      if (values.length === 1) return `${key}${requirement.kind === 'in' ? '=' : '!='}${values[0]}`
      return `${key} ${requirement.kind} (${values.join(', ')})`
    }
  }
}

const formatValue = (value: string) =>
  /^[A-Za-z0-9_.:/@+-]+$/.test(value) ? value : JSON.stringify(value)
