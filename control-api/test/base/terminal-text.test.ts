// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { visible, visibleButFor, withoutSecrets } from '../../src/base/terminal-text.ts'

describe('others’ words', () => {
  test.each([
    ['a colour', '\u001b[31mred', '\\u001b[31mred'],
    ['a title', '\u001b]0;owned\u0007', '\\u001b]0;owned\\u0007'],
    ['the clipboard', '\u001b]52;c;cm0=\u0007', '\\u001b]52;c;cm0=\\u0007'],
    ['a line written over', 'all good\rBAD', 'all good\\u000dBAD'],
    ['C1', '\u009b2J', '\\u009b2J'],
    ['DEL and backspace', 'a\u007f\b', 'a\\u007f\\u0008'],
    ['the other direction', 'abc\u202egnp.exe', 'abc\\u202egnp.exe'],
    ['isolates and marks', '\u2066\u2069\u200f\u061c', '\\u2066\\u2069\\u200f\\u061c'],
    ['lines that are none', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['lines, tabs, umlauts and emoji', 'ä\n\t→ 🚜', 'ä\n\t→ 🚜'],
  ])('show what would steer a terminal: %s', (_name, text, expected) => {
    expect(visible(text)).toBe(expected)
  })

  test('say the same in JSON', () => {
    const value = { text: 'a\u009b\u007f\u202eb' }
    expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value)
  })

  test('leave colours that are ours, and no others', () => {
    const own = new Set(['\u001b[32m', '\u001b[39m'])
    const line = '\u001b[32m+ added\u001b[39m \u001b[8mhidden\u001b[2J'
    expect(visibleButFor(line, own)).toBe('\u001b[32m+ added\u001b[39m \\u001b[8mhidden\\u001b[2J')
  })
})

test('secrets are left out of messages that quote them', () => {
  const token = `fsa_01jd4q6v2m8w3x5y7z9abcdefg_${'x'.repeat(43)}`
  const said = withoutSecrets(
    `Headers.append: "Bearer ${token}\n" is an invalid header value (${token}, farmstead_session=abc.def; x)`,
  )
  expect(said).not.toContain('x'.repeat(43))
  expect(said).not.toContain('abc.def')
  expect(said).toContain('invalid header value')
})
