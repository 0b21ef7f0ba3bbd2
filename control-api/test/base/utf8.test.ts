// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { decodeUtf8, loneSurrogate } from '../../src/base/utf8.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))
const faultOf = (given: Buffer) => {
  const decoded = decodeUtf8(given)
  return decoded.ok ? null : [decoded.fault.line, decoded.fault.column]
}

describe('bytes', () => {
  test.each(['', 'plain', 'grüße 😀 \ufffd \ufeff', 'a\r\nb\rc\n', '\0'])(
    'that are UTF-8 are kept as they are: %j',
    (text) => {
      expect(decodeUtf8(Buffer.from(text))).toEqual({ ok: true, text })
    },
  )

  test.each<[string, Buffer, [number, number]]>([
    ['a letter of Latin-1', bytes('a\nb', [0xe4], 'c'), [2, 2]],
    ['after characters of two units', bytes('😀\r\nä😀', [0xff]), [2, 4]],
    ['cut off at the end', bytes('x', [0xe2, 0x82]), [1, 2]],
    ['that begins as U+FFFD does', bytes('x\ufffd', [0xef, 0xbf], 'A'), [1, 3]],
    ['overlong', bytes([0xc0, 0x80]), [1, 1]],
    ['a surrogate', bytes('\r', [0xed, 0xa0, 0x80]), [2, 1]],
    ['beyond the last character', bytes('ab', [0xf4, 0x90, 0x80, 0x80]), [1, 3]],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), [1, 1]],
  ])('that are not are found: %s', (_, given, at) => {
    expect(faultOf(given)).toEqual(at)
  })

  test('of any kind are text or have a fault, and what is before it is text', () => {
    const random = seededRandom(7)
    for (let i = 0; i < 2000; i++) {
      const given = Buffer.from(
        Array.from({ length: 12 }, () => {
          const roll = random()
          return roll < 0.5 ? 0x61 : Math.floor(random() * 256)
        }),
      )
      const decoded = decodeUtf8(given)
      if (decoded.ok) expect(Buffer.from(decoded.text)).toEqual(given)
      else expect(decoded.fault.column).toBeGreaterThan(0)
    }
  })
})

test('half of a surrogate pair is found in a text', () => {
  expect(loneSurrogate('😀 \ufffd')).toBeNull()
  expect(loneSurrogate('a\nb\ud800c')).toMatchObject({ line: 2, column: 2 })
  expect(loneSurrogate('\udc00')).toMatchObject({ line: 1, column: 1 })
})
