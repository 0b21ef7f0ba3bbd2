// SPDX-License-Identifier: MIT
// Which test files took long. The limit is for a reader of the output: none fails for it.

const LONG_MS = 10_000

/** How vitest says it of each file, and so does file-times-reporter.mjs for node:test. */
const line = /^ \S (\S+) \(\d+ tests?\b[^)\n]*\) (\d+)ms\b/gm

/** Those that took longer than ten seconds, the longest first: `test/a.test.ts 12.3 s`. @param {string} output */
export const longFiles = (output) =>
  [...output.matchAll(line)]
    .map(([, file, ms]) => ({ file, ms: Number(ms) }))
    .filter(({ ms }) => ms > LONG_MS)
    .sort((one, other) => other.ms - one.ms)
    .map(({ file, ms }) => `${file} ${(ms / 1000).toFixed(1)} s`)
