// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import {
  comparePaths,
  type Entry,
  faultOfOrder,
  faultOfPath,
  faultOfTarget,
  lineOf,
  readEntry,
} from '../../src/release-store/entries.ts'

const SHA = 'a'.repeat(64)
const file = (path: string): Entry => ({ path, type: 'file', mode: '644', size: 3, sha256: SHA })

describe('a line', () => {
  test.each<Entry>([
    file('index.html'),
    file('größe/日本 "x"\\\n.html'),
    { path: 'a/b', type: 'link', target: '../c' },
  ])('is read as it was written: %j', (entry) => {
    expect(readEntry(lineOf(entry))).toEqual({ ok: true, entry })
  })

  test.each([
    ['{', 'is no JSON'],
    ['[]', 'has no "path"'],
    ['null', 'is no JSON object'],
    ['{"path":1}', 'has no "path"'],
    ['{"path":"a","type":"folder"}', 'neither "file" nor "link"'],
    ['{"path":"a","type":"link"}', 'without a "target"'],
    [lineOf(file('a')).replace(SHA, SHA.toUpperCase()), '"sha256"'],
    [lineOf(file('a')).replace('"size":3', '"size":-1'), '"size"'],
    [lineOf(file('a')).replace('"size":3', '"size":1.5'), '"size"'],
    [lineOf(file('a')).replace('644', '4755'), '"mode"'],
    [lineOf(file('a')).replace('"size":3', '"size":3.0'), 'canonical'],
    [lineOf(file('a')).replace('{', '{ '), 'canonical'],
    [lineOf(file('a')).replace('"a"', '"\\u0061"'), 'canonical'],
    [lineOf(file('a')).replace('{', '{"extra":1,'), 'canonical'],
  ])('is refused: %s', (line, what) => {
    expect(readEntry(line)).toEqual(expect.objectContaining({ ok: false }))
    expect(JSON.stringify(readEntry(line))).toContain(JSON.stringify(what).slice(1, -1))
  })
})

describe('a path', () => {
  test.each(['a', 'a/b', '...', 'a..b', '-', ' ', 'a\nb', 'é'.repeat(127)])('may be %j', (path) => {
    expect(faultOfPath(path)).toBeNull()
  })

  test.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['a//b', 'empty part'],
    ['a/', 'empty part'],
    ['..', '".."'],
    ['a/../b', '".."'],
    ['./a', '"."'],
    ['a\0b', 'NUL'],
    ['a\ud800b', 'surrogate'],
    ['é'.repeat(128), 'more than 255 bytes'],
    [`${'a'.repeat(255)}/`.repeat(16), 'more than 4095 bytes'],
    [`${'a/'.repeat(100)}b`, '100 folders'],
  ])('may not be %j', (path, what) => {
    expect(faultOfPath(path)).toContain(what)
  })
})

describe('a link', () => {
  test.each([
    ['a', 'b'],
    ['a', 'b/c'],
    ['x/a', '../b'],
    ['x/y/a', '../..'],
  ])('%j may lead to %j', (path, target) => {
    expect(faultOfTarget(path, target)).toBeNull()
  })

  test.each([
    ['a', '/etc/passwd', 'absolute'],
    ['a', '..', 'out of the tree'],
    ['a', '../b', 'out of the tree'],
    ['x/a', '../../b', 'out of the tree'],
    // Where "b" is itself a link upward, what is above it is no longer the tree.
    ['x/y/a', 'b/..', 'in its middle'],
    ['a', 'b/', 'in its middle or at its end'],
    ['a', './b', 'in its middle'],
    ['a', '', 'to nothing'],
    ['a', 'b\0', 'NUL'],
  ])('%j may not lead to %j', (path, target, what) => {
    expect(faultOfTarget(path, target)).toContain(what)
  })
})

test('paths are in the order of a walk by bytes', () => {
  const inOrder = ['a', 'a/b', 'a/b/c', 'a!', 'a-b', 'aa', 'é', '\uffee', '😀']
  expect([...inOrder].reverse().sort(comparePaths)).toEqual(inOrder)
  const bytes = (path: string) => Buffer.from(path.replaceAll('/', '\0'))
  expect([...inOrder].sort((x, y) => Buffer.compare(bytes(x), bytes(y)))).toEqual(inOrder)
})

test.each([
  ['a', 'b', null],
  ['a', 'a', 'twice'],
  ['b', 'a', 'order of a walk'],
  ['a-b', 'a/b', 'order of a walk'],
  ['a', 'a/b', 'file or a link'],
  ['a', 'a-b', null],
])('after %j may come %j: %s', (before, path, what) => {
  const fault = faultOfOrder(before, path)
  if (what === null) expect(fault).toBeNull()
  else expect(fault).toContain(what)
})
