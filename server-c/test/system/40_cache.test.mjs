// SPDX-License-Identifier: MIT
// A change on disk is visible within statCache.ttlMillis; "off" sees it at once.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const TTL_MS = 300
// The promise is the ttl; the rest is what a request and a busy machine take.
const SLACK_MS = 1500

async function changesWithin(node, target, probe, ms) {
  if (ms === 0) {
    assert.ok(probe(await get(node.port, target)), `${target} is not what the disk says`)
    return
  }
  const start = Date.now()
  await until(async () => probe(await get(node.port, target)), `the change of ${target}`)
  assert.ok(Date.now() - start < ms, `${target} took ${Date.now() - start} ms`)
}

for (const [engine, ms] of [
  ['ttl', TTL_MS + SLACK_MS],
  ['off', 0],
])
  test(`engine ${engine}: every kind of change shows ${ms ? `within ${ms} ms` : 'at once'}`, async (t) => {
    const node = await startNode(t, {
      files: {
        'a.txt': 'old',
        'gone.txt': 'here',
        'dir/x.txt': 'x',
        'big.bin': Buffer.alloc(200_000, 'a'),
      },
      config: { statCache: { engine, ttlMillis: TTL_MS } },
    })
    const path = (name) => join(node.root, name)
    for (const target of ['/a.txt', '/gone.txt', '/dir/x.txt', '/big.bin', '/late.txt', '/late/'])
      await get(node.port, target)

    writeFileSync(path('a.txt'), 'rewritten')
    await changesWithin(node, '/a.txt', (r) => r.text === 'rewritten', ms)
    writeFileSync(path('a.new'), 'replaced!')
    renameSync(path('a.new'), path('a.txt'))
    await changesWithin(node, '/a.txt', (r) => r.text === 'replaced!', ms)
    writeFileSync(path('big.bin'), Buffer.alloc(300_000, 'b'))
    await changesWithin(node, '/big.bin', (r) => r.body.length === 300_000 && r.body[0] === 98, ms)
    rmSync(path('gone.txt'))
    await changesWithin(node, '/gone.txt', (r) => r.status === 404, ms)
    writeFileSync(path('late.txt'), 'now')
    await changesWithin(node, '/late.txt', (r) => r.status === 200 && r.text === 'now', ms)
    renameSync(path('dir'), path('moved'))
    await changesWithin(node, '/dir/x.txt', (r) => r.status === 404, ms)
    await changesWithin(node, '/moved/x.txt', (r) => r.text === 'x', ms)
    mkdirSync(path('late'))
    writeFileSync(path('late/index.html'), 'index')
    await changesWithin(node, '/late/', (r) => r.text === 'index', ms)
    rmSync(path('a.txt'))
    mkdirSync(path('a.txt'))
    await changesWithin(node, '/a.txt', (r) => r.status === 301, ms)
  })

test('within the ttl the disk is not asked again', async (t) => {
  const node = await startNode(t, {
    files: { 'a.txt': 'a' },
    config: { workers: 1, statCache: { ttlMillis: 60_000 } },
  })
  const client = await RawClient.connect(node.port)
  for (let i = 0; i < 50; i++) {
    client.send(request('/a.txt'))
    await client.response()
  }
  assert.equal(await node.counter('cacheMisses'), 1)
  assert.equal(await node.counter('cacheHits'), 49)
  client.close()
})

test('a popular file is looked up ahead of time: its requests never wait', async (t) => {
  const node = await startNode(t, {
    files: { 'a.txt': 'a' },
    config: { workers: 1, statCache: { ttlMillis: 1000 } },
  })
  const client = await RawClient.connect(node.port)
  const end = Date.now() + 3000
  while (Date.now() < end) {
    client.send(request('/a.txt'))
    await client.response()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.equal(await node.counter('cacheMisses'), 1)
  client.close()
})

test('many who ask for the same cold file cause one look-up', async (t) => {
  const node = await startNode(t, {
    files: { 'a.bin': Buffer.alloc(50_000, 'a') },
    config: { workers: 1, statCache: { ttlMillis: 60_000 } },
  })
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(node.port, '/a.bin')))
  for (const { status, body } of answers) {
    assert.equal(status, 200)
    assert.equal(body.length, 50_000)
  }
  const { gauges } = await node.status()
  assert.equal(gauges.cacheEntries, 1)
})

test('entries, bytes and descriptors stay within their bounds', async (t) => {
  const files = {}
  for (let i = 0; i < 200; i++) files[`s${i}.txt`] = `${i}`.repeat(100)
  for (let i = 0; i < 60; i++) files[`l${i}.bin`] = Buffer.alloc(70_000, `${i}`)
  const node = await startNode(t, {
    files,
    config: {
      workers: 1,
      statCache: { maxEntries: 100, ttlMillis: 60_000 },
      fileCache: { maxBytes: 10_000, maxFileBytes: 10_000, maxOpenFiles: 16 },
    },
  })
  const client = await RawClient.connect(node.port)
  for (let round = 0; round < 2; round++) {
    for (const name of Object.keys(files)) {
      client.send(request(`/${name}`))
      assert.equal((await client.response()).body.toString(), files[name].toString())
    }
    for (let i = 0; i < 300; i++) {
      client.send(request(`/none${i}`))
      assert.equal((await client.response()).status, 404)
    }
  }
  const { gauges } = await node.status()
  assert.ok(gauges.cacheEntries <= 100, `${gauges.cacheEntries} entries`)
  assert.ok(gauges.cacheBytes <= 10_000, `${gauges.cacheBytes} bytes`)
  assert.ok(gauges.openFiles <= 16, `${gauges.openFiles} descriptors`)
  assert.ok((await node.counter('cacheEvictions')) > 300)
  const open = readdirSync(`/proc/${node.child.pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${node.child.pid}/fd/${fd}`).startsWith(node.root)
    } catch {
      return false
    }
  })
  assert.ok(open.length <= 16, `${open.length} open files`)
  client.close()
})

test("a removed file's descriptor is let go of soon, though nobody asks for it", async (t) => {
  const node = await startNode(t, {
    files: { 'big.bin': Buffer.alloc(200_000) },
    config: { statCache: { ttlMillis: 100 } },
  })
  await get(node.port, '/big.bin')
  rmSync(join(node.root, 'big.bin'))
  await until(
    () =>
      !readdirSync(`/proc/${node.child.pid}/fd`).some((fd) => {
        try {
          return readlinkSync(`/proc/${node.child.pid}/fd/${fd}`).includes('big.bin')
        } catch {
          return false
        }
      }),
    'the descriptor is closed',
  )
})

test('a cache without room for bodies still serves', async (t) => {
  const node = await startNode(t, {
    files: { 'a.txt': 'alpha', 'b.bin': Buffer.alloc(100_000, 'b') },
    config: { fileCache: { maxBytes: 0, maxFileBytes: 0 } },
  })
  for (let i = 0; i < 3; i++) {
    assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
    assert.equal((await get(node.port, '/b.bin')).body.length, 100_000)
  }
  assert.equal((await node.status()).gauges.cacheBytes, 0)
})
