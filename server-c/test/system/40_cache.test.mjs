// SPDX-License-Identifier: MIT
// What the caches ask the disk for, and what they hold.
import assert from 'node:assert/strict'
import { readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

describe('what the caches ask for and hold', { concurrency: 3 }, () => {
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
    await node.untilCounter('cacheMisses', 1)
    await node.untilCounter('cacheHits', 49)
    client.close()
  })

  test('a popular file is looked up ahead of time: its requests never wait', async (t) => {
    const node = await startNode(t, {
      files: { 'a.txt': 'a' },
      config: { workers: 1, statCache: { ttlMillis: 2000 } },
    })
    const client = await RawClient.connect(node.port)
    const ask = async () => {
      client.send(request('/a.txt'))
      await client.response()
    }
    // In the last of its two seconds a request has it looked up. Where this machine stood still for as long, none
    // came: that round says nothing.
    for (let round = 1, longestMs = 1000; longestMs > 500; round++) {
      assert.ok(round < 20, 'this machine stands still again and again')
      await ask()
      const misses = await node.counter('cacheMisses')
      longestMs = 0
      const end = performance.now() + 5000
      for (let before = performance.now(); before < end; ) {
        await ask()
        await sleep(5)
        const now = performance.now()
        longestMs = Math.max(longestMs, now - before)
        before = now
      }
      if (longestMs <= 500) assert.equal(await node.counter('cacheMisses'), misses)
    }
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
        return readlinkSync(`/proc/${node.child.pid}/fd/${fd}`).startsWith(`${node.root}/`)
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
})
