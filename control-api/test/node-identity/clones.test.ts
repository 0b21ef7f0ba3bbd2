// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { admit, type Clone, judgeHello, type Standing } from '../../src/node-identity/clones.ts'

const start = (incarnation: string, atMs = 0) => ({
  incarnation,
  hostname: `host-${incarnation}`,
  address: null,
  atMs,
})
const standing = (changes: Partial<Standing> = {}): Standing => ({
  current: null,
  past: [],
  clone: null,
  ...changes,
})
const clone = (keep: string | null, ...incarnations: string[]): Clone => ({
  detectedAtMs: 0,
  keep,
  incarnations: incarnations.map((one) => start(one)),
})

/** The hellos of `starts`, one after the other, from one point on. */
function hellos(starts: readonly string[], from = standing(), isKeyed = true) {
  let now = from
  const kinds = starts.map((incarnation, atMs) => {
    const before = now.current === null ? null : start(now.current)
    const verdict = judgeHello(now, start(incarnation, atMs), { before, isKeyed })
    now = verdict.standing
    return verdict.kind
  })
  return { kinds, after: now }
}
const idsOf = ({ clone: found }: Standing) => found?.incarnations.map((one) => one.incarnation)

describe('hello', () => {
  test.each([
    ['the first', ['a'], ['new']],
    ['again', ['a', 'a', 'a'], ['new', 'same', 'same']],
    ['after restarts', ['a', 'b', 'c', 'c'], ['new', 'new', 'new', 'same']],
    ['one that was followed, once', ['a', 'b', 'a', 'b'], ['new', 'new', 'say-again', 'same']],
    [
      'one that was followed, twice',
      ['a', 'b', 'a', 'b', 'a'],
      ['new', 'new', 'say-again', 'same', 'detected'],
    ],
    [
      'one that was followed long ago',
      ['a', 'b', 'c', 'd', 'a', 'a'],
      ['new', 'new', 'new', 'new', 'say-again', 'detected'],
    ],
    [
      'anybody after that',
      ['a', 'b', 'a', 'a', 'a', 'b', 'c'],
      ['new', 'new', 'say-again', 'detected', 'refused', 'refused', 'refused'],
    ],
  ])('of %s', (_, starts, kinds) => {
    expect(hellos(starts).kinds).toEqual(kinds)
  })

  test('names who was there, the newest first, and not without end', () => {
    expect(idsOf(hellos(['a', 'b', 'a', 'a']).after)).toEqual(['a', 'b'])
    const many = Array.from({ length: 20 }, (_, i) => `x${i}`)
    const { after } = hellos(['a', 'b', 'a', 'a', ...many])
    expect(idsOf(after)).toHaveLength(8)
    expect(idsOf(after)?.[0]).toBe('x19')
    const restarts = Array.from({ length: 200 }, (_, i) => `r${i}`)
    expect(hellos(restarts).after.past).toHaveLength(64)
  })

  test('of the kept one is taken, of the others refused, until the kept one has a new key', () => {
    const decided = standing({ past: [start('a')], clone: clone('a', 'a', 'b') })
    const { kinds, after } = hellos(['b', 'a', 'b', 'z', 'a'], decided)
    expect(kinds).toEqual(['refused', 'new', 'refused', 'refused', 'same'])
    expect(idsOf(after)?.[0]).toBe('a')
  })

  test('of a stranger is taken where no key can be changed: it may be the kept one’s restart', () => {
    const decided = standing({ current: 'a', clone: clone('a', 'a', 'b') })
    const { kinds } = hellos(['z', 'b', 'a', 'z', 'z'], decided, false)
    expect(kinds).toEqual(['new', 'refused', 'new', 'say-again', 'detected'])
  })
})

describe('another message', () => {
  test.each([
    ['of the one that said hello', standing({ current: 'a' }), 'a', 'ok'],
    ['that does not say whose it is', standing({ current: 'a' }), null, 'ok'],
    ['of another start', standing({ current: 'a' }), 'b', 'say-hello'],
    ['before any hello', standing(), 'a', 'say-hello'],
    [
      'of anybody, undecided',
      standing({ current: 'a', clone: clone(null, 'a', 'b') }),
      'a',
      'refused',
    ],
    [
      'of nobody known, undecided',
      standing({ current: 'a', clone: clone(null, 'a', 'b') }),
      null,
      'refused',
    ],
    ['of the kept one', standing({ current: 'a', clone: clone('a', 'a', 'b') }), 'a', 'ok'],
    [
      'of the kept one, before its hello',
      standing({ clone: clone('a', 'a', 'b') }),
      'a',
      'say-hello',
    ],
    ['of the other', standing({ current: 'b', clone: clone('a', 'a', 'b') }), 'b', 'refused'],
  ])('%s', (_, at, incarnation, admission) => {
    expect(admit(at, incarnation)).toBe(admission)
  })
})
