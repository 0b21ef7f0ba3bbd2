// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getNodeValue, type ParseError, parse, parseTree, visit } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { appendItem, moveItem, removeValue, renameKey, setItems, setValue } from './form-edits.ts'

const strict = { allowTrailingComma: false, disallowComments: false }
function read(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, strict)
  expect(errors, text).toEqual([])
  return value
}

describe('a value', () => {
  const rows: [string, string, (string | number)[], unknown, string][] = [
    [
      'is replaced where it stands',
      '{ "a": 1, // one\n "b": 2 }',
      ['a'],
      3,
      '{ "a": 3, // one\n "b": 2 }',
    ],
    [
      'comes last on its own line',
      '{\n  "a": 1 // one\n}',
      ['b'],
      2,
      '{\n  "a": 1, // one\n  "b": 2\n}',
    ],
    [
      'comes last on the one line',
      '{ "x": { "a": 1 } }',
      ['x', 'b'],
      2,
      '{ "x": { "a": 1, "b": 2 } }',
    ],
    [
      'goes behind a comment inside',
      '{ "a": 1 // one\n}',
      ['b'],
      2,
      '{ "a": 1, // one\n  "b": 2\n}',
    ],
    ['opens an empty document', '{}\n', ['a'], 1, '{\n  "a": 1\n}\n'],
    [
      'keeps what an empty object says',
      '{\n  // none yet\n}',
      ['a'],
      1,
      '{\n  // none yet\n  "a": 1\n}',
    ],
    [
      'makes the objects above it',
      '{\n  "a": 1\n}',
      ['x', 'y'],
      2,
      '{\n  "a": 1,\n  "x": { "y": 2 }\n}',
    ],
    ['keeps CR LF', '{\r\n\t"a": 1\r\n}', ['b'], [1], '{\r\n\t"a": 1,\r\n\t"b": [1]\r\n}'],
  ]
  test.each(rows)('%s', (_, text, path, value, expected) => {
    expect(setValue(text, path, value)).toBe(expected)
  })
})

describe('what is removed', () => {
  const rows: [string, string, (string | number)[], string][] = [
    [
      'takes its comments along',
      '[\n  // first\n  1, // one\n  // second\n  2\n]',
      [0],
      '[\n  // second\n  2\n]',
    ],
    ['and not the next one’s on its line', '[1, /* two */ 2]', [0], '[/* two */ 2]'],
    ['takes the comma before it', '[\n  1, // one\n  2 // two\n]', [1], '[\n  1 // one\n]'],
    ['from the middle of a line', '[1, 2, 3]', [1], '[1, 3]'],
    [
      'as the only one leaves it empty',
      '{\n  "a": [\n    1 // one\n  ]\n}',
      ['a', 0],
      '{\n  "a": []\n}',
    ],
    ['leaves what the list says of itself', '[ // all\n  1\n]', [0], '[ // all\n  \n]'],
    ['may be an option', '{ "a": 1, "b": 2 }', ['b'], '{ "a": 1 }'],
  ]
  test.each(rows)('%s', (_, text, path, expected) => {
    expect(removeValue(text, path)).toBe(expected)
  })
})

describe('items that change places', () => {
  const rows: [string, string, string][] = [
    ['on one line', '[1, 2]', '[2, 1]'],
    [
      'with their comments',
      '[\n  // first\n  1, // one\n  /* second */ 2 // two\n]',
      '[\n  /* second */ 2, // two\n  // first\n  1 // one\n]',
    ],
    ['past a line comment that must stay last on its line', '[1, 2 // two\n]', '[2, // two\n1\n]'],
    ['with a comment before the comma', '[\n 1 // one\n , 2\n]', '[\n 2, 1 // one\n \n]'],
  ]
  test.each(rows)('%s', (_, text, expected) => {
    const swapped = moveItem(text, [], 0, 1)
    expect(swapped).toBe(expected)
    expect(read(swapped)).toEqual([2, 1])
    expect(read(moveItem(text, [], 1, 0))).toEqual([2, 1])
  })
})

test('an item is added to a list that is not there yet', () => {
  const added = appendItem('{\n  "sites": [{ "root": "/" }]\n}', ['sites', 0, 'redirects'], {
    match: '^/a',
    to: '/b',
  })
  expect(added).toBe(
    '{\n  "sites": [{ "root": "/", "redirects": [{ "match": "^/a", "to": "/b" }] }]\n}',
  )
})

test('a key is renamed where it stands', () => {
  expect(renameKey('{ "404": "/a" /* why */ }', ['404'], '4xx')).toBe('{ "4xx": "/a" /* why */ }')
})

test.each([
  ['an item changes', '["a", /* b */ "b"]', ['a', 'c'], '["a", /* b */ "c"]'],
  ['an item goes', '["a", "b", "c"]', ['a', 'c'], '["a", "c"]'],
  ['all go', '["a", "b"]', [], '[]'],
  ['an item comes last', '["a"]', ['a', 'b'], '["a", "b"]'],
  ['an item comes first', '["b"]', ['a', 'b'], '["a", "b"]'],
  ['an item comes between', '["a", /* c */ "c"]', ['a', 'b', 'c'], '["a", "b", /* c */ "c"]'],
  [
    'an item comes between lines',
    '[\n  "a", // one\n  // three\n  "c" // end\n]',
    ['a', 'b', 'c'],
    '[\n  "a", // one\n  "b",\n  // three\n  "c" // end\n]',
  ],
  [
    'one comes before the first line',
    '[ // all\r\n\t"b"\r\n]',
    ['a', 'b'],
    '[ // all\r\n\t"a",\r\n\t"b"\r\n]',
  ],
  [
    'one changes and two come',
    '["a", "b", /* e */ "e"]',
    ['a', 'B', 'c', 'd', 'e'],
    '["a", "B", "c", "d", /* e */ "e"]',
  ],
  ['one changes and one goes', '["a", "b", /* c */ "c", "d"]', ['a', 'x', 'd'], '["a", "x", "d"]'],
])('of a list of words %s', (_, text, items, expected) => {
  expect(setItems(text, [], items)).toBe(expected)
})

// Every edit at every place of every good config of the node's corpus means what it says.
const CORPUS_WITHIN_MS = 30_000
const corpus = join(import.meta.dirname, '../../../../../server-c/config-corpus/good')
test.each(readdirSync(corpus).filter((name) => name.endsWith('.jsonc')))(
  '%s: each edit changes its place only',
  (name) => {
    const text = readFileSync(join(corpus, name), 'utf8')
    const root = parseTree(text)
    if (root === undefined) throw new Error('not JSON')
    const value = () => getNodeValue(root) as Json
    for (const path of pathsOf(value())) {
      expect(read(setValue(text, path, 'x')), path.join('/')).toEqual(changed(value(), path, 'x'))
      const parent = at(value(), path.slice(0, -1))
      expect(read(removeValue(text, path)), path.join('/')).toEqual(without(value(), path))
      if (!Array.isArray(parent)) continue
      const index = Number(path.at(-1))
      if (parent.every((one) => typeof one === 'string')) {
        const items = parent.toSpliced(index, 0, 'new')
        const inserted = setItems(text, path.slice(0, -1), items)
        expect(read(inserted), path.join('/')).toEqual(changed(value(), path.slice(0, -1), items))
        expect(commentsIn(inserted), path.join('/')).toEqual(commentsIn(text))
      }
      if (index === 0) continue
      const swapped = value()
      const list = at(swapped, path.slice(0, -1)) as Json[]
      const [a, b] = [list[index - 1] as Json, list[index] as Json]
      list[index - 1] = b
      list[index] = a
      expect(read(moveItem(text, path.slice(0, -1), index, index - 1))).toEqual(swapped)
    }
  },
  CORPUS_WITHIN_MS,
)

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null
type Holder = Record<string | number, Json>

function pathsOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const below = keys.flatMap((key) => pathsOf((value as Holder)[key] as Json, [...path, key]))
  return path.length === 0 ? below : [path, ...below]
}
function commentsIn(text: string): string[] {
  const found: string[] = []
  visit(text, { onComment: (from, length) => found.push(text.slice(from, from + length)) })
  return found
}
const at = (value: Json, path: (string | number)[]) =>
  path.reduce<Json>((here, key) => (here as Holder)[key] as Json, value)
function changed(value: Json, path: (string | number)[], next: Json): Json {
  const holder = at(value, path.slice(0, -1)) as Holder
  holder[path.at(-1) ?? ''] = next
  return value
}
function without(value: Json, path: (string | number)[]): Json {
  const holder = at(value, path.slice(0, -1))
  const key = path.at(-1) ?? ''
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete (holder as Holder)[key]
  return value
}
