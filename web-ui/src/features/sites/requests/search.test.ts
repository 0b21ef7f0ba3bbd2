// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { askedBy, parseRequestsSearch, wrongIn } from './search.ts'

describe('the address', () => {
  test('keeps what was typed, also where it is all digits, and nothing else', () => {
    expect(
      parseRequestsSearch({ status: 404, path: '/a b', clients: true, seconds: 300, other: 'x' }),
    ).toEqual({ status: '404', path: '/a b', clients: true, seconds: 300 })
    expect(parseRequestsSearch({ path: '', clients: 'yes', seconds: 7 })).toEqual({})
    expect(parseRequestsSearch({ path: 'x'.repeat(5_000) }).path).toHaveLength(1_000)
  })
})

describe('a search', () => {
  test('says what each field says', () => {
    expect(
      askedBy({
        ...{ nodes: ' zone=eu ', config: 'web', site: 'shop.example', host: 'shop', method: 'get' },
        ...{ path: '/cart', status: '5xx', client: '192.0.2.0/24', slower: '200', bytes: '1' },
        ...{ clients: true, seconds: 300 },
      }),
    ).toEqual({
      ...{ of: 'nodes:zone=eu', config: 'web', site: 'shop.example', host: 'shop', method: 'GET' },
      ...{ pathPrefix: '/cart', statusFrom: 500, statusTo: 599, client: '192.0.2.0/24' },
      ...{ slowerThanMs: 200, bytesFrom: 1, tellsClients: true, seconds: 300 },
    })
    expect(askedBy({})).toEqual({ seconds: 60 })
    expect(askedBy({ path: 'cart', status: '400–403' })).toMatchObject({
      ...{ pathPart: 'cart', statusFrom: 400, statusTo: 403 },
    })
  })

  test.each([
    ['/cart?id=5', { pathPrefix: '/cart' }],
    ['/a%20b/%C3%A4', { pathPrefix: '/a b/ä' }],
    ['/100%', { pathPrefix: '/100%' }],
    ['a b', { pathPart: 'a b' }],
    ['?id=5', {}],
  ])('of the path %s, as it stands in an address bar, compares what nodes say', (path, asked) => {
    expect(askedBy({ path })).toEqual({ ...asked, seconds: 60 })
  })

  test('of one node is of no other, whatever the labels', () => {
    expect(askedBy({ node: 'node_1', nodes: 'zone=eu' })).toMatchObject({ of: 'node:node_1' })
  })

  test('in which something is wrong says what', () => {
    expect(wrongIn({ status: '4xx', method: 'purge', slower: '5', bytes: '0' })).toEqual({})
    expect(
      Object.keys(wrongIn({ status: 'ok', method: 'GE T', slower: '-1', bytes: '1.5' })),
    ).toEqual(['status', 'method', 'slower', 'bytes'])
  })
})
