// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../lib/api-types.ts'
import {
  errorsSentence,
  isBeyond,
  placeOf,
  ratioWords,
  sentence,
  verdictOf,
} from './compare-rules.ts'
import { parseCompareSearch } from './search.ts'

const sides = { a: 'Version 8', b: 'Version 7' }

describe('a ratio', () => {
  test.each([
    [
      'slower',
      { value: 1.8, low: 1.5, high: 2.1 },
      /1\.8 times that of Version 7.*so it is slower/,
    ],
    [
      'faster',
      { value: 0.5, low: 0.41, high: 0.62 },
      /between 0\.41 and 0\.62 times, so it is faster/,
    ],
    ['same', { value: 1.02, low: 0.9, high: 1.1 }, /^No difference in p99 was found/],
    ['same', { value: 1, low: 1, high: 1 }, /“the same” is among these/],
    ['unknown', null, /too little of one of them/],
  ] as const)('that is %s is said plainly', (verdict, ratio, words) => {
    expect(verdictOf(ratio)).toBe(verdict)
    expect(sentence(sides, 'p99', ratio)).toMatch(words)
  })

  test('has its interval beside it', () => {
    expect(ratioWords({ value: 1.834, low: 1.5, high: 212.3 })).toBe('1.83 × (1.5 to 212)')
    expect(ratioWords(null)).toBe('–')
  })

  test('is drawn where it is, as far as the line goes', () => {
    expect([0.25, 0.5, 1, 2, 4, 400].map(placeOf)).toEqual([0, 0.25, 0.5, 0.75, 1, 1])
    expect(isBeyond({ value: 2, low: 1, high: 4.1 })).toBe(true)
    expect(isBeyond({ value: 2, low: 1, high: 4 })).toBe(false)
  })
})

test.each([
  [{ value: 0.01, low: 0.005, high: 0.02 }, /The first has more, and not by chance/],
  [{ value: -0.01, low: -0.02, high: -0.005 }, /less, and not by chance/],
  [{ value: 0, low: -0.01, high: 0.01 }, /No difference was found/],
  [null, /too little to compare/],
])('errors with a difference of %j', (difference, words) => {
  const errors = { a: { requests: 200, errors: 4 }, b: { requests: 0, errors: 0 }, difference }
  const of = (title: string) => ({ title }) as Comparison['a']
  const text = errorsSentence({ a: of('A'), b: of('B'), errors } as Comparison)
  expect(text).toMatch(words)
  expect(text).toMatch(/^Answers with 5xx\. A: 2 % of 200 requests; B: – of 0 requests\./)
})

test('its address holds two sets and two times', () => {
  const search = { a: 'version:site/8', b: 'version:site/7', before: 'week', stage: 'read' }
  expect(parseCompareSearch({ ...search, range: '24h' })).toEqual({ ...search, range: '24h' })
  expect(parseCompareSearch({ a: 'farm;group:web', b: 7, before: 'year' })).toEqual({ a: 'farm' })
})
