// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { Finding } from '../../../lib/api-types.ts'
import { countsOf, findingsOf, saidBefore, wordsOf } from './findings.ts'

const finding = (line: number, directive: string, ...said: string[]): Finding => ({
  ...{ file: '/etc/nginx/shop', line, column: 3, directive },
  verdict: said.length > 0 ? 'unsupported' : 'taken',
  notes: said.map((text) => ({ code: 'x', text })),
})
const root = finding(2, 'root /srv')
const lua = finding(3, 'lua_code off', 'Keep that host.')
const pass = finding(4, 'proxy_pass http://app', 'Keep that host.')
const perl = finding(5, 'perl x', 'Leave it out.')
const all = [root, lua, pass, perl]

test('each is counted in its list', () => {
  expect(countsOf(all)).toEqual({ unsupported: 3, different: 0, taken: 1 })
})

test.each([
  ['', [lua, pass, perl]],
  ['PROXY', [pass]],
  ['shop:5', [perl]],
  ['keep host', [lua, pass]],
  ['root', []],
])('of a list “%s” finds what has these words', (words, found) => {
  expect(findingsOf(all, 'unsupported', words)).toEqual(found)
})

test('what is said of many one after the other is said once', () => {
  expect([...saidBefore([lua, pass, perl, lua])]).toEqual([pass])
})

test('names of options are told from words', () => {
  expect(wordsOf('`symlinks` of a site')).toEqual([
    { text: '', isCode: false },
    { text: 'symlinks', isCode: true },
    { text: ' of a site', isCode: false },
  ])
})
