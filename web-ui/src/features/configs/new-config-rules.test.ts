// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { smallestConfig, whyNotCreate } from './new-config-rules.ts'

const given = { name: 'shop', start: 'smallest' as const, folder: '/srv/www', text: '' }

test('a folder keeps its quotes and backslashes', () => {
  const folder = '/srv/"a\\b"'
  expect(JSON.parse(smallestConfig(folder)).sites[0].root).toBe(folder)
})

test.each([
  [{}, null],
  [{ name: '' }, /name first/],
  [{ name: 'Shop' }, /small letters/],
  [{ name: '-shop' }, /begins and ends/],
  [{ folder: ' ' }, /which folder/],
  [{ folder: 'srv/www' }, /whole path/],
  [{ start: 'copy' as const }, /config to copy/],
  [{ start: 'text' as const }, /file/],
  [{ start: 'text' as const, text: '{}' }, null],
])('with %j one is told %s', (change, told) => {
  const why = whyNotCreate({ ...given, ...change })
  if (told === null) expect(why).toBeNull()
  else expect(why).toMatch(told)
})
