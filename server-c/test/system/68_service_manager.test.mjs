// SPDX-License-Identifier: MIT
// What systemd is told by a process that is started as Type=notify.
import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { joinNodeFor } from '../support/joined-node.mjs'
import { startNode, tempFolder } from '../support/node.mjs'
import { startServiceManager } from '../support/service-manager.mjs'

/** Without what comes by the clock. */
const inOrder = (told) =>
  told.map((line) => line.split(/[=;]/)[0]).filter((name) => name !== 'WATCHDOG')

async function joinedNode(t) {
  const { control, node } = await joinNodeFor(t)
  return { control, node }
}

test('run says when it serves, reloads and stops, and that it lives', async (t) => {
  const manager = await startServiceManager(t)
  const { control, node } = await joinedNode(t)
  node.start({ ...manager.env, WATCHDOG_USEC: '400000' })
  await manager.untilTold('READY=1') // also while it waits for its first config
  control.assign(node.config('v1'))
  await node.untilVersion('v1')
  const ready = manager.told().find((line) => line.startsWith('READY=1'))
  assert.equal(ready, `READY=1;STATUS=Process ${node.servingPid} serves.`)
  await manager.untilTold('WATCHDOG=1', 3)
  process.kill(node.pid, 'SIGHUP')
  await manager.untilTold('READY=1', 2)
  assert.equal(await node.stop(), 0)
  await manager.untilTold('STOPPING=1')
  assert.deepEqual(inOrder(manager.told()), ['READY', 'RELOADING', 'READY', 'STOPPING'])
})

test('run says that it starts its process again, which does not speak in its name', async (t) => {
  const manager = await startServiceManager(t)
  const { node } = await joinedNode(t)
  node.start(manager.env)
  await manager.untilTold('READY=1')
  const environment = readFileSync(`/proc/${node.servingPid}/environ`, 'utf8')
  assert.doesNotMatch(environment, /NOTIFY_SOCKET/)
  process.kill(node.servingPid, 'SIGKILL')
  await manager.untilTold('STATUS=The serving process ended (killed by signal 9 (Killed))')
  await manager.untilTold('READY=1', 2)
})

test('serve says when it serves, reloads and stops', async (t) => {
  const manager = await startServiceManager(t)
  const wrap = ['env', ...Object.entries(manager.env).map((pair) => pair.join('='))]
  const node = await startNode(t, { wrap })
  await manager.untilTold('READY=1')
  const config = JSON.parse(readFileSync(node.configPath, 'utf8'))
  assert.equal(await node.reload({ ...config, workers: 1 }), true)
  await manager.untilTold('READY=1', 2)
  writeFileSync(node.configPath, '{')
  node.child.kill('SIGHUP')
  await manager.untilTold('READY=1', 3)
  assert.equal(await node.stop(), 0)
  await manager.untilTold('STOPPING=1')
  assert.deepEqual(inOrder(manager.told()), [
    'READY',
    'RELOADING',
    'READY',
    'RELOADING',
    'READY',
    'STOPPING',
  ])
})

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }

test(
  'as another user in a root folder of its own, serve is heard all the same',
  needsRoot,
  async (t) => {
    const manager = await startServiceManager(t)
    const env = [...Object.entries(manager.env).map((pair) => pair.join('='))]
    // The sanitizer's search for leaks needs /proc, which is not in there.
    const wrap = ['env', ...env, 'ASAN_OPTIONS=detect_leaks=0']
    const jail = tempFolder(t)
    chmodSync(jail, 0o755)
    const site = { root: join(jail, 'www') }
    const jailed = { process: { user: 'nobody', chroot: jail } }
    const sites = [{ hosts: ['*'], root: '/www' }]
    const node = await startNode(t, { wrap, site, config: { ...jailed, sites } })
    await manager.untilTold('READY=1')
    assert.equal(await node.stop(), 0)
    await manager.untilTold('STOPPING=1')
  },
)

test('a service manager that is not there keeps nobody from serving', async (t) => {
  const { control, node } = await joinedNode(t)
  control.assign(node.config('v1'))
  node.start({ NOTIFY_SOCKET: join(node.dir, 'nowhere'), WATCHDOG_USEC: 'soon' })
  await node.untilVersion('v1')
})
