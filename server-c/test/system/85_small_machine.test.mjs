// SPDX-License-Identifier: MIT
// Little memory, few descriptors, a part of a processor: what nobody wrote down fits itself to it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { controlGroups, noControlGroups } from '../support/control-group.mjs'
import { nodeBinary, startNode, tempFolder } from '../support/node.mjs'
import { get, LOOPBACK, RawClient, request } from '../support/raw.mjs'

const MIB = 1 << 20
const files = { 'a.txt': 'alpha' }
const few = ['prlimit', '--nofile=1024:1024']

function check(t, members, wrap) {
  const file = join(tempFolder(t), 'config.json')
  const config = {
    listen: [{ address: LOOPBACK, port: 0 }],
    workers: 2,
    sites: [{ hosts: ['*'], root: '/tmp' }],
    ...members,
  }
  writeFileSync(file, JSON.stringify(config))
  const [command, ...args] = [...wrap, nodeBinary, 'check', '--json', file]
  return JSON.parse(spawnSync(command, args, { encoding: 'utf8' }).stdout)
}

test('with 1024 descriptors the defaults are lowered, and it says to what', async (t) => {
  const node = await startNode(t, { files, wrap: few })
  const lowered = /warn limits\.connections is 296 instead of 8192: this process may have 1024 desc/
  assert.match(node.log, lowered)
  assert.match(node.log, /warn fileCache\.maxOpenFiles is 296 instead of 8000: /)
  const { gauges } = await node.status()
  assert.equal(gauges.connectionsLimit, 296)
  assert.equal(gauges.openFilesLimit, 296)
  assert.equal(gauges.descriptorsLimit, 1024)
  const metrics = await (await node.admin('/metrics')).text()
  assert.match(metrics, /^farmstead_connections_limit 296$/m)
  assert.match(await (await node.admin('/')).text(), /connectionsLimit.*296/)
})

test('that many connections hold as many files, and nobody lacks a descriptor', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 296 }, (_, i) => [`f${i}.bin`, '']))
  const limits = { headerSeconds: 60, writeSeconds: 60 }
  const node = await startNode(t, { files: many, wrap: few, config: { limits } })
  assert.equal((await node.status()).gauges.connectionsLimit, Object.keys(many).length)
  for (const name of Object.keys(many)) truncateSync(join(node.root, name), 32 * MIB)
  const crowd = []
  for (const name of Object.keys(many)) {
    const client = await RawClient.connect(node.port, { from: LOOPBACK })
    client.socket.pause()
    client.send(request(`/${name}`))
    crowd.push(client)
  }
  const heads = await Promise.all(
    crowd.map(async (client) => {
      client.socket.resume()
      while (client.received < 12)
        await new Promise((resolve) => client.socket.once('data', resolve))
      client.socket.pause()
      return client.chunks[0].subarray(0, 12).toString()
    }),
  )
  assert.deepEqual([...new Set(heads)], ['HTTP/1.1 200'])
  assert.doesNotMatch(node.log, /can't accept/)
  for (const client of crowd) client.close()
})

test('check warns of what is lowered, left out or written, and it serves', (t) => {
  const left = check(t, {}, few)
  assert.equal(left.ok, true)
  assert.deepEqual(
    left.warnings.map(({ pointer, code }) => [pointer, code]),
    [
      ['/limits/connections', 'resource_limit'],
      ['/fileCache/maxOpenFiles', 'resource_limit'],
    ],
  )
  const written = check(t, { limits: { connections: 8192 } }, few)
  assert.equal(written.ok, true)
  assert.match(written.warnings[0].message, /^limits.connections is \d{3} instead of 8192: /)
  // 900 sockets would fit, but each may be sent a file.
  const tight = { limits: { connections: 700 }, fileCache: { maxOpenFiles: 16 } }
  assert.match(
    check(t, tight, few).warnings[0].message,
    /^limits.connections is \d{3} instead of 700/,
  )
})

test('the defaults stay below a memory limit of 96 MiB', {
  skip: noControlGroups('memory'),
}, async (t) => {
  const limits = { memory: { 'memory.limit_in_bytes': 96 * MIB } }
  const { wrap, remove } = controlGroups(limits)
  // What ASan keeps of freed memory is none of ours.
  const asan = [process.env.ASAN_OPTIONS, 'quarantine_size_mb=1'].filter(Boolean).join(':')
  const many = Array.from({ length: 4000 }, (_, i) => `f${i}.txt`)
  const node = await startNode(t, {
    files: Object.fromEntries(many.map((name) => [name, ''])),
    wrap: [...wrap, 'env', `ASAN_OPTIONS=${asan}`],
  })
  t.after(remove)
  for (const name of many) truncateSync(join(node.root, name), 60_000) // 240 MB, none on the disk
  const { gauges } = await node.status()
  assert.equal(gauges.memoryLimitBytes, 96 * MIB)
  assert.equal(gauges.cacheLimitBytes, 24 * MIB)
  assert.equal(gauges.cacheEntriesLimit, 12_288)
  assert.match(node.log, /warn fileCache\.maxBytes is 25165824 instead of 268435456: /)
  const client = await RawClient.connect(node.port)
  for (const name of many) {
    client.send(request(`/${name}`))
    assert.equal((await client.response()).body.length, 60_000)
  }
  client.close()
  assert.ok((await node.status()).gauges.cacheBytes <= 24 * MIB)
  assert.equal((await get(node.port, '/f0.txt')).status, 200)
})

for (const [share, loops] of [
  [0.5, 1],
  [1.2, 2],
]) {
  test(`${share} of a processor: ${loops} event loops`, {
    skip: noControlGroups('cpu'),
  }, async (t) => {
    const cpu = { 'cpu.cfs_period_us': 100_000, 'cpu.cfs_quota_us': share * 100_000 }
    const { wrap, remove } = controlGroups({ cpu })
    const node = await startNode(t, { files, config: { workers: 'auto' }, wrap })
    t.after(remove)
    const { gauges } = await node.status()
    assert.equal(gauges.workers, Math.min(loops, availableParallelism()))
    assert.equal(gauges.processors, gauges.workers)
    assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
  })
}
