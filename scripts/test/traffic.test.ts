// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseNumber } from '../traffic/options.mjs'
import { makeVisitor, type Visit } from '../traffic/visitor.mjs'

const SAMPLE = 20_000
const catalogue = Array.from({ length: 100 }, (_, rank) => `/file-${rank}`)

function share(visits: Visit[], is: (visit: Visit) => boolean) {
  return visits.filter(is).length / visits.length
}

describe('makeVisitor', () => {
  const visitor = makeVisitor(catalogue)
  for (const path of catalogue) visitor.remember('http://node', path, '"tag"')
  const visits = Array.from({ length: SAMPLE }, () => visitor.next('http://node'))

  it('asks for few files often and for many rarely', () => {
    const first = share(visits, ({ path }) => path === '/file-0')
    const last = share(visits, ({ path }) => path === '/file-99')
    assert(first > 0.15 && last < 0.01, `first ${first}, last ${last}`)
  })

  it('mixes in revalidations, heads, ranges and misses', () => {
    const near = (value: number, wanted: number) => Math.abs(value - wanted) < wanted / 2
    assert(
      near(
        share(visits, ({ headers }) => 'if-none-match' in headers),
        0.15,
      ),
    )
    assert(
      near(
        share(visits, ({ method }) => method === 'HEAD'),
        0.02,
      ),
    )
    assert(
      near(
        share(visits, ({ headers }) => 'range' in headers),
        0.02,
      ),
    )
    assert(
      near(
        share(visits, ({ path }) => path.endsWith('-gone')),
        0.01,
      ),
    )
  })

  it('revalidates only what this node has given it', () => {
    const other = Array.from({ length: 1000 }, () => visitor.next('http://other'))
    assert.equal(
      share(other, ({ headers }) => 'if-none-match' in headers),
      0,
    )
  })
})

describe('parseNumber', () => {
  const range = { least: 1, most: 10 }
  it('takes what is in range', () => assert.equal(parseNumber('2.5', '--rate', range), 2.5))
  for (const text of ['', '0', '11', 'many']) {
    it(`refuses "${text}"`, () =>
      assert.throws(() => parseNumber(text, '--rate', range), /--rate must be/))
  }
})
