// SPDX-License-Identifier: MIT
// How handshakes and connections over TLS fail.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { describe, test } from 'node:test'
import { ask, start } from '../support/example-over-tls.mjs'
import { until } from '../support/node.mjs'
import { exchange, LOOPBACK, RawClient } from '../support/raw.mjs'
import { failures, handshakes, refusal, tlsClient } from '../support/tls-node.mjs'

/** What a client's first flight is. */
async function firstFlight(t, options) {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  const client = net.connect(server.address().port, LOOPBACK)
  const [peer] = await once(server, 'connection')
  const { connect } = await import('node:tls')
  connect({ socket: client, servername: 'a.example', ...options }).on('error', () => {})
  const [bytes] = await once(peer, 'data')
  peer.destroy()
  return bytes
}

/** Waits until as many are counted: a client may hear of one a moment before. */
async function untilFailures(node, labels, wanted) {
  await until(
    async () => (await failures(node, labels)) >= wanted,
    `${wanted} of ${JSON.stringify(labels)}`,
  )
  assert.equal(await failures(node, labels), wanted)
}

test('a client that goes away anywhere in its hello, or spoils it, leaves nothing behind', async (t) => {
  const { node, ca } = await start(t)
  const hello = await firstFlight(t)
  for (let cut = 0; cut <= hello.length; cut += 7) {
    const client = await RawClient.connect(node.tlsPort)
    client.send(hello.subarray(0, cut))
    if (cut % 2) client.socket.end()
    else client.socket.resetAndDestroy()
    client.socket.on('close', () => client.close())
  }
  for (let at = 0; at < hello.length; at += 5) {
    const spoilt = Buffer.from(hello)
    spoilt[at] ^= 0xff
    const client = await RawClient.connect(node.tlsPort)
    client.send(spoilt)
    client.socket.end()
    await client.closed().catch(() => {})
    client.close()
  }
  await until(
    async () => (await node.status()).gauges.openConnections === 0,
    'all connections to be gone',
  )
  const client = await tlsClient(node.tlsPort, { ca })
  client.send(ask('/a.txt'))
  assert.equal((await client.response()).text, 'alpha')
  client.close()
})

describe('failures', { concurrency: 3 }, () => {
  test('a request without TLS is told to come with it', async (t) => {
    const { node } = await start(t)
    const answer = await exchange(node.tlsPort, ask('/'))
    assert.equal(answer.status, 400)
    assert.match(answer.text, /speaks HTTPS/)
    await untilFailures(node, { reason: 'plainHttp' }, 1)
    await node.untilEnds('handshake', 1)
  })

  test('they are counted by alert, and by who sent it', async (t) => {
    const { node, ca } = await start(t)
    const before = await handshakes(node)
    assert.notEqual(await refusal(node.tlsPort, {}), 'none') // does not trust the authority
    await until(
      async () => (await failures(node, { from: 'client' })) > 0,
      'the alert of the client',
    )
    assert.notEqual(await refusal(node.tlsPort, { ca, ALPNProtocols: ['imap'] }), 'none')
    await untilFailures(node, { from: 'node', reason: 'no_application_protocol' }, 1)
    assert.notEqual(
      await refusal(node.tlsPort, { ca, ciphers: 'AES128-SHA', maxVersion: 'TLSv1.2' }),
      'none',
    )
    await untilFailures(node, { from: 'node', reason: 'handshake_failure' }, 1)
    assert.ok((await handshakes(node)) >= before)
    const alerts = (await failures(node)) - (await failures(node, { reason: 'clientGone' }))
    await node.untilCounter('tlsHandshakeFailures', alerts)
    await node.untilCounter('tlsHandshakes', await handshakes(node))
    const text = await (await node.admin('/metrics')).text()
    assert.match(
      text,
      /^farmstead_tls_handshake_failures_total\{reason="no_application_protocol",from="node"\} 1$/m,
    )
    assert.match(
      text,
      /^farmstead_tls_handshakes_total\{protocol="TLSv1.3",cipher="TLS_AES_128_GCM_SHA256",resumed="false"\} \d+$/m,
    )
  })

  test('a handshake that is not over in headerSeconds is', async (t) => {
    const { node } = await start(t, { config: { limits: { headerSeconds: 1 } } })
    const hello = await firstFlight(t)
    const silent = await RawClient.connect(node.tlsPort)
    const half = await RawClient.connect(node.tlsPort)
    const hangs = await RawClient.connect(node.tlsPort)
    half.send(hello.subarray(0, 60))
    hangs.send(hello)
    await Promise.all([silent.closed(), half.closed(), hangs.closed()])
    await node.untilEnds('silent', 1)
    await node.untilEnds('handshake', 2)
    await untilFailures(node, { reason: 'timeOut' }, 2)
    for (const client of [silent, half, hangs]) client.close()
  })

  test('a full node does not write a plain answer into TLS', async (t) => {
    const { node, ca } = await start(t, { config: { limits: { connections: 2 } } })
    const busy = [await tlsClient(node.tlsPort, { ca }), await tlsClient(node.tlsPort, { ca })]
    for (const client of busy) client.send(ask('/large.bin').repeat(40))
    // Both have an answer under way: who only idled would make room.
    await until(() => busy.every(({ received }) => received > 0), 'the first bytes')
    for (const client of busy) client.socket.pause()
    const refused = await RawClient.connect(node.tlsPort)
    refused.send(await firstFlight(t))
    const bytes = await refused.closed().catch(() => Buffer.alloc(0))
    assert.doesNotMatch(bytes.toString('latin1'), /HTTP/)
    await node.untilCounter('refused', 1)
    for (const client of [...busy, refused]) client.close()
  })

  test('a client that takes nothing is given up, and does not cost more than its buffers', async (t) => {
    const { node, ca } = await start(t, {
      config: { limits: { writeSeconds: 2, keepAliveRequests: 1000 } },
    })
    const client = await tlsClient(node.tlsPort, { ca })
    client.socket.pause()
    client.send(ask('/large.bin').repeat(40))
    await node.untilEnds('slowClient', 1)
    client.close()
  })

  test('records that were changed on the way end the connection with an alert', async (t) => {
    const { node, ca } = await start(t)
    let spoil = false
    const server = net.createServer((near) => {
      const far = net.connect(node.tlsPort, LOOPBACK)
      near.on('data', (bytes) => {
        if (spoil) bytes[bytes.length - 1] ^= 1
        far.write(bytes)
      })
      far.pipe(near)
      near.on('error', () => {})
      far.on('error', () => {})
    })
    await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
    t.after(() => server.close())
    const client = await tlsClient(server.address().port, { ca })
    client.send(ask('/a.txt'))
    assert.equal((await client.response()).text, 'alpha')
    spoil = true
    client.send(ask('/a.txt'))
    await assert.rejects(client.response(), /alert|bad record/i)
    client.close()
  })
})
