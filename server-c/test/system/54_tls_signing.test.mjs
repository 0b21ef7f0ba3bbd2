// SPDX-License-Identifier: MIT
// Certificates whose keys sign slowly (RSA of more than 2048 bits): another thread signs, while the event loop serves who is
// connected. What happens in the middle of that: other certificates, the node's end, clients that leave.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { until } from '../support/node.mjs'
import { Authority } from '../support/pki.mjs'
import { LOOPBACK, RawClient, request } from '../support/raw.mjs'
import {
  authorities,
  connectTls,
  failures,
  handshakes,
  startTlsNode,
  tlsClient,
} from '../support/tls-node.mjs'

const files = { 'a.txt': 'alpha' }
const VERSIONS = [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]
const MANY = 40
const ask = () => request('/a.txt', { host: 'a.example' })

async function start(t, { kind = 'rsa4096', site = {}, config = {} } = {}) {
  const { root, intermediate, folder } = authorities(t)
  const certificate = intermediate.issue(['a.example', LOOPBACK], { kind })
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['a.example', '*'], certificates: [certificate], ...site }],
    files,
    config: { workers: 1, ...config },
  })
  return { node, ca: root.pem, intermediate, folder }
}

async function serves(node, options) {
  const client = await tlsClient(node.tlsPort, options)
  client.send(ask())
  assert.equal((await client.response()).text, 'alpha')
  client.close()
}

/** What a client of TLS says first. */
async function hello(t) {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  const client = net.connect(server.address().port, LOOPBACK)
  const [peer] = await once(server, 'connection')
  tls.connect({ socket: client, servername: 'a.example' }).on('error', () => {})
  const [bytes] = await once(peer, 'data')
  peer.destroy()
  return bytes
}

/** Clients that have said hello and wait for an answer, which takes a signature. */
async function greet(t, node, count = MANY) {
  const bytes = await hello(t)
  const clients = await Promise.all(
    Array.from({ length: count }, () => RawClient.connect(node.tlsPort)),
  )
  for (const client of clients) client.send(bytes)
  return clients
}

const closeAll = (clients) => {
  for (const client of clients) client.close()
}

const answered = (clients) => clients.filter(({ received }) => received > 0).length

test('who is connected is answered while many handshakes are under way', async (t) => {
  const { node, ca } = await start(t)
  const kept = await tlsClient(node.tlsPort, { ca })
  const clients = await greet(t, node)
  const requests = 20
  for (let i = 0; i < requests; i++) {
    kept.send(ask())
    assert.equal((await kept.response()).text, 'alpha')
  }
  // Signed on the event loop there would be one between any two requests.
  const signed = answered(clients)
  assert.ok(signed < requests, `${signed} were signed meanwhile`)
  await until(() => answered(clients) === MANY)
  closeAll([kept, ...clients])
})

for (const kind of ['rsa', 'rsa4096'])
  test(`${kind}: many make handshakes at once, in both versions, and resume`, async (t) => {
    const { node, ca } = await start(t, { kind, config: { workers: 2 } })
    for (const versions of VERSIONS) {
      const options = { ca, ...versions }
      await Promise.all(Array.from({ length: 20 }, () => serves(node, options)))
      const socket = await connectTls(node.tlsPort, options)
      const client = new RawClient(socket)
      client.send(ask())
      assert.equal((await client.response()).text, 'alpha')
      const session = await socket.ticket
      client.close()
      const again = await tlsClient(node.tlsPort, { ...options, session })
      assert.equal(again.socket.isSessionReused(), true)
      again.send(ask())
      assert.equal((await again.response()).text, 'alpha')
      again.close()
      // The client is asked for another group, so that it says hello twice.
      await serves(node, { ...options, ecdhCurve: 'P-521:P-384' })
    }
    assert.equal(await handshakes(node, { resumed: 'false' }), 2 * 22)
    assert.equal(await handshakes(node, { resumed: 'true' }), 2)
    assert.equal(await failures(node), 0)
  })

test("clients' certificates are asked for and looked at as ever", async (t) => {
  const { root, intermediate, folder } = authorities(t)
  const people = new Authority(folder, 'people')
  const { chainFile, keyFile } = people.issue(['anna'], { kind: 'rsa' })
  const node = await startTlsNode(t, {
    files,
    sites: [
      {
        hosts: ['a.example'],
        certificates: [intermediate.issue(['a.example'], { kind: 'rsa4096' })],
        clientCertificates: { mode: 'required', caFile: people.pemFile },
      },
    ],
  })
  for (const versions of VERSIONS) {
    const options = { ca: root.pem, ...versions }
    await serves(node, { ...options, cert: readFileSync(chainFile), key: readFileSync(keyFile) })
    const without = await tlsClient(node.tlsPort, options)
    without.send(ask())
    assert.equal((await without.response()).status, 403)
    without.close()
  }
})

test('certificates that are replaced meanwhile: each handshake ends with the one it began with', async (t) => {
  const { node, ca, intermediate } = await start(t)
  const under = Array.from({ length: 20 }, () => connectTls(node.tlsPort, { ca }))
  const clients = await greet(t, node, 20)
  const { chainFile, keyFile } = intermediate.issue(['a.example'], { kind: 'ec' })
  const next = structuredClone(node.config)
  next.sites[0].certificates = [{ chainFile, keyFile }]
  assert.ok(await node.reload(next), node.log)
  for (const socket of await Promise.all(under)) socket.destroy()
  await until(() => answered(clients) === clients.length)
  closeAll(clients)
  const socket = await connectTls(node.tlsPort, { ca })
  assert.equal(socket.getPeerCertificate().asn1Curve, 'prime256v1')
  socket.destroy()
  assert.equal(await failures(node, { from: 'node' }), 0)
})

test('clients that reset their connections meanwhile are gone at once', async (t) => {
  const { node, ca } = await start(t)
  for (let round = 0; round < 3; round++) {
    const clients = await greet(t, node)
    // One is answered: hellos were heard, and are being signed for.
    await until(() => answered(clients) > 0)
    for (const client of clients) client.socket.resetAndDestroy()
    await serves(node, { ca })
  }
  await until(async () => (await node.status()).gauges.openConnections === 0)
  const { tls: counts } = await node.status()
  const gone = counts.failures.reduce((sum, { count }) => sum + count, 0)
  assert.ok(gone > 0 && gone <= 3 * MANY, `${gone}`)
})

test('clients that say hello and then nothing are closed in time', async (t) => {
  const { node } = await start(t, { config: { limits: { headerSeconds: 1 } } })
  const clients = await greet(t, node)
  await Promise.all(clients.map((client) => client.closed().catch(() => {})))
  await until(async () => (await node.status()).gauges.openConnections === 0)
  assert.equal(await failures(node), MANY)
})

test('the node ends in the middle, and nothing is lost that had begun', async (t) => {
  const { node, ca } = await start(t, { config: { limits: { headerSeconds: 2 } } })
  const kept = await tlsClient(node.tlsPort, { ca })
  const clients = await greet(t, node)
  kept.send(ask())
  const stopped = node.stop()
  assert.equal((await kept.response()).text, 'alpha')
  assert.equal(await stopped, 0)
  assert.ok(answered(clients) > 0)
})
