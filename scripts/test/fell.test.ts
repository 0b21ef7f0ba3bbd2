// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fellByAccident, whyFell } from '../testing/fell.mjs'

const vitest = (file: string) =>
  `⎯⎯ Failed Tests 1 ⎯⎯\n\n FAIL  ${file} > does it > well\nAssertionError: no\n`

const CASES = [
  ['vitest', vitest('test/features/a.test.ts'), ['test/features/a.test.ts']],
  ['vitest, of a component', vitest('src/a.test.tsx'), ['src/a.test.tsx']],
  [
    'vitest, two tests of one file',
    vitest('test/a.test.ts') + vitest('test/a.test.ts'),
    ['test/a.test.ts'],
  ],
  [
    'node:test',
    ' ✓ test/system/a.test.mjs (3 tests) 12ms\n ❯ test/system/b.test.mjs (3 tests) 12ms\n',
    ['test/system/b.test.mjs'],
  ],
  [
    'Playwright',
    '  1 failed\n    [specs] › as-admin/a.spec.ts:12:1 › does it ──────\n  7 passed (2.2m)\n',
    ['as-admin/a.spec.ts'],
  ],
  ['a check that names no file', 'error TS2322: no\n', []],
  ['four files', ['a', 'b', 'c', 'd'].map((name) => vitest(`test/${name}.test.ts`)).join(''), []],
  [
    'a race',
    'WARNING: ThreadSanitizer: data race (pid=1)\n ❯ test/system/b.test.mjs (3 tests) 12ms\n',
    [],
  ],
  [
    'undefined behaviour',
    'a.c:3:4: runtime error: shift exponent 64\n ❯ test/system/b.test.mjs (3 tests) 12ms\n',
    [],
  ],
] as const

for (const [what, output, files] of CASES) {
  test(`what is run again: ${what}`, () => {
    assert.deepEqual(fellByAccident(output), files)
  })
}

const REPORTS = [
  [
    'vitest',
    ` ❯ test/a.test.ts (2 tests)\n${vitest('test/b.test.ts')}${vitest('test/a.test.ts')}`,
    'test/a.test.ts',
    [' FAIL  test/a.test.ts > does it > well', 'AssertionError: no'],
  ],
  [
    'node:test',
    ' ❯ test/b.test.mjs (3 tests) 12ms\n✖ failing tests:\n\ntest at test/b.test.mjs:3:1\n✖ does it (2ms)\n  no\n',
    'test/b.test.mjs',
    ['test at test/b.test.mjs:3:1', '✖ does it (2ms)', '  no'],
  ],
  [
    'node:test, of a file that ended early',
    ' ✓ test/a.test.mjs (3 tests) 12ms\n ❯ test/b.test.mjs (3 tests) 12ms\nout of memory\n',
    'test/b.test.mjs',
    [' ❯ test/b.test.mjs (3 tests) 12ms', 'out of memory'],
  ],
  [
    'Playwright',
    '  ✘ 1 [specs] › specs/a.spec.ts:1:1 › does\n  1) [specs] › specs/a.spec.ts:1:1 › does ──\n\n    Error: no\n',
    'specs/a.spec.ts',
    ['  1) [specs] › specs/a.spec.ts:1:1 › does ──', '    Error: no'],
  ],
  ['nothing of it', 'no\n', 'test/a.test.ts', []],
] as const

for (const [what, output, file, lines] of REPORTS) {
  test(`why it fell, in a few lines: ${what}`, () => {
    assert.deepEqual(whyFell(output, file), lines)
  })
}

test('why it fell is told in eight lines at most', () => {
  const long = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n')
  assert.equal(whyFell(` FAIL  test/a.test.ts > does\n${long}`, 'test/a.test.ts').length, 8)
})
