// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fellByAccident } from '../testing/fell.mjs'

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
