// SPDX-License-Identifier: MIT
// Descriptors: none left for anything, just enough, and many thousands at once.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode, until } from '../support/node.mjs'
import {
  cpuTicks,
  descriptorLimit,
  descriptorRoom,
  descriptors,
  rssBytes,
} from '../support/process.mjs'
import { get, RawClient, request } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

const BIG_BYTES = 32 << 20

const numbered = (count, content) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.bin`, content]))

const connect = (port, count, options) =>
  Promise.all(Array.from({ length: count }, () => RawClient.connect(port, options)))

test('not one descriptor left: served clients go on being served, it does not spin', async (t) => {
  const files = { 'a.txt': 'alpha', 'big.bin': Buffer.alloc(BIG_BYTES, 'x'), ...numbered(10, 'b') }
  const node = await startNode(t, { files, config: { limits: { headerSeconds: 60 } } })
  const { pid } = node.child
  const [reader] = await connect(node.port, 1)
  reader.socket.once('data', () => reader.socket.pause())
  reader.send(request('/big.bin'))
  await until(() => reader.received > 0, 'the first bytes')
  const asking = await connect(node.port, 10)
  for (const [i, client] of asking.entries()) client.send(`GET /f${i}.bin HTTP/1.1\r\n`)
  await until(async () => (await node.status()).gauges.openConnections === 11, 'all are accepted')

  const limit = descriptors(pid) + 10
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:${limit}`])
  const crowd = await connect(node.port, 200)
  for (const client of crowd) client.send('GET /a.txt HTTP/1.1\r\n')
  await node.logLine(/can't accept on .*port/)
  // A file can't be opened either: that is said, and not remembered as "not found".
  for (const client of asking) client.send('Host: a\r\n\r\n')
  const statuses = []
  for (const client of asking) {
    const { status, headers } = await client.response()
    assert.equal(headers['retry-after'], status === 503 ? '1' : undefined)
    statuses.push(status)
  }
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => status !== 200),
    [503],
  )
  const ticks = cpuTicks(pid)
  await sleep(1000)
  const spent = cpuTicks(pid) - ticks
  t.diagnostic(`${spent * 10} ms of CPU time in a second`)
  assert.ok(spent < 50, 'it spins')
  reader.socket.resume()
  assert.equal((await reader.response()).body.length, BIG_BYTES)

  for (const client of [...crowd, ...asking, reader]) client.close()
  for (const name of Object.keys(files))
    await until(
      async () => (await get(node.port, `/${name}`).catch(() => null))?.status === 200,
      `${name} is served again`,
    )
})

test('where the limit just holds the config, each connection has its file', async (t) => {
  const limits = { connections: 40, headerSeconds: 60, writeSeconds: 60 }
  const node = await startNode(t, {
    files: { 'a.txt': 'alpha', ...numbered(40, '') },
    wrap: ['prlimit', '--nofile=250:250'],
    config: { limits, fileCache: { maxOpenFiles: 16 } },
  })
  for (let i = 0; i < 40; i++) truncateSync(join(node.root, `f${i}.bin`), BIG_BYTES)
  const crowd = await connect(node.port, 40)
  for (const [i, client] of crowd.entries()) {
    client.socket.pause()
    client.send(request(`/f${i}.bin`))
  }
  // All are under way: none of them idles for want of a descriptor, and no place is left.
  await until(async () => (await node.counter('cacheMisses')) >= 40, 'all files are open')
  for (let i = 0; i < 10; i++) assert.equal((await get(node.port, '/a.txt')).status, 503)
  assert.equal(await node.counter('responses5xx'), 0)
  for (const client of crowd) client.close()
  await until(async () => (await get(node.port, '/a.txt')).status === 200, 'there is room again')
  assert.doesNotMatch(node.log, /can't accept/)
})

const MANY = 9_500
// Each may have a file as well; the rest is of the test, of the node and of a few connections more.
const NEEDED = 2 * MANY + 500

test(`${MANY} idle connections cost little, and nobody else waits`, async (t) => {
  if (descriptorLimit() < NEEDED) {
    t.skip(`needs ${NEEDED} descriptors, may have ${descriptorLimit()}: raise ulimit -n`)
    return
  }
  const files = { 'a.txt': 'alpha' }
  const limits = { connections: MANY + 100, keepAliveIdleSeconds: 300, headerSeconds: 300 }
  const config = { limits, fileCache: { maxOpenFiles: 64 } }
  const node = await startNode(t, { files, config })
  const witness = await Witness.start(node.port)
  const before = rssBytes(node.child.pid)
  const clients = []
  // From no address of their own: to find a free port of one takes long among so many.
  while (clients.length < MANY) clients.push(...(await connect(node.port, 250, { from: null })))
  // Half of them have been served, half have never said a word.
  for (const [i, client] of clients.entries()) if (i % 2) client.send(request('/a.txt'))
  for (const [i, client] of clients.entries())
    if (i % 2) assert.equal((await client.response()).status, 200)
  await until(
    async () => (await node.status()).gauges.openConnections >= MANY,
    'all are there at once',
  )
  const each = (rssBytes(node.child.pid) - before) / MANY
  t.diagnostic(`${each | 0} bytes of memory for each idle connection`)
  assert.ok(each < 8192, `${each | 0} bytes for each`)
  const ticks = cpuTicks(node.child.pid)
  await sleep(1000)
  assert.ok(cpuTicks(node.child.pid) - ticks < 50, 'idle connections keep it busy')
  await witness.stop(t)
  for (const client of clients) client.close()
  await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
})

// A table that grows while threads run makes the call wait that needs the room: a loop's.
test('the kernel has room for all descriptors before they are needed', async (t) => {
  const config = { workers: 1, limits: { connections: 1500 }, fileCache: { maxOpenFiles: 700 } }
  const node = await startNode(t, { files: { 'a.txt': 'alpha' }, config })
  const room = () => descriptorRoom(node.child.pid)
  assert.ok(room() >= 2200, `at the start: ${room()}`)
  assert.ok(await node.reload({ ...node.config, limits: { connections: 4500 } }))
  assert.ok(room() >= 5200, `after a reload: ${room()}`)
})
