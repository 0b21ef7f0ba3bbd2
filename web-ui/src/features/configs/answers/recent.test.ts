// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { wrongUrl } from '../../../lib/explain-query.ts'
import { chosen, MOST_PATHS, originsIn, urlOf } from './recent.ts'

test('the paths that came most often are put to the text, masked and cut ones are not', () => {
  const found = chosen(['/a', '/b', '/b', '/users/***/x', '', '/very-long…'])
  expect(found).toEqual({ paths: ['/b', '/a'], left: 0, masked: 2 })
  const many = Array.from({ length: MOST_PATHS + 3 }, (_, i) => `/${i}`)
  expect(chosen(many)).toMatchObject({ left: 3, masked: 0 })
})

test('a decoded path becomes a URL', () => {
  expect(urlOf('http://a.test', '/ä b/100%?.html')).toBe('http://a.test/%C3%A4%20b/100%25%3F.html')
})

test('sites are asked for at their hosts, by HTTPS where they have certificates', () => {
  const sites = [
    { hosts: ['www.example.org', '*.example.org'], certificates: [{ name: 'www' }] },
    { hosts: ['*'] },
    { hosts: 'none' },
    null,
  ]
  expect(originsIn({ sites })).toEqual([
    'https://www.example.org',
    'https://any.example.org',
    'http://any-host.example',
  ])
  expect(originsIn({ sites: 3 })).toEqual([])
})

test.each([
  ['', 'Give a URL first.'],
  ['www.example.org/', 'A URL begins with http:// or https://.'],
  ['https://www.example.org/ä', 'Spaces and letters beyond ASCII are percent-encoded in a URL.'],
  [`https://a/${'x'.repeat(2048)}`, 'A URL has at most 2048 characters.'],
  ['https://www.example.org/?q=1', null],
])('of "%s" is said what is wrong', (url, wrong) => {
  expect(wrongUrl(url)).toBe(wrong)
})
