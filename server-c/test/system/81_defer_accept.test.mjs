// SPDX-License-Identifier: MIT
// deferAccept: the kernel keeps who says nothing, and the node sees who speaks.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha' }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

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
