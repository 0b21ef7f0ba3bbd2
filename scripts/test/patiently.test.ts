// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { patiently } from '../testing/patiently.mjs'

test('a patient command is nice, so is its session, and its end is told', () => {
  const said = (script: string) => {
    const [program = '', ...words] = patiently(['sh', '-c', script])
    return execFileSync(program, words, { encoding: 'utf8' }).trim()
  }
  assert.equal(said('nice'), '19')
  // Absent where the kernel has none, or where a container has a group of its own.
  assert.match(said('cat /proc/self/autogroup 2>/dev/null || echo none'), / nice 19$|^none$/)
  assert.throws(() => said('exit 7'), { status: 7 })
})
