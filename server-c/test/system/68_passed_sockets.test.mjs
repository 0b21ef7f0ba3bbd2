// SPDX-License-Identifier: MIT
// Sockets that a service manager has opened (systemd's socket activation).
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { joinNodeFor } from '../support/joined-node.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { get, LOOPBACK, RawClient, request } from '../support/raw.mjs'

/** Begins the process as systemd does, with descriptors from 3 on; `first` is done before. */
const passing = (fds, first = ':') => ({
  passed: fds,
  wrap: ['sh', '-c', `${first}; LISTEN_FDS=${fds.length} LISTEN_PID=$$ exec "$@"`, 'sh'],
})

/** Listens as a service manager would. Close it before clients come: Node.js accepts, too. */
async function listen(t, options) {
  const server = net.createServer()
  server.listen(options)
  await once(server, 'listening')
  t.after(() => server.close())
  return { server, fd: server._handle.fd, port: server.address().port }
}

const files = { 'a.txt': 'alpha' }

test('a passed socket is served, by every loop, and survives reloads and the process', async (t) => {
  const { server, fd, port } = await listen(t, { host: LOOPBACK, port: 0 })
  const config = { workers: 3, listen: [{ address: LOOPBACK, port }] }
  const go = join(tempFolder(t), 'go') // until then the socket is only held
  const waits = `until [ -e ${go} ]; do sleep 0.05; done`
  const next = startNode(t, { files, config, ...passing([fd], waits) })
  const first = await startNode(t, { files, config, ...passing([fd]) })
  server.close()
  assert.match(first.log, /info its socket is the service manager's/)
  const clients = Array.from({ length: 60 }, () => get(port, '/a.txt'))
  for (const { text } of await Promise.all(clients)) assert.equal(text, 'alpha')

  assert.ok(await first.reload({ ...first.config, workers: 1 }))
  assert.equal((await get(port, '/a.txt')).text, 'alpha')
  const other = [...first.config.listen, { address: LOOPBACK, port: 0 }]
  assert.ok(await first.reload({ ...first.config, listen: other }))
  assert.equal((await get(port, '/a.txt')).text, 'alpha')

  // Taken from "listen" and put back: the socket stays, and says so.
  assert.ok(await first.reload({ ...first.config, listen: [{ address: LOOPBACK, port: 0 }] }))
  assert.match(first.log, new RegExp(`warn .*passed 127.0.0.1:${port}, and "listen" has nothing`))
  assert.ok(await first.reload(first.config))
  assert.equal((await get(port, '/a.txt')).text, 'alpha')
  assert.equal(await first.stop(), 0)

  // Nobody accepts now, and nobody is turned away: who comes is served by the next process.
  const early = await RawClient.connect(port)
  early.send(request('/a.txt'))
  writeFileSync(go, '')
  const second = await next
  assert.equal((await early.response()).text, 'alpha')
  early.close()
  assert.equal(await second.stop(), 0)
})

test('a passed Unix socket is served, and its name is left alone', async (t) => {
  const folder = tempFolder(t)
  const path = join(folder, 'web.sock')
  const { server, fd } = await listen(t, { path })
  renameSync(path, `${path}.kept`) // Node.js removes the name when it closes
  const config = { listen: [{ socket: path }, { address: LOOPBACK, port: 0 }] }
  const node = await startNode(t, { files, config, ...passing([fd]) })
  server.close()
  renameSync(`${path}.kept`, path)
  const client = new RawClient(net.connect(path))
  client.send(request('/a.txt'))
  assert.equal((await client.response()).text, 'alpha')
  client.close()
  assert.equal(await node.stop(), 0)
  assert.ok(statSync(path).isSocket())
})

test('run serves it, too, and the process that follows a crash', async (t) => {
  const { control, node } = await joinNodeFor(t)
  const { server, fd, port } = await listen(t, { host: LOOPBACK, port: 0 })
  node.port = port
  node.start({}, passing([fd]))
  server.close()
  control.assign(node.config('v1'))
  await node.untilVersion('v1')
  await until(() => /its socket is the service manager's/.test(node.log), 'the log')
  const crashed = node.servingPid
  process.kill(crashed, 'SIGKILL')
  await until(() => node.servingPid && node.servingPid !== crashed, 'another process')
  await node.untilVersion('v1')
  assert.equal(await node.stop(), 0)
})

test('what is passed and can not be used is said', async (t) => {
  const folder = tempFolder(t)
  const { fd, port } = await listen(t, { host: '::', port: 0 })
  const path = join(folder, 'node.json')
  const run = (listens, { stdio = [fd], before = 'LISTEN_FDS=1 LISTEN_PID=$$' } = {}) => {
    const config = { listen: listens, sites: [{ hosts: ['*'], root: folder }] }
    writeFileSync(path, JSON.stringify(config))
    const words = ['-c', `${before} exec "$@"`, 'sh', nodeBinary, 'serve', '--config', path]
    return spawnSync('sh', words, {
      stdio: ['ignore', 'pipe', 'pipe', ...stdio],
      encoding: 'utf8',
      timeout: 5000,
    })
  }
  for (const address of ['::', '0.0.0.0']) {
    const { status, stderr } = run([{ address, port }])
    assert.equal(status, 1)
    assert.match(stderr, /address_unavailable: .*BindIPv6Only=ipv6-only/)
  }
  // Meant for another process: the port is somebody else's.
  const { status, stderr } = run([{ address: '::', port }], { before: 'LISTEN_FDS=1 LISTEN_PID=1' })
  assert.equal(status, 1)
  assert.match(stderr, /port_in_use/)

  const file = openSync('/dev/null')
  t.after(() => closeSync(file))
  const node = await startNode(t, { files, ...passing([fd, file]) })
  await until(() => /passed descriptor 4, which is no listening stream socket/.test(node.log), '4')
  assert.match(node.log, new RegExp(`passed \\[::\\]:${port}, and "listen" has nothing there`))
  assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
})
