// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { formatSelector, matches, parseSelector, type Selector } from '../../src/labels/selector.ts'

function read(text: string): Selector {
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`)
  return parsed.selector
}

describe('a selector', () => {
  const eu = { zone: 'eu', tier: 'edge' }
  test.each([
    ['', eu, true],
    ['  ', {}, true],
    ['zone=eu', eu, true],
    ['zone == eu', eu, true],
    ['zone=us', eu, false],
    ['zone!=us', eu, true],
    ['zone!=us', {}, true],
    ['zone=eu', {}, false],
    ['zone in (us, eu)', eu, true],
    ['zone in(us,eu), tier=edge', eu, true],
    ['zone in (us, eu),tier=core', eu, false],
    ['zone notin (us)', eu, true],
    ['zone notin (us)', {}, true],
    ['zone notin (us,eu)', eu, false],
    ['zone', eu, true],
    ['!zone', eu, false],
    ['! canary', eu, true],
    ['name="two words, \\"quoted\\""', { name: 'two words, "quoted"' }, true],
    ['index=1', { index: '1' }, true],
    ['in in (in)', { in: 'in' }, true],
    ['constructor', {}, false],
  ])('%j for %j: %s', (text, labels, expected) => {
    const selector = read(text)
    expect(matches(selector, labels)).toBe(expected)
    expect(read(formatSelector(selector))).toEqual(selector)
  })

  test.each([
    ['zone=', 6, /value is expected/],
    ['zone=eu,', 9, /after ","/],
    [',zone', 1, /name is expected/],
    ['Zone=eu', 1, /name is expected/],
    ['zone=eu tier=edge', 9, /"," or the end/],
    ['zone in eu', 9, /"\(" is expected/],
    ['zone in (eu', 12, /"," or "\)"/],
    ['zone in ()', 10, /value is expected/],
    ['zone="\\x"', 6, /no JSON string/],
    ['!', 2, /name is expected/],
    [`a=${'b'.repeat(1100)}`, 1025, /at most 1024/],
  ])('%j is refused at column %i', (text, column, message) => {
    expect(parseSelector(text)).toEqual({
      ok: false,
      column,
      message: expect.stringMatching(message),
    })
  })
})
