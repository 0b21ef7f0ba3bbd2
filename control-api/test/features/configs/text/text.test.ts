// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../../../src/features/configs/text/digest.ts'
import { MAX_DEPTH, parseConfigText } from '../../../../src/features/configs/text/text.ts'

function digest(text: string): string {
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  return digestOf(parsed.value)
}

describe('a config text', () => {
  it('has the same digest however it is written', () => {
    const plain = digest('{"a":[1,true,null],"b":{"x":"é"}}')
    expect(digest('// hello\n{ "b": { "x": "\\u00e9" }, /* why */ "a": [1, true, null] }\n')).toBe(
      plain,
    )
    expect(digest('{"a":[1,true],"b":{"x":"é"}}')).not.toBe(plain)
  })

  it('has the digest of its canonical form', () => {
    // printf '{}' | sha256sum
    expect(digest('{ }')).toBe(
      'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    )
  })

  it('may use any key, also one that means something to JavaScript', () => {
    expect(digest('{"__proto__":1}')).not.toBe(digest('{}'))
    expect(digest('{"__proto__":{"a":1}}')).not.toBe(digest('{"__proto__":{"a":2}}'))
  })

  it.each([
    ['a duplicate key', '{"a": 1,\n "a": 2}', 'duplicate_key', '/a', 2, 2],
    ['a duplicate key in disguise', '{"a": 1, "\\u0061": 2}', 'duplicate_key', '/a', 1, 10],
    ['a trailing comma', '{"a": 1,}', 'syntax', '', 1, 8],
    ['a trailing comma in a list', '[1,\n]', 'syntax', '', 1, 3],
    ['a NUL', '["\\u0000"]', 'syntax', '/0', 1, 2],
    ['a fraction', '{"a":\n  1.5}', 'not_integer', '/a', 2, 3],
    ['an exponent', '[1e3]', 'not_integer', '/0', 1, 2],
    ['a number too large to be exact', '[9007199254740993]', 'out_of_range', '/0', 1, 2],
    ['half a surrogate pair', '{"a": "\\ud800"}', 'syntax', '/a', 1, 7],
    ['no document', '  // nothing\n', 'syntax', '', 0, 0],
    ['two documents', '{} {}', 'syntax', '', 1, 4],
    ['single quotes', "{'a': 1}", 'syntax', '', 1, 2],
    ['an open comment', '{} /* ', 'syntax', '', 1, 4],
  ])('is refused with %s', (_, text, code, pointer, line, column) => {
    const parsed = parseConfigText(text)
    if (parsed.ok) throw new Error('was taken')
    expect(parsed.errors[0]).toMatchObject({ code, pointer })
    if (line > 0) expect(parsed.errors[0]).toMatchObject({ line, column })
    expect(parsed.errors[0]?.message).toMatch(/\w/)
  })

  it('counts columns in UTF-16 units, as editors do', () => {
    const parsed = parseConfigText('{"😀": 1.5}')
    expect(parsed.ok ? [] : parsed.errors).toMatchObject([
      { pointer: '/😀', column: 8, endColumn: 11 },
    ])
  })

  it('may be nested only so deep, and a hostile one is refused without running out of stack', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(parseConfigText(nested(MAX_DEPTH)).ok).toBe(true)
    expect(parseConfigText(nested(MAX_DEPTH + 1))).toMatchObject({
      errors: [{ code: 'too_large' }],
    })
    expect(parseConfigText('['.repeat(1_000_000))).toMatchObject({
      errors: [{ code: 'too_large' }],
    })
  })
})
