// SPDX-License-Identifier: MIT
// How many tests passed and failed, read from what the runners print.

/** @typedef {{ passed: number, failed: number, unsteady?: string[] }} Count unsteady: files that fell, and passed alone */

/**
 * How each runner says at its end how many tests passed and failed. A check may run several; those
 * that appear in its output are added up.
 * @type {{ passed: RegExp, failed: RegExp }[]}
 */
const runners = [
  // node:test
  { passed: /^ℹ pass (\d+)$/gm, failed: /^ℹ fail (\d+)$/gm },
  // ctest: "97% tests passed, 1 tests failed out of 29" says passed only as what is left
  { passed: /^ *\d+\/\d+ Test .* (Passed) /gm, failed: /^ *\d+\/\d+ Test .*\*\*\*(\w+)/gm },
  // vitest
  { passed: /^ *Tests .*?(\d+) passed/gm, failed: /^ *Tests +(\d+) failed/gm },
  // Playwright
  { passed: /^ +(\d+) passed \(/gm, failed: /^ +(\d+) failed$/gm },
  // ours
  { passed: /^(\d+) passed, \d+ failed$/gm, failed: /^\d+ passed, (\d+) failed$/gm },
]

/** Sums what the pattern's group says; a word counts one. @param {string} output @param {RegExp} pattern */
const sum = (output, pattern) =>
  [...output.matchAll(pattern)].reduce(
    (total, [, said]) => total + (Number(said) || (said === '0' ? 0 : 1)),
    0,
  )

/**
 * @param {string} output
 * @param {boolean} ok
 * @returns {Count}
 */
export function countTests(output, ok) {
  const count = { passed: 0, failed: 0 }
  for (const { passed, failed } of runners) {
    count.passed += sum(output, passed)
    count.failed += sum(output, failed)
  }
  // A check that counts nothing is one. A runner that fails without a failed test (a crash, a file that
  // cannot be read) is a failure too.
  if (count.passed + count.failed === 0) return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 }
  return { ...count, failed: ok ? count.failed : Math.max(1, count.failed) }
}
