// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { defineCursor, InvalidCursor } from '../../src/api-shapes/cursor.ts'

const names = defineCursor('names', 'text')
const times = defineCursor('times', 'integer', 'text')
const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64url')

test('a page ends with a cursor when there is more, and the cursor leads behind its last row', () => {
  const { rows, nextCursor } = names.page(['a', 'b', 'c'], 2, (name) => [name])
  expect(rows).toEqual(['a', 'b'])
  expect(nextCursor).toMatch(/^[A-Za-z0-9_-]+$/)
  expect(names.read(nextCursor ?? '')).toEqual(['b'])
  expect(names.page(['a', 'b'], 2, (name) => [name]).nextCursor).toBeNull()
  expect(names.page([], 2, (name: string) => [name])).toEqual({ rows: [], nextCursor: null })
})

test('a key may have several parts, and any text', () => {
  const key: [number, string] = [1_790_000_000_000, 'Grüße "\u0000']
  const { nextCursor } = times.page([key, key], 1, (row) => row)
  expect(times.read(nextCursor ?? '')).toEqual(key)
  expect(times.read(undefined)).toBeUndefined()
})

test.each([
  ['not base64', '%%%'],
  ['not JSON', encode('names')],
  ['no list', encode('{"names":"a"}')],
  ['nothing', ''],
  ['of another list', encode('["times","a"]')],
  ['too short', encode('["names"]')],
  ['too long', encode('["names","a","b"]')],
  ['of another type', encode('["names",1]')],
  ['an object for a text', encode('["names",{"a":1}]')],
])('a cursor that is %s is refused', (_what, cursor) => {
  expect(() => names.read(cursor)).toThrow(InvalidCursor)
})

test('an integer must be one', () => {
  for (const number of ['1.5', '"1"', '9007199254740993', 'null']) {
    expect(() => times.read(encode(`["times",${number},"a"]`))).toThrow(InvalidCursor)
  }
})
