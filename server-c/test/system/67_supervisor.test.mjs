// SPDX-License-Identifier: MIT
// The parent of `run` and the process that serves: the node comes back with a config that is known to be good,
// and says what happened to the other.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  confirmedGeneration,
  control,
  crash,
  node,
  serving,
  untilTold,
} from '../support/supervised-node.mjs'

test('a confirmed config comes back by itself, crash after crash', async () => {
  await serving('v1')
  for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGKILL']) {
    await crash(signal)
    await node.untilVersion('v1')
  }
  await control.until('a line', () =>
    /killed by signal 9 \(Killed.*starting it again in 100 ms/.test(node.log),
  )
  await control.until('a line', () =>
    /killed by signal 11 \(Segmentation fault.*starting it again in 200 ms/.test(node.log),
  )
  await control.until('a line', () =>
    /killed by signal 6 \(Aborted.*starting it again in 400 ms/.test(node.log),
  )
  assert.equal(confirmedGeneration(), 1)
  await serving('v2')
})

test('a config that crashes twice before it is confirmed is taken back, and told how', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await crash()
  await node.untilVersion('v2')
  await control.until('a line', () =>
    /generation 2 ran when the serving process ended .*a second try/.test(node.log),
  )
  const hellos = control.of('hello').length
  await crash()
  await node.untilVersion('v1')
  const result = await untilTold(generation, hellos)
  assert.deepEqual(
    [result.outcome, result.reason, result.effective.generation],
    ['reverted', 'crash_loop', 1],
  )
  assert.match(result.message, /ended twice before it was confirmed: killed by signal 11 \(Segm/)
  assert.ok(result.evidence.some((line) => /warn agent: generation 2 ran when/.test(line)))
  await control.until('a tidy folder', () => !existsSync(join(node.state, 'crash.json')))
  // The next one is an apply like any other.
  control.confirming = 'yes'
  await serving('v3')
})

test('a config that crashes once gets its second try confirmed', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await crash('SIGKILL')
  control.confirming = 'yes'
  await node.untilVersion('v2')
  await node.untilConfirmed(generation)
  await crash()
  await crash()
  await node.untilVersion('v2')
})
