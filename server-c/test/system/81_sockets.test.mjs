// SPDX-License-Identifier: MIT
// Listening: Unix sockets, and reloads that move an address while clients come.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha', 'big.bin': Buffer.alloc(4 << 20, 'x') }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function getAt(path, target = '/a.txt') {
  const client = await RawClient.connect(undefined, { path, port: undefined, host: undefined })
  client.send(request(target))
  const response = await client.response()
  client.close()
  return response
}

const withSocket = (node, socket, more = {}) => ({
  ...node.config,
  listen: [...node.config.listen, { socket, ...more }],
})

test('a Unix socket serves beside a port, with its mode, and is gone after the stop', async (t) => {
  const socket = join(tempFolder(t), 'http.sock')
  const node = await startNode(t, {
    files,
    config: {
      workers: 3,
      listen: [
        { address: '127.0.0.1', port: 0 },
        { socket, socketMode: '0620' },
      ],
    },
  })
  await node.logLine(`listening on unix:${socket}\n`)
  assert.equal(lstatSync(socket).mode & 0o777, 0o620)
  assert.ok(lstatSync(socket).isSocket())
  const answers = await Promise.all(Array.from({ length: 50 }, () => getAt(socket)))
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, 'alpha'])
  assert.equal((await getAt(socket, '/big.bin')).body.length, 4 << 20)
  assert.equal((await get(node.port, '/a.txt')).status, 200)
  assert.equal(await node.stop(), 0)
  assert.ok(!existsSync(socket))
})

test('the access log shows a Unix peer, and no limit per address counts it', async (t) => {
  const folder = tempFolder(t)
  const socket = join(folder, 's')
  const path = join(folder, 'access.log')
  await startNode(t, {
    files,
    config: {
      listen: [{ address: '127.0.0.1', port: 0 }, { socket }],
      accessLog: { path, format: 'combined' },
      limits: { connectionsPerAddress: 1 },
    },
  })
  const open = await Promise.all([1, 2, 3].map(() => RawClient.connect(0, { path: socket })))
  for (const client of open) {
    client.send(request('/a.txt'))
    assert.equal((await client.response()).status, 200)
  }
  for (const client of open) client.close()
  const lines = await until(() => {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return text.split('\n').length > 3 && text
  }, 'three lines')
  for (const line of lines.trim().split('\n')) assert.match(line, /^unix: - - \[/)
})

test('a reload keeps a Unix socket, changes its mode, adds and removes one', async (t) => {
  const folder = tempFolder(t)
  const [a, b] = [join(folder, 'a.sock'), join(folder, 'b.sock')]
  const node = await startNode(t, {
    files,
    config: { listen: [{ address: '127.0.0.1', port: 0 }, { socket: a }] },
  })
  const { ino } = lstatSync(a)
  const client = await RawClient.connect(0, { path: a })
  assert.ok(await node.reload({ ...withSocket(node, b), workers: 3 }))
  assert.equal(lstatSync(a).ino, ino)
  assert.equal((await getAt(b)).status, 200)
  assert.ok(await node.reload({ ...node.config, listen: [node.config.listen[0], { socket: a }] }))
  assert.ok(!existsSync(b))
  assert.equal((await getAt(a)).status, 200)
  const listen = [node.config.listen[0], { socket: a, socketMode: '0666' }]
  assert.ok(await node.reload({ ...node.config, listen }))
  assert.equal(lstatSync(a).mode & 0o777, 0o666)
  client.send(request('/a.txt'))
  assert.equal((await client.response()).status, 200)
  client.close()
})

test('a dead socket is replaced, a live one and other files are not', async (t) => {
  const folder = tempFolder(t)
  const [dead, live, file] = ['dead', 'live', 'file'].map((name) => join(folder, name))
  const owner = spawn(
    process.execPath,
    [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(dead)}, () => console.log('up'))`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(owner.stdout, 'data')
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  assert.ok(existsSync(dead))
  writeFileSync(file, 'mine')
  const other = net.createServer().listen(live)
  await once(other, 'listening')
  t.after(() => other.close())
  const node = await startNode(t, { files })
  assert.equal(await node.reload(withSocket(node, live)), false)
  await node.logLine(/port_in_use: .*(another process listens there|in use by another program)/)
  assert.equal(await node.reload(withSocket(node, file)), false)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
  assert.equal(await node.reload(withSocket(node, join(folder, 'none/x'))), false)
  assert.ok(await node.reload(withSocket(node, dead)))
  assert.equal((await getAt(dead)).status, 200)
  assert.ok(other.listening && existsSync(live))
})

test('somebody else took the name meanwhile: it is not removed', async (t) => {
  const socket = join(tempFolder(t), 'x.sock')
  const node = await startNode(t, { files })
  assert.ok(await node.reload(withSocket(node, socket)))
  rmSync(socket)
  const other = net.createServer().listen(socket)
  await once(other, 'listening')
  t.after(() => other.close())
  assert.equal(await node.stop(), 0)
  assert.ok(existsSync(socket))
})

test('a long path works, a Unix socket alone, too', async (t) => {
  const folder = tempFolder(t)
  const socket = join(folder, 'x'.repeat(106 - folder.length))
  writeFileSync(join(folder, 'a.txt'), 'alpha')
  const path = join(folder, 'c.json')
  writeFileSync(
    path,
    JSON.stringify({ listen: [{ socket }], sites: [{ hosts: ['*'], root: folder }] }),
  )
  const child = spawn(nodeBinary, ['serve', '--config', path], { stdio: 'ignore' })
  t.after(() => child.kill())
  await until(() => existsSync(socket), 'the socket')
  assert.equal((await getAt(socket)).text, 'alpha')
  chmodSync(folder, 0o755)
})

for (const deferAccept of ['never', 'always'])
  test(`a reload moves an address on the same port and fails no request that was begun, deferAccept ${deferAccept}`, async (t) => {
    const port = await freePort()
    const node = await startNode(t, {
      files,
      config: { listen: [{ address: '127.0.0.1', port, deferAccept }] },
    })
    const at = (address) => ({ ...node.config, listen: [{ address, port, deferAccept }] })
    let going = true
    const results = { ok: 0, inHandshake: 0, failed: [] }
    const clients = Array.from({ length: 4 }, async () => {
      while (going) {
        try {
          const { status } = await get(port, '/a.txt')
          assert.equal(status, 200)
          results.ok++
        } catch (error) {
          // Linux knows a handshake by the socket it was begun with: when that is closed before the
          // client's last packet is there, the client is reset (docs/running-a-node.md).
          if (/^Error: connect ECONNRESET/.test(String(error))) results.inHandshake++
          else results.failed.push(String(error))
        }
      }
    })
    for (const address of ['0.0.0.0', '127.0.0.1', '0.0.0.0', '127.0.0.1']) {
      assert.ok(await node.reload(at(address)), node.log)
      await sleep(200)
    }
    going = false
    await Promise.all(clients)
    assert.deepEqual(results.failed, [])
    assert.ok(results.inHandshake <= 4, `${results.inHandshake} were reset in their handshake`)
    assert.ok(results.ok > 20, `${results.ok} requests`)
  })

// The kernel holds a silent connection back for a second: less is left to see it in.
const HELD_MS = 700

const deferringOf = async (node) => (await node.status()).gauges.listenersDeferring
const countOf = async (node) => (await node.status()).gauges.openConnections

/** A connection that says nothing; fails when the node knows of it at once. */
async function heldBack(node) {
  const before = await countOf(node)
  const since = performance.now()
  const client = await RawClient.connect(node.port)
  const count = await countOf(node)
  if (performance.now() - since < HELD_MS) assert.equal(count, before)
  return client
}

test('deferAccept: who says nothing is the kernel’s for a second, then in the time-outs', async (t) => {
  const node = await startNode(t, {
    files,
    config: {
      workers: 2,
      listen: [{ address: '127.0.0.1', port: 0, deferAccept: 'always' }],
      limits: { headerSeconds: 1 },
    },
  })
  const silent = await heldBack(node)
  assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
  await until(async () => (await node.counter('connections')) === 2, 'the silent one is accepted')
  await silent.closed()
  const slow = await RawClient.connect(node.port)
  slow.send('GET /a.txt HTTP/1.1\r\n')
  await until(async () => (await countOf(node)) === 1, 'one with the first bytes only')
  slow.send('Host: a\r\n\r\n')
  assert.equal((await slow.response()).text, 'alpha')
  slow.close()
})

test('deferAccept is switched on and off live, and no request fails', async (t) => {
  const port = await freePort()
  const listen = (deferAccept) => [{ address: '127.0.0.1', port, deferAccept }]
  const node = await startNode(t, { files, config: { workers: 2, listen: listen('never') } })
  const set = (deferAccept, workers = 2) =>
    node.reload({ ...node.config, workers, listen: listen(deferAccept) })
  let going = true
  const counts = [0, 0, 0, 0]
  const clients = counts.map(async (_, i) => {
    for (; going; counts[i]++) assert.equal((await get(port, '/a.txt')).status, 200)
  })
  for (const [defers, workers] of [
    ['always', 2],
    ['never', 2],
    ['always', 2],
    ['always', 3],
    ['always', 1],
  ]) {
    assert.ok(await set(defers, workers), node.log)
    const before = [...counts]
    await until(() => counts.every((count, i) => count >= before[i] + 3), 'each goes on asking')
  }
  going = false
  await Promise.all(clients)
  for (const count of counts) assert.ok(count > 5, `${count} requests`)
  await until(async () => (await countOf(node)) === 0, 'all are gone')
  const held = await heldBack(node)
  assert.ok(await set('never', 1))
  const accepted = await RawClient.connect(port)
  await until(async () => (await countOf(node)) === 2, 'both are accepted')
  for (const client of [held, accepted]) {
    client.send(request('/a.txt'))
    assert.equal((await client.response()).text, 'alpha')
    client.close()
  }
})

test('a stop waits for requests of connections that were held back', async (t) => {
  const node = await startNode(t, {
    files,
    config: { listen: [{ address: '127.0.0.1', port: 0, deferAccept: 'always' }] },
  })
  const held = await heldBack(node)
  const stopped = node.stop()
  await sleep(50)
  held.send(request('/a.txt'))
  assert.equal((await held.response()).text, 'alpha')
  await stopped
})

// Each from an address that the kernel chooses: it would run out of ports of one.
const anywhere = { from: null }

test('deferAccept "auto" is on while many connect and all speak, and off when some do not', async (t) => {
  const socket = join(tempFolder(t), 'http.sock')
  const node = await startNode(t, {
    files,
    config: { workers: 1, listen: [{ address: '127.0.0.1', port: 0 }, { socket }] },
  })
  let going = true
  const crowd = Array.from({ length: 16 }, async () => {
    while (going) assert.equal((await get(node.port, '/a.txt', anywhere)).status, 200)
  })
  await until(async () => (await deferringOf(node)) === 1, 'it defers')
  const silent = await Promise.all(
    Array.from({ length: 1000 }, () => RawClient.connect(node.port, anywhere)),
  )
  await until(async () => (await deferringOf(node)) === 0, 'it defers no more')
  going = false
  await Promise.all(crowd)
  await until(async () => (await countOf(node)) === silent.length, 'the silent are accepted')
  const late = await RawClient.connect(node.port)
  await until(async () => (await countOf(node)) === silent.length + 1, 'one more is, at once')
  for (const client of [silent[0], late]) {
    client.send(request('/a.txt'))
    assert.equal((await client.response()).text, 'alpha')
  }
  for (const client of [...silent, late]) client.close()
})
