// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { preload } from '../support/preload.mjs'
import { descriptors } from '../support/process.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const withVersion = (config, value, more = {}) => ({
  ...config,
  ...more,
  sites: config.sites.map((site) => ({
    ...site,
    headers: [{ action: 'set', name: 'X-Version', value }],
  })),
})

const FILES = {
  'small.txt': 'small'.repeat(100),
  'large.bin': Buffer.alloc(400_000, 'L'),
  'index.html': 'i',
}

/** 40 clients that ask until told to stop; some connections are kept, some are new. */
function startLoad(port, { mayResetNew = false } = {}) {
  const targets = Object.keys(FILES)
  const failures = []
  let answered = 0
  let isOver = false
  async function ask(number) {
    let client = null
    let isNew = true
    for (let i = number; !isOver; i++) {
      const name = targets[i % targets.length]
      try {
        isNew = !client || i % 7 === 0
        if (isNew) {
          client?.close()
          client = await RawClient.connect(port)
        }
        client.send(request(`/${name}`))
        const { status, body } = await client.response()
        if (status !== 200 || body.length !== FILES[name].length)
          failures.push(`${name}: ${status}, ${body.length} bytes`)
        answered++
      } catch (error) {
        client = null
        if (!(mayResetNew && isNew && error.code === 'ECONNRESET'))
          failures.push(`${name}: ${error}`)
      }
    }
    client?.close()
  }
  const clients = Promise.all(Array.from({ length: 40 }, (_, i) => ask(i)))
  return async function end() {
    isOver = true
    await clients
    assert.deepEqual(failures, [])
    assert.ok(answered > 100, `${answered} requests`)
  }
}

async function reloadThrough(node, changes, rounds) {
  for (let round = 0; round < rounds; round++)
    for (const [i, change] of changes.entries()) {
      assert.ok(await node.reload(withVersion(node.config, `${round}.${i}`, change)), node.log)
      assert.equal((await get(node.port, '/small.txt')).headers['x-version'], `${round}.${i}`)
    }
}

describe('a reload', { concurrency: 3 }, () => {
  test('a reload under load fails no request and tears none', async (t) => {
    const node = await startNode(t, { files: FILES, config: { statCache: { ttlMillis: 50 } } })
    const end = startLoad(node.port)
    // Each of them changes something else: headers, lanes, cache sizes, engine, logs.
    const changes = [
      {},
      { io: { readThreads: 8, statThreads: 1 } },
      { statCache: { engine: 'off' } },
      { statCache: { engine: 'inotify' } },
      { statCache: { engine: 'inotify', maxWatches: 2, ttlMillis: 50 } },
      { statCache: { maxEntries: 100, ttlMillis: 50 } },
      { io: { readThreads: 1, statThreads: 8 } },
      { accessLog: { path: `${node.folder}/access.log`, format: 'combined' } },
      { fileCache: { maxBytes: 0, maxFileBytes: 0 } },
    ]
    await reloadThrough(node, changes, 3)
    await end()
    const status = await node.status()
    assert.equal(status.effective.generation, 28)
    assert.equal(status.reloads, 27)
    assert.ok(status.series.length <= 4)
  })

  // A loop that goes closes its listening socket; Linux resets handshakes that chose it a moment
  // before (unless net.ipv4.tcp_migrate_req is set). No request that a loop has taken may suffer.
  test('loops come and go under load; at most a connection that was being made is reset', async (t) => {
    const node = await startNode(t, { files: FILES, config: { workers: 2 } })
    const end = startLoad(node.port, { mayResetNew: true })
    await reloadThrough(node, [{ workers: 4 }, { workers: 1 }, { workers: 3 }], 3)
    await end()
    assert.equal((await node.status()).gauges.workers, 3)
  })

  test('requests under way keep room for the long head they began under', async (t) => {
    const files = { 'a.txt': 'a' }
    const node = await startNode(t, {
      files,
      config: { statCache: { engine: 'off' }, io: { statThreads: 1, readThreads: 1 } },
    })
    const headers = Array.from({ length: 20 }, (_, i) => ({
      action: 'set',
      name: `X-Long-${i}`,
      value: 'v'.repeat(2000),
    }))
    const long = { ...node.config, sites: [{ ...node.config.sites[0], headers }] }
    const failures = []
    let stop = false
    let longHeads = 0
    async function load() {
      const client = await RawClient.connect(node.port)
      try {
        while (!stop) {
          client.send(request('/a.txt'))
          if ((await client.response()).head.length > 40_000) longHeads++
        }
      } catch (error) {
        failures.push(`${error}`)
      }
      client.close()
    }
    const clients = Promise.all(Array.from({ length: 64 }, load))
    for (let round = 0; round < 10; round++) {
      assert.ok(await node.reload(long), node.log)
      assert.ok(await node.reload(node.config), node.log)
    }
    stop = true
    await clients
    assert.deepEqual(failures, [])
    assert.ok(longHeads > 0)
  })

  test('a bad config leaves the old one serving and says why', async (t) => {
    const node = await startNode(t, { files: { 'a.txt': 'a' } })
    for (const [config, why] of [
      ['{', /config\.json:1:\d+: syntax/],
      [
        { ...node.config, sites: [{ hosts: ['*'], root: '/nonexistent' }] },
        /missing_file: "\/nonexistent"/,
      ],
      [{ ...node.config, limits: { conections: 1 } }, /unknown_key.*did you mean|unknown_key/],
      [
        { ...node.config, accessLog: { path: '/nonexistent/access.log', format: 'common' } },
        /missing_file/,
      ],
    ]) {
      assert.equal(await node.reload(config), false)
      assert.match(node.log, why)
      assert.equal((await get(node.port, '/a.txt')).text, 'a')
      assert.equal((await node.status()).effective.generation, 1)
    }
  })

  test('an equal config is no reload, only a new generation', async (t) => {
    const node = await startNode(t, { files: { 'a.txt': 'a' } })
    const before = await node.status()
    const reordered = Object.fromEntries(Object.entries(node.config).reverse())
    assert.ok(await node.reload(`// only a comment\n${JSON.stringify(reordered)}`))
    const after = await node.status()
    assert.equal(after.effective.digest, before.effective.digest)
    assert.equal(after.effective.generation, 2)
    assert.equal(after.reloads, 0)
  })

  test('a response under way ends under the config it began with', async (t) => {
    const node = await startNode(t, {
      files: { 'big.bin': Buffer.alloc(16 << 20, 'x'), 'a.txt': 'a' },
    })
    const client = await RawClient.connect(node.port)
    client.socket.once('data', () => client.socket.pause())
    client.send(request('/big.bin') + request('/a.txt'))
    await until(() => client.received > 0, 'the first bytes')
    assert.ok(await node.reload(withVersion(node.config, 'new')))
    client.socket.resume()
    const big = await client.response()
    assert.equal(big.body.length, 16 << 20)
    assert.equal(big.headers['x-version'], undefined)
    assert.equal((await client.response()).headers['x-version'], 'new')
    client.close()
    await node.untilCounter('requests', 2)
    const { series } = await node.status()
    assert.deepEqual(
      series.map((one) => [one.generation, one.counters.requests]),
      [
        [1, 1],
        [2, 1],
      ],
    )
  })

  test('addresses come and go with a reload; kept-alive connections of a removed one are served on', async (t) => {
    const node = await startNode(t, { files: { 'a.txt': 'a' } })
    const listen = { address: '127.0.0.2', port: 0 }
    const from = node.log.length
    assert.ok(await node.reload({ ...node.config, listen: [...node.config.listen, listen] }))
    const second = Number(
      (await node.logLine(/info listening on http:\/\/127\.0\.0\.2:(\d+)\n/, from))[1],
    )
    const client = await RawClient.connect(second, { host: '127.0.0.2' })
    client.send(request('/a.txt'))
    assert.equal((await client.response()).text, 'a')
    assert.equal((await get(node.port, '/a.txt')).text, 'a')
    assert.ok(await node.reload(node.config))
    await assert.rejects(RawClient.connect(second, { host: '127.0.0.2' }))
    client.send(request('/a.txt'))
    assert.equal((await client.response()).text, 'a')
    client.close()
  })

  test('a port moves between one address and all of them, and nobody else is in its way', async (t) => {
    const port = await freePort()
    const listen = (address) => ({ listen: [{ address, port }] })
    const node = await startNode(t, { files: { 'a.txt': 'a' }, config: listen('0.0.0.0') })
    for (const address of ['127.0.0.1', '0.0.0.0', '127.0.0.1']) {
      assert.ok(await node.reload({ ...node.config, ...listen(address) }), node.log)
      assert.equal((await get(port, '/a.txt')).text, 'a')
    }
    await assert.rejects(RawClient.connect(port, { host: '127.0.0.2' }))
  })

  test('a shorter idle time counts for connections that idle already', async (t) => {
    const node = await startNode(t, {
      files: { 'a.txt': 'a' },
      config: { limits: { keepAliveIdleSeconds: 3600 } },
    })
    const client = await RawClient.connect(node.port)
    client.send(request('/a.txt'))
    await client.response()
    assert.ok(await node.reload({ ...node.config, limits: { keepAliveIdleSeconds: 1 } }))
    await client.closed()
  })

  test('new types and rules take effect for files that are cached', async (t) => {
    const node = await startNode(t, {
      files: { 'a.txt': 'a' },
      config: { statCache: { ttlMillis: 60_000 } },
    })
    assert.equal(
      (await get(node.port, '/a.txt')).headers['content-type'],
      'text/plain; charset=utf-8',
    )
    assert.ok(await node.reload({ ...node.config, mimeTypes: { '.txt': 'text/x-new' } }))
    assert.equal((await get(node.port, '/a.txt')).headers['content-type'], 'text/x-new')
  })

  test('the admin listener moves with a reload', async (t) => {
    const node = await startNode(t)
    const old = node.adminPort
    const from = node.log.length
    assert.ok(await node.reload({ ...node.config, admin: { address: '127.0.0.3', port: 0 } }))
    const port = Number(
      (await node.logLine(/admin listening on http:\/\/127\.0\.0\.3:(\d+)\n/, from))[1],
    )
    assert.equal((await fetch(`http://127.0.0.3:${port}/status`)).status, 200)
    await assert.rejects(fetch(`http://127.0.0.1:${old}/status`))
  })

  test('a change of the process options waits for the next start, and the log says so', async (t) => {
    const node = await startNode(t, { files: { 'index.html': 'home' } })
    const pidFile = join(node.folder, 'node.pid')
    assert.equal(await node.reload({ ...node.config, process: { pidFile } }), true)
    await node.logLine(/"process" was changed; what it says takes effect at the next start/)
    assert.equal(existsSync(pidFile), false)
    assert.equal((await get(node.port, '/')).text, 'home')
  })

  test('a reload with an address that one event loop can not watch is none, and says so', async (t) => {
    const full = join(tempFolder(t), 'full')
    const wrap = preload('full_epoll', { FULL_EPOLL: full })
    const node = await startNode(t, { wrap, files: { 'a.txt': 'a' } })
    const before = descriptors(node.child.pid)
    const port = await freePort()
    const both = { ...node.config, listen: [...node.config.listen, { address: '127.0.0.1', port }] }
    writeFileSync(full, '')
    assert.equal(await node.reload(both), false)
    assert.match(node.log, /resource_limit: event loop \d can't watch port \d+ of 127\.0\.0\.1: /)
    // Of the loop that could, too, nothing is left.
    await assert.rejects(RawClient.connect(port))
    assert.equal(descriptors(node.child.pid), before)
    for (let i = 0; i < 20; i++) assert.equal((await get(node.port, '/a.txt')).text, 'a')
    assert.equal((await node.status()).effective.generation, 1)
    rmSync(full)
    assert.equal(await node.reload(both), true, node.log)
    for (let i = 0; i < 20; i++) assert.equal((await get(port, '/a.txt')).text, 'a')
  })

  test('a start with an address that one event loop can not watch is none', async (t) => {
    const folder = tempFolder(t)
    const full = join(folder, 'full')
    const path = join(folder, 'config.json')
    const config = { listen: [{ address: '127.0.0.1', port: 0 }], workers: 2 }
    writeFileSync(path, JSON.stringify({ ...config, sites: [{ hosts: ['*'], root: folder }] }))
    writeFileSync(full, '')
    const [command, ...args] = preload('full_epoll', { FULL_EPOLL: full })
    const started = promisify(execFile)(command, [...args, nodeBinary, 'serve', '--config', path], {
      timeout: 20_000,
    })
    const { code, stderr } = await started.catch((error) => error)
    assert.equal(code, 1, stderr)
    assert.match(stderr, /event loop 1 can't watch port 0 of 127\.0\.0\.1: /)
  })
})
