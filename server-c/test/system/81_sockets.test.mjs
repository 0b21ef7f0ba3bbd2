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
      const before = results.ok
      await until(() => results.ok >= before + 10, 'they go on asking')
    }
    going = false
    await Promise.all(clients)
    assert.deepEqual(results.failed, [])
    assert.ok(results.inHandshake <= 4, `${results.inHandshake} were reset in their handshake`)
  })
