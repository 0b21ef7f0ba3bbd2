// SPDX-License-Identifier: MIT
// A folder of a config on a disk that hangs: the agent goes on, and so does whoever else is served.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AgentNode } from '../support/agent-node.mjs'
import { FakeControlPlane } from '../support/fake-control-plane.mjs'
import { hungDisk } from '../support/hung-disk.mjs'

async function joined(t) {
  const control = await new FakeControlPlane().start()
  const node = await AgentNode.join(control)
  let disk = null
  // Registered first, as the disk's folder goes with the test, and without it nothing is released.
  t.after(async () => {
    await disk.release()
    await node.dispose()
    await control.stop()
    assert.deepEqual(control.violations, [])
  })
  disk = hungDisk(t)
  mkdirSync(join(node.dir, 'hang-stat'))
  return { control, node, disk }
}

// They wait for most of their time, each for its own node.
describe('a check that hangs', { concurrency: 2 }, () => {
  test('a config whose root hangs is refused in time, and the next one is taken', async (t) => {
    const { control, node, disk } = await joined(t)
    node.start(disk.env)
    const root = join(node.dir, 'hang-stat')
    const { generation } = control.assign(node.config('v1', { sites: [{ hosts: ['*'], root }] }))
    await control.until('a nack', () => control.of('nack', generation).length > 0)
    const [{ body }] = control.of('nack', generation)
    assert.equal(body.code, 'resource_limit')
    assert.match(body.message, /could not be checked within \d+ s/)
    control.assign(node.config('v2'))
    await node.untilVersion('v2')
  })

  test('a start with a root that hangs by now serves the other sites', async (t) => {
    const { control, node, disk } = await joined(t)
    const released = disk.env.FARMSTEAD_HANG_UNTIL
    writeFileSync(released, '')
    node.start(disk.env)
    const config = node.config('v1')
    const late = { hosts: ['late.test'], root: join(node.dir, 'hang-stat') }
    const { generation } = control.assign({ ...config, sites: [...config.sites, late] })
    await node.untilVersion('v1')
    await node.untilConfirmed(generation)
    assert.equal(await node.stop(), 0)
    rmSync(released)
    node.start(disk.env)
    await node.untilVersion('v1')
  })
})
