// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { processorSeconds } from '../testing/processor-seconds.mjs'

test('what a shell started counts, not the shell, in minutes and seconds', () => {
  assert.equal(processorSeconds('0m9.0s 0m9.0s\n2m1.500000s 0m0.250000s\n'), 121.75)
  assert.equal(processorSeconds(''), 0)
})

test('the shell of this machine says it so', () => {
  const busy = 'const end = performance.now() + 300; while (performance.now() < end);'
  const said = execFileSync('sh', ['-c', '"$@"; times', 'sh', process.execPath, '-e', busy], {
    encoding: 'utf8',
  })
  // Others may have the core for the most of the time.
  assert.ok(processorSeconds(said) > 0.01, said)
})
