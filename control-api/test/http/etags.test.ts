// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import {
  InvalidRequest,
  PreconditionFailed,
  PreconditionRequired,
} from '../../src/api-shapes/errors.ts'
import { namedBy } from '../../src/http/etags.ts'
import { etagOf, requireIfMatch } from '../../src/http/preconditions.ts'

describe('a list of entity tags', () => {
  test.each<[string, ReturnType<typeof namedBy>]>([
    ['"3"', ['3']],
    ['W/"3"', ['3']],
    ['"3-gzip"', ['3']],
    ['W/"0.4-br"', ['0.4']],
    ['"3;gzip"', ['3']],
    ['"sha256:ab"', ['sha256:ab']],
    [' "1" , W/"2",, "3"\t', ['1', '2', '3']],
    ['"a,b", "c"', ['a,b', 'c']],
    ['""', ['']],
    ['*', 'any'],
    [' * ', 'any'],
  ])('is read: %s', (header, expected) => {
    expect(namedBy(header)).toEqual(expected)
  })

  test.each(['3', '"3', '3"', "'3'", 'w/"3"', 'W"3"', '"3" "4"', '*, "3"', '"a b"', '', ' ', ','])(
    'is none: %s',
    (header) => {
      expect(namedBy(header)).toBeNull()
    },
  )
})

describe('If-Match', () => {
  const ask = (header: string | undefined) => () => requireIfMatch(header, etagOf(3))

  test.each(['"3"', 'W/"3"', '"3-gzip"', 'W/"3-zstd"', '"2", W/"3"', '*'])(
    'of the current state, as proxies send it back, is met: %s',
    (header) => {
      expect(ask(header)).not.toThrow()
    },
  )

  test('of another state is not met, missing is required, malformed is refused', () => {
    expect(ask('"2", W/"30"')).toThrow(PreconditionFailed)
    expect(ask(undefined)).toThrow(PreconditionRequired)
    expect(ask('3')).toThrow(InvalidRequest)
    expect(ask('')).toThrow(InvalidRequest)
  })
})
