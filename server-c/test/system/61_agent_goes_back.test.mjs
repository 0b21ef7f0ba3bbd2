// SPDX-License-Identifier: MIT
// What a node takes back or does not take: what nobody confirmed, what was under way at a restart, what is older.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { servingFarm } from '../support/serving-farm.mjs'

/** Its log says so: what is taken back in a moment, a request on a busy machine may come too late to see. */
const untilServed = (control, node, generation) =>
  control.until(`generation ${generation} serves`, () =>
    node.log.includes(`generation ${generation} serves`),
  )

describe('what a control plane assigns', { concurrency: 4 }, () => {
  test('what is not confirmed in time goes back by itself', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.confirming = 'no'
    const { generation } = control.assign(node.config('v2'), { confirmWithinMs: 600 })
    await untilServed(control, node, generation)
    assert.equal(node.confirmed().generation, 1)
    await node.untilVersion('v1')
    await control.until(
      'a result of the revert',
      () => control.of('result', generation).length >= 2,
    )
    const result = control.of('result', generation).at(-1)
    assert.equal(result.body.outcome, 'reverted')
    assert.equal(result.body.reason, 'unconfirmed')
    assert.equal(result.body.effective.generation, 1)
    assert.equal(node.confirmed().generation, 1)
  })

  test('a first config that is not confirmed is taken away again', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    control.confirming = 'no'
    const { generation } = control.assign(node.config('v1'), { confirmWithinMs: 600 })
    node.start()
    await untilServed(control, node, generation)
    await node.untilVersion('ECONNREFUSED')
    await control.until('a result of the revert', () => control.of('result', 1).length >= 2)
    assert.equal(control.of('result', 1).at(-1).body.effective, null)
    control.confirming = 'yes'
    await serving('v2')
  })

  test('an unconfirmed config goes back while the control plane is away', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.confirming = 'no'
    const { generation } = control.assign(node.config('v2'), { confirmWithinMs: 1000 })
    await untilServed(control, node, generation)
    await control.stop()
    await node.untilVersion('v1')
    await control.start()
    await control.until('the revert is told', () =>
      control.of('result', generation).some((one) => one.body.outcome === 'reverted'),
    )
  })

  test('an equal digest is no reload, only a new generation', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    const first = await serving('v1')
    control.assign(node.config('v1'))
    await node.untilConfirmed(2)
    const { effective } = control.of('result', 2)[0].body
    assert.equal(effective.generation, 2)
    assert.equal(effective.digest, first.release.configDigest)
    assert.equal(effective.reloads, 0)
  })

  test('a restart loads the confirmed config only, and tells what became of the other', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.confirming = 'no'
    const { generation } = control.assign(node.config('v2'))
    await node.untilVersion('v2')
    assert.equal(await node.stop(), 0)
    node.start()
    await node.untilVersion('v1')
    await control.until('hello', () => control.of('hello').length >= 2)
    const hello = control.of('hello').at(-1).body
    assert.equal(hello.effective.generation, 1)
    assert.deepEqual(hello.lastKnownGood.generation, 1)
    assert.equal(hello.fences.maxGeneration, generation)
    assert.equal(hello.lastResult.outcome, 'reverted')
    assert.equal(hello.lastResult.reason, 'restart')
    assert.equal(hello.lastResult.generation, generation)
  })

  test('lower generations and epochs are refused, also after a restart', async (t) => {
    const { control, node } = await servingFarm(t)
    control.epoch = 3
    control.assign(node.config('v1'), { generation: 5 })
    node.start()
    await node.untilConfirmed(5)
    await node.stop()
    node.start()
    await node.untilVersion('v1')
    // A control plane restored from an old backup: a lower epoch, and it thinks that it is ahead.
    control.epoch = 2
    control.assign(node.config('old'), { generation: 6 })
    await control.until('nack', () => control.of('nack', 6).length > 0)
    const fenced = control.of('nack', 6)[0].body
    assert.equal(fenced.code, 'epoch_fenced')
    assert.deepEqual([fenced.maxEpoch, fenced.maxGeneration], [3, 5])
    await sleep(500)
    assert.ok(control.of('nack').length < 6, 'not in a tight loop')
    // The same generation with another config, offered to a node that says it has nothing newer.
    control.epoch = 3
    const have = control.wishes().at(-1).body.have
    assert.equal(have.generation, 5)
    control.faults.desired = () => ({
      raw: JSON.stringify({
        assignment: { ...control.assign(node.config('other'), { generation: 5 }) },
      }),
    })
    await control.until('nack', () => control.of('nack', 5).length > 0)
    assert.equal(control.of('nack', 5)[0].body.code, 'stale_generation')
    assert.equal(await node.version(), 'v1')
  })

  test('a newer assignment takes the place of one that waits for its confirmation', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.confirming = 'no'
    control.assign(node.config('v2'))
    await node.untilVersion('v2')
    await control.until('it asks again', () => control.of('confirm', 2).length > 1)
    control.confirming = 'yes'
    control.assign(node.config('v3'))
    await node.untilConfirmed(3)
    assert.equal(await node.version(), 'v3')
  })

  test('a stop is clean and quick, also in a long poll', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    control.desiredWaitMs = 60_000
    const began = performance.now()
    assert.equal(await node.stop('SIGINT'), 0)
    assert.ok(performance.now() - began < 3000)
    node.start()
    await node.untilVersion('v1')
    assert.equal(await node.stop('SIGTERM'), 0)
  })

  test('SIGUSR1 reopens the log files', async (t) => {
    const { control, node } = await servingFarm(t)
    const path = join(node.dir, 'access.log')
    control.assign(node.config('v1', { accessLog: { path, format: 'common' } }))
    node.start()
    await node.untilVersion('v1')
    await node.untilConfirmed(1)
    await control.until('a line', () => existsSync(path) && statSync(path).size > 0)
    renameSync(path, `${path}.1`)
    process.kill(node.pid, 'SIGUSR1')
    await control.until('a new file', () => existsSync(path))
    await node.version()
    await control.until('a line in it', () => statSync(path).size > 0)
  })

  test('killed at any moment of an apply, the node serves what it knows to be good', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v0')
    const kills = Number(process.env.FARMSTEAD_KILLS ?? 15)
    let cutOff = 0
    for (let i = 1; i <= kills; i++) {
      const { generation } = control.assign(node.config(`v${i}`))
      await sleep(Math.random() * 15)
      await node.stop('SIGKILL')
      const kept = node.confirmed()
      const hellos = control.of('hello').length
      node.start()
      const { body: hello } = await control.until('hello', () => control.of('hello')[hellos])
      assert.equal(hello.effective.generation, kept.generation)
      assert.equal(hello.effective.digest, kept.digest)
      // What was acknowledged and then lost is offered anew, as a rollout would do.
      if (kept.generation < generation && hello.fences.maxGeneration >= generation) {
        assert.deepEqual(
          [hello.lastResult?.reason, hello.lastResult?.generation],
          ['restart', generation],
        )
        control.assign(node.config(`v${i}`))
        cutOff++
      }
      await node.untilVersion(`v${i}`)
      await node.untilConfirmed(control.assignment.generation)
    }
    t.diagnostic(`${kills} kills, ${cutOff} of them between ack and confirmation`)
  })

  test('a config taken away by hand is asked for again', async (t) => {
    const { node, serving } = await servingFarm(t)
    await serving('v1')
    await node.stop()
    rmSync(join(node.state, 'confirmed.json'))
    node.start()
    await node.untilVersion('v1')
    await node.untilConfirmed(1)
  })

  test('a port that another program took before the start is waited for', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    await node.stop()
    const squatter = createServer().listen(node.port, '127.0.0.1')
    await once(squatter, 'listening')
    node.start()
    await control.until('hello', () => control.of('hello').length >= 2)
    assert.equal(control.of('hello').at(-1).body.effective, null)
    squatter.close()
    await node.untilVersion('v1')
  })
})
