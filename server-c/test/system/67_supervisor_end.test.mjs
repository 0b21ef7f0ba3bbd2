// SPDX-License-Identifier: MIT
// How the parent of `run` and the process that serves end together.
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { control, crash, lives, node, serving, start } from '../support/supervised-node.mjs'

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }
// A third of the second that `run` gives it, however slow the machine.
const BYTES_PER_SECOND = 400_000
const SLOW_BYTES = 150_000

test('the serving process ends with its parent, and a new start finds all free', async () => {
  await serving('v1')
  const child = node.servingPid
  await node.stop('SIGKILL')
  start()
  await node.untilVersion('v1')
  assert.ok(!lives(child))
})

test('… also after it has become another user', needsRoot, async (t) => {
  chmodSync(node.dir, 0o755)
  control.assign(node.config('v1', { process: { user: 'nobody' } }))
  start()
  await node.untilVersion('v1')
  await node.untilConfirmed(1)
  const child = node.servingPid
  const uid = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))[1]
  assert.notEqual(uid, '0')
  t.after(() => lives(child) && process.kill(child, 'SIGKILL'))
  await node.stop('SIGKILL')
  await control.until('its end', () => !lives(child))
  // And its successor has the rights of the start again.
  start()
  await node.untilVersion('v1')
  await crash()
  await node.untilVersion('v1')
})

test('SIGTERM lets a response end, then both processes', async () => {
  writeFileSync(join(node.root, 'slow.bin'), Buffer.alloc(SLOW_BYTES))
  const [site] = node.config('v1').sites
  const slowly = { ...site, connectionBytesPerSecond: BYTES_PER_SECOND }
  control.assign(node.config('v1', { sites: [slowly] }))
  start()
  await node.untilVersion('v1')
  await node.untilConfirmed(1)
  const child = node.servingPid
  const answer = await fetch(`http://127.0.0.1:${node.port}/slow.bin`)
  const [body, code] = await Promise.all([answer.arrayBuffer(), node.stop('SIGTERM')])
  assert.equal(body.byteLength, SLOW_BYTES)
  assert.equal(code, 0)
  assert.ok(!lives(child))
})

test('SIGTERM between two processes is a stop like any other', async () => {
  await serving('v1')
  for (let i = 0; i < 3; i++) await crash('SIGKILL')
  process.kill(node.servingPid, 'SIGKILL')
  await control.until('a gap', () => node.servingPid === undefined)
  assert.equal(await node.stop('SIGTERM'), 0)
})

test('a serving process that is told to stop by hand takes its parent with it', async () => {
  await serving('v1')
  const { pid } = node
  process.kill(node.servingPid, 'SIGTERM')
  await control.until('the end of both', () => !lives(pid))
  assert.equal(await node.stop(), 0)
})

test('the parent has one thread and no socket of any network', async () => {
  await serving('v1')
  assert.equal(readdirSync(`/proc/${node.pid}/task`).length, 1)
  const network = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'utf8')
      .split('\n')
      .map((line) => `socket:[${line.trim().split(/\s+/)[9]}]`),
  )
  const open = (pid) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  assert.ok(
    open(node.servingPid).some((one) => network.includes(one)),
    'the child has some',
  )
  assert.deepEqual(
    open(node.pid).filter((one) => network.includes(one)),
    [],
  )
})
