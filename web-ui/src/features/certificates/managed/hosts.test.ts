// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { hostsTrouble, parseHosts } from './hosts.ts'

test('hosts are read however they were pasted', () => {
  const text =
    'Shop.example, www.shop.example;\n\n https://api.shop.example:8443/v1?x=1\tshop.example.\n*.Shop.example bücher.example DNS:mail.shop.example'
  expect(parseHosts(text)).toEqual({
    hosts: [
      'shop.example',
      'www.shop.example',
      'api.shop.example',
      '*.shop.example',
      'xn--bcher-kva.example',
      'mail.shop.example',
    ],
    wrong: [],
    repeated: 1,
  })
})

test.each([
  ['192.0.2.7', /address/],
  ['[2001:db8::1]', /address/],
  ['shop.*.example', /star/],
  ['a_b.example', /not a host/],
  ['-shop.example', /not a host/],
  ['a..example', /not a host/],
  [`${'a'.repeat(64)}.example`, /not a host/],
  [`${'abcdefg.'.repeat(32)}example`, /not a host/],
])('what is no host says why: %s', (typed, why) => {
  expect(parseHosts(typed)).toMatchObject({
    hosts: [],
    wrong: [{ typed, why: expect.stringMatching(why) }],
  })
})

test('what keeps a list from being ordered is said, the first thing first', () => {
  const many = Array.from({ length: 101 }, (_, at) => `h${at}.example`).join('\n')
  expect(hostsTrouble(parseHosts(' '), true)).toMatch(/at least one/)
  expect(hostsTrouble(parseHosts('ok.example a_b'), true)).toBe('a_b: not a host name.')
  expect(hostsTrouble(parseHosts(many), true)).toMatch(/101 hosts are too many/)
  expect(hostsTrouble(parseHosts('*.shop.example'), true)).toMatch(/needs DNS-01/)
  expect(hostsTrouble(parseHosts('*.shop.example'), false)).toBeNull()
  expect(hostsTrouble(parseHosts('shop.example'), true)).toBeNull()
})
