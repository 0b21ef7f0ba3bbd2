// SPDX-License-Identifier: MIT
// Certificates whose keys sign slowly (RSA of more than 2048 bits): another thread signs, while the event loop serves who is
// connected.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { until } from '../support/node.mjs'
import { Authority } from '../support/pki.mjs'
import { RawClient } from '../support/raw.mjs'
import {
  answered,
  ask,
  closeAll,
  files,
  greet,
  MANY,
  serves,
  start,
  VERSIONS,
} from '../support/slow-signatures.mjs'
import {
  authorities,
  connectTls,
  failures,
  handshakes,
  startTlsNode,
  tlsClient,
} from '../support/tls-node.mjs'

test('who is connected is answered while many handshakes are under way', async (t) => {
  const { node, ca } = await start(t)
  const kept = await tlsClient(node.tlsPort, { ca })
  const requests = 20
  // Signed on the event loop there would be one between any two requests, each time. On a busy machine a round may be so
  // slow that the other thread has signed as many: it says nothing.
  for (let signed = requests, round = 1; signed >= requests; round++) {
    assert.ok(round < 10, `${signed} were signed meanwhile, again and again`)
    const clients = await greet(t, node)
    for (let i = 0; i < requests; i++) {
      kept.send(ask())
      assert.equal((await kept.response()).text, 'alpha')
    }
    signed = answered(clients)
    await until(() => answered(clients) === MANY)
    closeAll(clients)
  }
  kept.close()
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
