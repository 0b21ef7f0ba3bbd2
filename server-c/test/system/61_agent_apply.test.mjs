// SPDX-License-Identifier: MIT
// A real node takes what a control plane assigns: proves it, keeps it, refuses it or takes it back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { digestOf } from '../support/fake-control-plane.mjs'
import { NEVER_MS } from '../support/node.mjs'
import { servingFarm } from '../support/serving-farm.mjs'

/** A poll of this ends by itself only after a test has given up. Within what a node takes of a control plane, REPORT_EVERY_MAX_MS and DESIRED_WAIT_MAX_MS of src/agent/agent_hear.c. */
const NOT_SOON_MS = 4 * NEVER_MS

describe('what a control plane assigns', { concurrency: 4 }, () => {
  test('an assignment is acknowledged, applied, proven, confirmed and kept, in this order', async (t) => {
    const { control, node } = await servingFarm(t)
    node.start()
    await control.until('the long poll', () => control.wishes().length > 0)
    const assigned = control.assign(node.config('v1'))
    await node.untilConfirmed(1)
    assert.equal(await node.version(), 'v1')
    const order = control.said
      .map((one) => one.message)
      .filter((m) => m !== 'report' && m !== 'desired')
    assert.deepEqual(order, ['ca', 'enrol', 'hello', 'ack', 'result', 'confirm'])
    const [hello] = control.of('hello')
    assert.equal(hello.body.effective, null)
    assert.match(hello.body.schemaDigest, /^sha256:/)
    const [result] = control.of('result')
    assert.equal(result.body.outcome, 'applied')
    assert.deepEqual(result.body.effective, {
      generation: 1,
      digest: assigned.release.configDigest,
      bootId: hello.body.bootId,
      reloads: 0,
    })
    assert.equal(node.confirmed().configText, assigned.release.configText)
  })

  test('a push is the answer that a connected node waits for', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    control.desiredWaitMs = NOT_SOON_MS
    await serving('v1')
    control.reportSlowerMs = NOT_SOON_MS // what asks for orders has the time until the report after the next
    const waits = ({ body, status }) => status === 0 && (body.desired ?? body).waitMs > NEVER_MS
    const poll = await control.until('a long poll that waits', () => control.said.find(waits))
    const { generation } = control.assign(node.config('v2'))
    await control.until('ack', () => control.of('ack', generation).length > 0)
    assert.equal(poll.status, 200)
    const afterIt = control.said.slice(control.said.indexOf(poll) + 1)
    assert.equal(afterIt[0].message, 'ack', 'it asks nothing before it says so')
  })

  test('a config with errors is refused with their places, and the old one serves on', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    const text = '{\n  "sites": [{ "hosts": ["*"], "root": "/srv" }],\n  "wrokers": 2\n}\n'
    const { generation } = control.assign(text)
    const [nack] = await control.until('nack', () => {
      const nacks = control.of('nack', generation)
      return nacks.length > 0 && nacks
    })
    assert.equal(nack.body.code, 'schema')
    const [error] = nack.body.errors
    assert.equal(error.code, 'unknown_key')
    assert.equal(error.pointer, '/wrokers')
    assert.deepEqual([error.line, error.column], [3, 3])
    assert.equal(await node.version(), 'v1')
    await sleep(300)
    assert.equal(control.of('nack').length, 1, 'refused once, not again and again')
  })

  test('a root that is not there is refused by name', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    const config = node.config('v2')
    config.sites[0].root = join(node.dir, 'not-there')
    const { generation } = control.assign(config)
    await control.until('nack', () => control.of('nack', generation).length > 0)
    const [nack] = control.of('nack', generation)
    assert.equal(nack.body.code, 'missing_file')
    assert.equal(nack.body.errors[0].pointer, '/sites/0/root')
    assert.match(nack.body.message, /not-there/)
    assert.equal(await node.version(), 'v1')
  })

  test('a taken port is refused, and the old config serves on', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const config = node.config('v2')
    config.listen.push({ address: '127.0.0.1', port: other.address().port })
    const { generation } = control.assign(config)
    await control.until('nack', () => control.of('nack', generation).length > 0)
    other.close()
    assert.equal(control.of('nack', generation)[0].body.code, 'port_in_use')
    assert.equal(await node.version(), 'v1')
  })

  test('a text that is not what its digest says is refused', async (t) => {
    const { control, node, serving } = await servingFarm(t)
    await serving('v1')
    const release = {
      configDigest: digestOf(node.config('v3')),
      configText: JSON.stringify(node.config('v2')),
    }
    const { generation } = control.assign(node.config('v2'), { release })
    await control.until('nack', () => control.of('nack', generation).length > 0)
    assert.equal(control.of('nack', generation)[0].body.code, 'digest_mismatch')
  })
})
