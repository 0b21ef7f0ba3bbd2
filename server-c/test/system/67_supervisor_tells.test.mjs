// SPDX-License-Identifier: MIT
// As 67_supervisor: configs that were never confirmed, what is told of them, and that their time runs on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { control, crash, node, serving, start, untilTold } from '../support/supervised-node.mjs'

test('the time to be confirmed runs on over a crash', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'), { confirmWithinMs: 1500 })
  await node.untilVersion('v2')
  await crash()
  await control.until('a revert', () =>
    control.of('result', generation).some(({ body }) => body.reason === 'unconfirmed'),
  )
  await node.untilVersion('v1')
})

test('a first config that crashes twice leaves nothing served', async () => {
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v1'))
  start()
  await node.untilVersion('v1')
  await crash()
  await node.untilVersion('v1')
  const hellos = control.of('hello').length
  await crash()
  const result = await untilTold(generation, hellos)
  assert.deepEqual([result.reason, result.effective], ['crash_loop', null])
  assert.equal(await node.version(), 'ECONNREFUSED')
  control.confirming = 'yes'
  await serving('v2')
})

test('how a config crashed is told after both processes were killed, too', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await control.stop()
  await crash()
  await node.untilVersion('v2')
  await crash()
  await node.untilVersion('v1')
  await node.stop('SIGKILL')
  const hellos = control.of('hello').length
  await control.start()
  start()
  const result = await untilTold(generation, hellos)
  assert.deepEqual([result.outcome, result.reason], ['reverted', 'crash_loop'])
  await node.untilVersion('v1')
})
