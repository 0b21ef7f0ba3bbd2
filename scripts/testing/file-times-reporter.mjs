// SPDX-License-Identifier: MIT
// For node:test, beside its own reporter, which tells no file's time: a line for each file in vitest's form.
import { relative } from 'node:path'

/** @param {AsyncIterable<import('node:test/reporters').TestEvent>} events */
export default async function* fileTimes(events) {
  for await (const { type, data } of events) {
    // The summary of the whole names no file.
    if (type !== 'test:summary' || !data.file) continue
    const file = relative(process.cwd(), data.file)
    const mark = data.success ? '✓' : '❯'
    yield ` ${mark} ${file} (${data.counts.tests} tests) ${Math.round(data.duration_ms)}ms\n`
  }
}
