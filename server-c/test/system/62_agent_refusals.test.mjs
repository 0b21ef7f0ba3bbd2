// SPDX-License-Identifier: MIT
// The control plane refuses, or talks nonsense: the node serves on, and asks no more often than it may.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { servingFarm } from '../support/serving-farm.mjs'

describe('a control plane that refuses or talks nonsense', { concurrency: 5 }, () => {
  test('a revoked identity changes nothing on the node', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.revokeAll()
    await control.until('401', () => control.said.some((one) => one.status === 401))
    const heard = control.said.length
    for (let i = 0; i < 10; i++) {
      assert.equal(await node.version(), 'v1')
      await sleep(100)
    }
    assert.ok(control.said.length - heard <= 4, `asked ${control.said.length - heard} times more`)
    await control.until('a line', () => /identity was revoked.*serving on.*--rejoin/.test(node.log))
    assert.equal(await node.stop(), 0)
  })

  test('a clone is told so once, serves on and takes back what is not confirmed', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.confirming = 'no'
    control.confirmWithinMs = 4000 // in which it has to be heard of
    const { generation } = control.assign(node.config('v2'))
    await node.untilVersion('v2')
    await control.until('confirm', () => control.of('confirm', generation).length > 0)
    const clone = () => ({ status: 409, code: 'clone_detected' })
    for (const message of ['hello', 'desired', 'confirm', 'report']) control.faults[message] = clone
    await control.until('409', () => control.said.some(({ status }) => status === 409))
    // Said is not heard: an assignment that overtakes it is one like any other.
    await control.until('heard', () => /with a copy of this node's state folder/.test(node.log))
    const next = control.assign(node.config('v3'))
    await node.untilVersion('v1')
    const heard = control.of('hello').length
    await sleep(1000)
    assert.ok(control.of('hello').length - heard <= 1, 'asks every 30 s')
    assert.equal(await node.version(), 'v1')
    assert.deepEqual(control.of('ack', next.generation), [])
    assert.equal(node.log.match(/with a copy of this node's state folder/g).length, 1)
  })

  test('an assignment that overtakes the answer to confirm waits for it', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    // Confirmed at the control plane, then the next one is given, then the node hears of both.
    let confirms = 0
    control.faults.confirm = () => (confirms++ === 0 ? { answerLateMs: 700 } : undefined)
    const second = control.assign(node.config('v2'))
    await control.until('confirm', () => control.of('confirm', second.generation).length > 0)
    control.confirmWithinMs = 500
    const third = control.assign(node.config('v3'))
    control.confirming = 'no'
    await control.until('taken back', () =>
      control.of('result', third.generation).some(({ body }) => body.outcome === 'reverted'),
    )
    assert.equal(await node.version(), 'v2')
    await control.until('a line', () => /generation 2 is confirmed/.test(node.log))
  })

  test('an upgrade that is needed changes nothing on the node', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.faults.desired = () => ({ status: 426, code: 'needs_upgrade' })
    await control.stop()
    await control.start()
    await control.until('426', () => control.said.some((one) => one.status === 426))
    const heard = control.said.length
    await sleep(800)
    assert.equal(await node.version(), 'v1')
    assert.ok(control.said.length - heard <= 2)
    await control.until('a line', () => /needs a newer farmstead-node/.test(node.log))
  })

  test('say_hello is answered with a hello, and the rest goes on', async (t) => {
    const { control, serving } = await servingFarm(t)
    await serving('v1')
    const hellos = control.of('hello').length
    let once = true
    control.faults.report = () => {
      if (!once) return undefined
      once = false
      return { status: 409, code: 'say_hello' }
    }
    await control.until('hello', () => control.of('hello').length > hellos)
    const windows = control.windows.length
    await control.until('windows', () => control.windows.length > windows)
  })

  test('nonsense for an answer is backed off from and harms nothing', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    const nonsense = ['', '<html>', '[]', '{"assignment": {"generation": "1"}}', '{"assignment":']
    let asked = 0
    control.faults.desired = () => ({ raw: nonsense[asked++ % nonsense.length] })
    control.faults.report = () => ({ raw: '{"acknowledgedSeq": -1}' })
    await control.stop()
    await control.start()
    await control.until('a refused answer', () => asked >= 3)
    assert.equal(await node.version(), 'v1')
    await control.until('a line', () => /answer to desired: /.test(node.log))
    control.faults = {}
    control.assign(node.config('v2'))
    await node.untilVersion('v2')
  })

  test('a control plane that answers nothing at once is not asked in a tight loop', async (t) => {
    const { control, serving } = await servingFarm(t)
    await serving('v1')
    control.faults.desired = () => ({ raw: '{"assignment":null}' })
    await control.stop()
    await control.start()
    await control.until('polls', () => control.wishes().length >= 2)
    const before = control.wishes().length
    const begunMs = performance.now()
    await sleep(1500)
    const asked = control.wishes().length - before
    const seconds = (performance.now() - begunMs) / 1000
    assert.ok(asked < 8 * seconds, `${asked} times in ${seconds.toFixed(1)} s`)
  })

  test('a control plane that is another one than was joined is not obeyed', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    await control.stop()
    control.controlPlaneId = 'cp_another'
    control.assign(node.config('evil'))
    await control.start()
    const [hellos, polls] = [control.of('hello').length, control.wishes().length]
    await control.until('hello', () => control.of('hello').length > hellos)
    await sleep(500)
    const obeyed = control
      .wishes()
      .slice(polls)
      .filter((one) => one.status === 200)
    assert.deepEqual(obeyed, [], 'nothing is asked of it in earnest')
    assert.equal(await node.version(), 'v1')
    await control.until('a line', () =>
      /another control plane than the one this node joined/.test(node.log),
    )
  })

  test('a slow report holds up no push', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.faults.report = () => 'hold'
    await control.until('a report that is held', () => control.of('report').length > 0)
    await sleep(300)
    control.assign(node.config('v2'))
    await node.untilVersion('v2', 3000)
  })

  test('no key and no line of one is in the log', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    const { privateKey } = JSON.parse(readFileSync(`${node.state}/identity.json`, 'utf8'))
    const [, line] = privateKey.split('\n')
    assert.ok(line.length > 40)
    await control.stop()
    await control.start()
    control.revokeAll()
    await control.until('401', () => control.said.some((one) => one.status === 401))
    assert.ok(!node.log.includes(line) && !node.log.includes('PRIVATE'))
  })
})
