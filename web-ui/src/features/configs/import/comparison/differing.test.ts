// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { comparisonFile } from '../../../../test/comparison-sample.ts'
import { bodyVerdict, countsOf, headersSideBySide, requestsOf, requestsWith } from './differing.ts'
import type { Answered } from './report-file.ts'

const difference = (path: string, aspect: string, old = 'a', now = 'b') => ({
  ...{ path, aspect, old, new: now },
})

describe('requests that differ', () => {
  const requests = requestsOf({
    differences: [
      difference('/a', 'vary'),
      difference('/b', 'status', '200', '404'),
      difference('/a', 'etag', 'some', 'none'),
      difference('/a', 'body in gzip'),
      difference('constructor', 'constructor'),
    ],
  })

  test('are told by their paths, each once, with the kinds of what differs', () => {
    expect(requests.map(({ path, kinds }) => [path, kinds])).toEqual([
      ['/a', ['caching', 'bytes']],
      ['/b', ['status']],
      ['constructor', ['other']],
    ])
    expect([...countsOf(requests)]).toEqual([
      ...[
        ['status', 1],
        ['caching', 1],
      ],
      ...[
        ['bytes', 1],
        ['other', 1],
      ],
    ])
  })

  test.each([
    [undefined, '', ['/a', '/b', 'constructor']],
    ['caching', '', ['/a']],
    ['caching', '404', []],
    [undefined, 'STATUS 404', ['/b']],
    ['location', '', []],
  ] as const)('of kind %s with “%s”', (kind, words, paths) => {
    expect(requestsWith(requests, kind, words).map(({ path }) => path)).toEqual(paths)
  })
})

describe('two answers side by side', () => {
  const answer = (headers: [string, string][], change: Partial<Answered> = {}): Answered => ({
    ...{ status: 200, headers, bytes: 1, sha256: 'a', ...change },
  })
  const verdicts = (
    old: [string, string][],
    now: [string, string][],
    aspects: readonly string[] = [],
  ) => {
    const differences = aspects.map((aspect) => difference('/', aspect))
    const pair = { path: '/', gzip: false, old: answer(old), new: answer(now) }
    return headersSideBySide(pair, differences).map(({ name, verdict }) => [name, verdict])
  }

  test.each([
    ['cache-control', [['cache-control', 'no-cache']], [['cache-control', 'max-age=1']], 'differs'],
    ['x-frame-options', [['x-frame-options', 'DENY']], [], 'differs'],
    ['status', [['server', 'nginx']], [['server', 'farmstead']], 'own'],
    ['status', [['etag', '"1"']], [['etag', '"2"']], 'own'],
    ['etag', [['etag', '"1"']], [], 'differs'],
    ['status', [['location', 'http://old/x']], [['location', '/x']], 'own'],
    ['status', [['content-length', '1']], [['content-length', '2']], 'own'],
    ['vary', [['vary', 'accept']], [['vary', 'accept']], 'same'],
  ] as const)('where farmctl names %s, %j and %j are told as %s', (aspect, old, now, verdict) => {
    const [[name] = ['']] = old
    expect(
      verdicts(structuredClone(old) as never, structuredClone(now) as never, [aspect]),
    ).toEqual([[name, verdict]])
  })

  test('a length differs with the body, and a coding where it was asked for', () => {
    const sides = (gzip: boolean, aspect: string) => {
      const one = (value: string, sha256: string): Answered =>
        answer(
          [
            ['content-encoding', value],
            ['content-length', value],
          ],
          { sha256 },
        )
      const pair = { path: '/', gzip, old: one('gzip', 'a'), new: one('br', 'b') }
      return headersSideBySide(pair, [difference('/', aspect)]).map(({ verdict }) => verdict)
    }
    expect(sides(false, 'body')).toEqual(['differs', 'own'])
    expect(sides(true, 'coding, of who takes gzip')).toEqual(['differs', 'own'])
    expect(sides(true, 'body in gzip')).toEqual(['differs', 'own'])
  })

  test('several of a name stand below each other, and who did not answer has none', () => {
    const old = answer([
      ['set-cookie', 'a=…'],
      ['set-cookie', 'b=…'],
    ])
    const pair = { path: '/', gzip: false, old, new: { unanswered: 'none: reset' } }
    expect(headersSideBySide(pair, [difference('/', 'answer')])).toEqual([
      { name: 'set-cookie', old: 'a=…\nb=…', new: null, verdict: 'own' },
    ])
    expect(bodyVerdict(pair, [])).toBe('differs')
  })

  test('bodies are judged as farmctl does: compressors and pages of errors differ for nothing', () => {
    const pair = (gzip: boolean) => ({
      ...{ gzip, old: answer([], { sha256: 'a' }), new: answer([], { sha256: 'b' }) },
    })
    expect(bodyVerdict(pair(false), [difference('/', 'body')])).toBe('differs')
    expect(bodyVerdict(pair(false), [difference('/', 'status')])).toBe('own')
    expect(bodyVerdict(pair(true), [difference('/', 'body')])).toBe('own')
    expect(bodyVerdict(pair(true), [difference('/', 'body in gzip')])).toBe('differs')
    const [first] = comparisonFile().answers
    expect(first && bodyVerdict({ ...first, new: first.old }, [])).toBe('same')
  })
})
