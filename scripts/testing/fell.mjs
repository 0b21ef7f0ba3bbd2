// SPDX-License-Identifier: MIT
// What is run once more, alone, when a part failed: docs/decisions/0147.

/** More than these that fall at once is no accident of a busy machine. */
const MOST_FILES = 3

/** What a sanitizer or a fuzzer found is found: that a second run did not meet it says nothing. */
const FOUND = /(?:Address|Thread|Leak|Memory|UndefinedBehavior)Sanitizer|\bruntime error:|libFuzzer/

/** How runners name the file of a test that failed. */
const files = [
  // vitest: " FAIL  test/a.test.ts > what it does", and with a project's name before the file
  /^ FAIL +(?:\|[^|]*\| +)?(\S+\.test\.tsx?)/gm,
  // node:test, by file-times-reporter.mjs: " ❯ test/system/a.test.mjs (3 tests) 12ms"
  /^ ❯ (\S+\.test\.(?:mjs|ts)) \(/gm,
  // Playwright's list at its end: "    [specs] › as-admin/a.spec.ts:12:1 › what it does ───"
  /^ {2,}(?:\[[^\]]*\] › )?(\S+\.spec\.ts):\d+:\d+ › /gm,
]

/**
 * The test files that failed, of which few did and none by what a sanitizer saw; else none.
 * @param {string} output what the part's runner printed
 * @returns {string[]}
 */
export function fellByAccident(output) {
  if (FOUND.test(output)) return []
  const fell = new Set(
    files.flatMap((pattern) => [...output.matchAll(pattern)].map(([, file = '']) => file)),
  )
  return fell.size <= MOST_FILES ? [...fell] : []
}

/** What begins the report of a failure: vitest's and Playwright's, then node:test's. */
const HEADS = [/^ FAIL |^ {2}\d+\) |^test at /, /^ ❯ /]
const SHOWN_LINES = 8

/**
 * How the first failure of a file is reported, in a few lines: the last ones of a run are all that many see of it.
 * @param {string} output what the part's runner printed
 * @param {string} file
 * @returns {string[]}
 */
export function whyFell(output, file) {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  for (const head of HEADS) {
    const at = lines.findIndex((line) => head.test(line) && line.includes(file))
    if (at !== -1) return lines.slice(at, at + SHOWN_LINES)
  }
  return []
}
