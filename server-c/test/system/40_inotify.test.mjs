// SPDX-License-Identifier: MIT
// What the kernel tells the stat cache: very much at once, nothing at all, and nothing that would be new.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  LONG_MS,
  learn,
  says,
  showsWithin,
  startChanging,
  TTL_MS,
} from '../support/changing-site.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

describe('engine inotify', { concurrency: 3 }, () => {
  test('a storm of events holds up nobody', async (t) => {
    const { node, path } = await startChanging(t, 'inotify', LONG_MS)
    await learn(node, ['/b.txt', '/a.txt'])
    const client = await RawClient.connect(node.port)
    for (let i = 0; i < 300; i++) {
      for (let k = 0; k < 20; k++) writeFileSync(path(`storm${k}`), `${i}`)
      mkdirSync(path('dir/storm'), { recursive: true })
      renameSync(path('dir'), path('dir2'))
      renameSync(path('dir2'), path('dir'))
      client.send(request('/b.txt'))
      assert.equal((await client.response()).body.toString(), 'bbb')
    }
    client.close()
    assert.equal((await get(node.port, '/dir/x.txt')).text, 'x')
  })

  test('without /proc or inotify it goes by the ttl, and says so', async (t) => {
    const wrap = [
      ...['env', 'ASAN_OPTIONS=detect_leaks=0', 'strace', '-D', '-f', '-qq', '-o', '/dev/null'],
      ...['-e', 'trace=inotify_init1', '-e', 'inject=inotify_init1:error=EMFILE'],
    ]
    if (spawnSync(wrap[0], [...wrap.slice(1), 'true']).status !== 0) {
      t.skip('strace cannot trace here')
      return
    }
    const node = await startNode(t, {
      files: { 'a.txt': 'old' },
      config: { statCache: { engine: 'inotify', ttlMillis: TTL_MS } },
      wrap,
    })
    await learn(node, ['/a.txt'])
    writeFileSync(join(node.root, 'a.txt'), 'changed')
    await showsWithin(node, '/a.txt', says('changed'), TTL_MS)
    await until(async () => (await node.status()).gauges.loopsUnwatched === 2, 'it says so')
    assert.equal(node.log.match(/folders can't be watched/g).length, 1)
  })

  test('what is not changed is not asked for again, however many files', async (t) => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`d${i % 5}/${i}.txt`, `${i}`]),
    )
    const node = await startNode(t, {
      files,
      config: {
        workers: 1,
        limits: { keepAliveRequests: 1_000_000 },
        statCache: { engine: 'inotify', ttlMillis: 1000 },
      },
    })
    const targets = Object.keys(files).map((name) => `/${name}`)
    await learn(node, targets)
    await until(async () => (await node.status()).gauges.folderWatches === 6, 'six watches')
    const misses = await node.counter('cacheMisses')
    const client = await RawClient.connect(node.port)
    const end = Date.now() + 2500
    while (Date.now() < end)
      for (const target of targets) {
        client.send(request(target))
        await client.response()
      }
    client.close()
    assert.equal(await node.counter('cacheMisses'), misses)
  })
})
