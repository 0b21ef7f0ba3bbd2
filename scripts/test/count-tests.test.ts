// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countTests } from '../testing/count-tests.mjs'

type Row = [name: string, ok: boolean, output: string, passed: number, failed: number]

const rows: Row[] = [
  ['node:test', true, 'ℹ tests 44\nℹ pass 41\nℹ fail 0\nℹ skipped 3\n', 41, 0],
  ['vitest', true, ' Test Files  3 passed (3)\n      Tests  519 passed (519)\n', 519, 0],
  ['vitest with failures', false, '      Tests  2 failed | 10 passed | 1 skipped (13)\n', 10, 2],
  ['Playwright', false, '  1 failed\n    specs/a.spec.ts:3:1 › a ──\n  7 passed (2.2m)\n', 7, 1],
  ['ours', true, '344 passed, 0 failed\n', 344, 0],
  [
    'ctest and node:test together',
    false,
    ` 1/2 Test  #5: test_a ......   Passed    0.16 sec
 2/2 Test #23: test_b ......***Failed    0.21 sec
ℹ pass 12
ℹ fail 0
`,
    13,
    1,
  ],
  ['a check that counts nothing', true, 'Checked 38 files.\n', 1, 0],
  ['a check that fails and counts nothing', false, 'file.c:3: error\n', 0, 1],
  ['a runner that fails without a failed test', false, '      Tests  9 passed (9)\n', 9, 1],
]

describe('countTests', () => {
  for (const [name, ok, output, passed, failed] of rows) {
    it(name, () => assert.deepEqual(countTests(output, ok), { passed, failed }))
  }
})
