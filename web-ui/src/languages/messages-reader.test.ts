// SPDX-License-Identifier: MIT
// What is planted against the rules of messages is found and named (scripts/messages/).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { upToDate, whyNotFitting } from '../../scripts/messages/catalogs.ts'
import { readMessages } from '../../scripts/messages/read.ts'

let dir = ''
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function read(files: Record<string, string>) {
  dir = mkdtempSync(join(tmpdir(), 'farmstead-messages-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return readMessages(dir)
}

describe('a message', () => {
  it('is what t and T are given, wherever they stand', () => {
    const { messages, faults } = read({
      'a.tsx': "const A = t('One')\nconst b = () => <p title={t('Two')}><T text=\"Three\" /></p>",
      'b.ts': 't(`Four`, { n })',
      'b.test.ts': "t('Of a test')",
    })
    expect(faults).toEqual([])
    expect(Object.fromEntries(messages)).toEqual({
      One: 'a.tsx:1',
      Two: 'a.tsx:2',
      Three: 'a.tsx:2',
      Four: 'b.ts:1',
    })
  })

  it('is needed at the start when the first page imports it, and not when that is asked for later', () => {
    const { atStart } = read({
      'main.tsx': "import './app/a.ts'\nvoid import('./late.ts')",
      'app/a.ts': "export { b } from '../b.ts'\nt('A')",
      'b.ts': "export const b = t('B')",
      'late.ts': "t('Late')",
    })
    expect([...atStart].sort()).toEqual(['A', 'B'])
  })

  it.each([
    ['a variable', 't(words)', 'must be a literal'],
    ['a template', 't(`$' + '{a} of b`)', 'must be a literal'],
    ['T with a variable', 'const a = <T text={words} />', 'must be a literal'],
    ['words in an element', 'const a = <p>Read this</p>', '“Read this” is not translated'],
    ['words in a fragment', 'const a = <>Read this</>', '“Read this” is not translated'],
    ['a label', 'const a = <b aria-label="Read this" />', '“Read this” is not translated'],
    ['one of two labels', "const a = <b title={x ? t('A') : 'Bee'} />", '“Bee” is not translated'],
    [
      'a label of parts',
      'const a = <b title={`Read $' + '{this}`} />',
      '“Read …” is not translated',
    ],
  ])('is missed: %s', (_, code, fault) => {
    expect(read({ 'a.tsx': code }).faults).toEqual([expect.stringContaining(`a.tsx:1: `)])
    expect(read({ 'a.tsx': code }).faults[0]).toContain(fault)
  })

  it('is not made of code, names and signs', () => {
    const { faults } = read({ 'a.tsx': 'const a = <p>· <code>npm run it</code> Farmstead</p>' })
    expect(faults).toEqual([])
  })
})

describe('a translation', () => {
  it.each([
    ['{n} of {all}', '{all}, davon {n}', null],
    ['{n, plural, one {# node} other {# nodes}}', '{n, plural, other {# 个节点}}', null],
    ['Read <a>it</a>', '<a>Lies</a>', null],
    ['{n} of {all}', '{n}', 'lacks all'],
    ['{n}', '{n} von {all}', 'has all'],
    ['Read <a>it</a>', 'Lies', 'lacks a'],
    ['{n} nodes', '{n, plural, other {# Knoten}}', 'which may be no number'],
    ['{n}', '{n', 'is no ICU message'],
  ])('of “%s” as “%s”: %s', (message, translation, why) => {
    const said = whyNotFitting(message, translation)
    if (why === null) expect(said).toBeNull()
    else expect(said).toContain(why)
  })

  it('stays when its message moves, and goes with it', () => {
    const found = {
      messages: new Map([
        ['A', ''],
        ['B', ''],
      ]),
      atStart: new Set(['A']),
      faults: [],
    }
    expect(upToDate({ start: { C: 'c' }, rest: { A: 'a' } }, found)).toEqual({
      start: { A: 'a' },
      rest: { B: '' },
    })
  })
})
