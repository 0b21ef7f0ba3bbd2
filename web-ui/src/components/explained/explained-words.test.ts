// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { Explained } from '../../lib/api-types.ts'
import { answerWords, differences, placeWords, ruleWords, sinceWords } from './explained-words.ts'

const answer = (change: Partial<Explained> = {}): Explained => ({
  ...{ status: 200, location: '', path: '/a.html', files: ['/srv/a.html'] },
  ...{ rules: [], unread: [], headers: [] },
  ...change,
})
const header = (name: string, value: string | null) => ({ name, value, from: null })
const place = { pointer: '/sites/0/redirects/2', line: 12, column: 5, from: null, since: null }

test('an answer is its status, and where it leads', () => {
  expect(answerWords(answer())).toBe('200 from /srv/a.html')
  expect(answerWords(answer({ status: 308, location: '/b', files: [] }))).toBe('308 to /b')
  expect(answerWords(answer({ status: 404, files: [] }))).toBe('404')
})

test('two answers differ in status, address, file and headers, and in nothing else', () => {
  const before = answer({ headers: [header('ETag', null), header('Cache-Control', 'max-age=60')] })
  expect(differences(before, before)).toEqual([])
  const headers = [header('ETag', null), header('X-A', '1'), header('X-A', '2')]
  expect(differences(before, answer({ headers, files: ['/srv/b.html'] }))).toEqual([
    { what: 'File', before: '/srv/a.html', after: '/srv/b.html' },
    { what: 'Cache-Control', before: 'max-age=60', after: '' },
    { what: 'X-A', before: '', after: '1, 2' },
  ])
  const moved = answer({ status: 301, location: '/b', headers: [header('Location', '/b')] })
  expect(differences(answer(), moved).map(({ what }) => what)).toEqual(['Status', 'Address'])
})

test('a rule is named as people count, with its place and who wrote it', () => {
  expect(ruleWords('/sites/0/redirects/2')).toBe('Redirect 3')
  expect(ruleWords('/sites/1/hsts')).toBe('HSTS')
  expect(ruleWords('/sites/1/newOption/0')).toBe('newOption 1')
  expect(placeWords(place)).toBe('line 12')
  expect(placeWords({ ...place, line: 0, from: 'the override of the group eu' })).toBe(
    'the override of the group eu',
  )
  expect(placeWords({ ...place, line: 0 })).toBe('not in the text')
  const since = { number: 3, author: 'ana', at: '2026-11-21T09:00:00.000Z', isOlder: false }
  expect(sinceWords({ ...place, since })).toMatch(/^v3, ana, /)
  expect(sinceWords({ ...place, since: { ...since, isOlder: true } })).toBe('before v3')
  expect(sinceWords(place)).toBe('')
})
