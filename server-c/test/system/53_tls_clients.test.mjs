// SPDX-License-Identifier: MIT
// Clients of TLS that servers have stumbled over: large hellos and small records, names in odd forms, floods
// that cost a server more than the client, ends in the middle, and sessions that are taken elsewhere.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { until } from '../support/node.mjs'
import { Authority } from '../support/pki.mjs'
import { LOOPBACK, RawClient, request } from '../support/raw.mjs'
import { authorities, connectTls, refusal, startTlsNode, tlsClient } from '../support/tls-node.mjs'

const LARGE = Buffer.alloc(3_000_000, 'farm')
const files = { 'a.txt': 'alpha', 'large.bin': LARGE }
const VERSIONS = [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]

async function start(t, options = {}) {
  const { root, intermediate } = authorities(t)
  const certificate = intermediate.issue(['a.example', LOOPBACK])
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['a.example', '*'], certificates: [certificate] }],
    files,
    ...options,
  })
  return { node, ca: root.pem }
}

const ask = (target, host = 'a.example') => request(target, { host })

async function serves(node, options) {
  const client = await tlsClient(node.tlsPort, options)
  client.send(ask('/a.txt'))
  assert.equal((await client.response()).text, 'alpha')
  client.close()
}

// --- hellos --------------------------------------------------------------------------------------

/** What a client says first, without its record's head: a message of the handshake. */
async function hello(t, options) {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  const client = net.connect(server.address().port, LOOPBACK)
  const [peer] = await once(server, 'connection')
  tls.connect({ socket: client, servername: 'a.example', ...options }).on('error', () => {})
  const [bytes] = await once(peer, 'data')
  peer.destroy()
  return bytes.subarray(5)
}

const uint16 = (number) => Buffer.from([number >> 8, number & 255])
const counted = (bytes) => Buffer.concat([uint16(bytes.length), bytes])

/**
 * As browsers have it: values that nobody knows (RFC 8701), and the share of a group against quantum computers,
 * which makes it too long for one packet.
 */
function asOfBrowsers(message) {
  let at = 4 + 2 + 32
  at += 1 + message[at]
  const head = message.subarray(4, at)
  const ciphersEnd = at + 2 + message.readUInt16BE(at)
  const ciphers = counted(Buffer.concat([uint16(0x2a2a), message.subarray(at + 2, ciphersEnd)]))
  const compression = message.subarray(ciphersEnd, ciphersEnd + 2)
  const extensions = [Buffer.concat([uint16(0x4a4a), counted(Buffer.alloc(0))])]
  for (at = ciphersEnd + 4; at < message.length; at += 4 + message.readUInt16BE(at + 2)) {
    const type = message.readUInt16BE(at)
    let value = message.subarray(at + 4, at + 4 + message.readUInt16BE(at + 2))
    if (type === 10)
      value = counted(Buffer.concat([uint16(0x6a6a), uint16(0x11ec), value.subarray(2)]))
    if (type === 51)
      value = counted(
        Buffer.concat([
          ...[uint16(0x6a6a), counted(Buffer.alloc(1))],
          ...[uint16(0x11ec), counted(Buffer.alloc(1216, 7))],
          value.subarray(2),
        ]),
      )
    extensions.push(Buffer.concat([uint16(type), counted(value)]))
  }
  extensions.push(Buffer.concat([uint16(0x8a8a), counted(Buffer.alloc(1))]))
  const body = Buffer.concat([head, ciphers, compression, counted(Buffer.concat(extensions))])
  return Buffer.concat([Buffer.from([1, 0]), counted(body)])
}

const record = (type, bytes) => Buffer.concat([Buffer.from([type, 3, 1]), counted(bytes)])

function records(message, size) {
  const all = []
  for (let at = 0; at < message.length; at += size)
    all.push(record(22, message.subarray(at, at + size)))
  return all
}

/** The types of the node's first record and of the message in it; or of its alert. */
async function reply(node, pieces) {
  const client = await RawClient.connect(node.tlsPort)
  client.socket.setNoDelay(true)
  for (const piece of pieces) {
    client.send(piece)
    await new Promise(setImmediate)
  }
  if (client.received < 6 && !client.ended)
    await new Promise((resolve) => {
      client.changed = () => (client.received >= 6 || client.ended) && resolve()
    })
  const bytes = Buffer.concat(client.chunks)
  client.close()
  return bytes.length < 6 ? 'nothing' : `${bytes[0]} ${bytes[5]}`
}

const SERVER_HELLO = '22 2'

test('hellos of browsers, in one piece and in many', async (t) => {
  const { node } = await start(t)
  for (const options of [{ minVersion: 'TLSv1.3' }, {}, { maxVersion: 'TLSv1.2' }]) {
    const plain = await hello(t, options)
    const large = asOfBrowsers(plain)
    if (!options.maxVersion) assert.ok(large.length > 1460)
    for (const message of [plain, large])
      for (const size of [16_384, 100, 7, 1])
        assert.equal(await reply(node, records(message, size)), SERVER_HELLO, `${size}`)
    const whole = record(22, large)
    for (const cut of [1, 4, 5, 9, 200, 1400])
      assert.equal(await reply(node, [whole.subarray(0, cut), whole.subarray(cut)]), SERVER_HELLO)
  }
})

test('a hello that says it is endless is refused, before it has come', async (t) => {
  const { node, ca } = await start(t)
  const message = Buffer.concat([Buffer.from([1, 0x7f, 0xff, 0xff]), Buffer.alloc(20_000, 3)])
  assert.match(await reply(node, records(message, 8000)), /^21 /)
  await serves(node, { ca })
})

test('a client whose group is not ours is asked for another, and may then still resume', async (t) => {
  const { node, ca } = await start(t)
  const options = { ca, minVersion: 'TLSv1.3', ecdhCurve: 'P-521:P-384' }
  const socket = await connectTls(node.tlsPort, options)
  const client = new RawClient(socket)
  client.send(ask('/a.txt'))
  assert.equal((await client.response()).text, 'alpha')
  const session = await socket.ticket
  client.close()
  const again = await connectTls(node.tlsPort, { ...options, session })
  assert.equal(again.isSessionReused(), true)
  again.destroy()
})

// Of the machine's own package, which is the library's, too.
const [, ...OPENSSL] = /OpenSSL (\d+)\.(\d+)/.exec(
  execFileSync('openssl', ['version'], { encoding: 'utf8' }),
)
const hasHybrid = Number(OPENSSL[0]) * 100 + Number(OPENSSL[1]) >= 305

test('X25519 with ML-KEM is what both like best where the library has it (OpenSSL 3.5), and missed by nobody where not', async (t) => {
  const { node, ca } = await start(t)
  const options = { ca, minVersion: 'TLSv1.3' }
  for (const [ecdhCurve, group] of [
    ['X25519MLKEM768:X25519', hasHybrid ? 'X25519MLKEM768' : 'X25519'],
    ['X25519', 'X25519'],
    ['P-256', 'prime256v1'],
  ]) {
    const socket = await connectTls(node.tlsPort, { ...options, ecdhCurve })
    assert.equal(socket.getEphemeralKeyInfo().name, group, ecdhCurve)
    const client = new RawClient(socket)
    client.send(ask('/a.txt'))
    assert.equal((await client.response()).text, 'alpha')
    client.close()
  }
  const alone = refusal(node.tlsPort, { ...options, ecdhCurve: 'X25519MLKEM768' })
  assert.match(String(await alone), hasHybrid ? /^undefined$/ : /HANDSHAKE_FAILURE/)
})

test('names in odd forms get an answer', async (t) => {
  const { node, ca } = await start(t)
  for (const servername of [
    ...['a.example.', 'A.EXAMPLE', LOOPBACK, '::1', 'under_score.example', 'localhost'],
    ...['.', '*.example', `${'x'.repeat(63)}.`.repeat(3) + 'x'.repeat(60), 'xn--bcher-kva.example'],
  ])
    await serves(node, { ca, servername })
})

// --- floods --------------------------------------------------------------------------------------

test('warnings, empty records and changes of cipher without end are not waited for', async (t) => {
  const { node, ca } = await start(t)
  const message = await hello(t)
  const floods = {
    'warnings before a hello': [
      ...Array(200).fill(record(21, Buffer.from([1, 90]))),
      ...records(message, 9999),
    ],
    'empty records': Array(200).fill(record(22, Buffer.alloc(0))),
    'warnings in a handshake': [
      ...records(message, 9999),
      ...Array(200).fill(record(21, Buffer.from([1, 90]))),
    ],
    'changes of cipher': [
      ...records(message, 9999),
      ...Array(2000).fill(record(20, Buffer.from([1]))),
    ],
    'bytes of no protocol': Array(200).fill(record(24, Buffer.alloc(100))),
  }
  for (const [name, flood] of Object.entries(floods)) {
    const client = await RawClient.connect(node.tlsPort)
    client.send(Buffer.concat(flood))
    await client.closed().catch((reason) => assert.equal(reason?.code, 'ECONNRESET', name))
    client.close()
  }
  await until(
    async () => (await node.status()).gauges.openConnections === 0,
    'all connections to be gone',
  )
  await serves(node, { ca })
})

test('a client that wants to negotiate again is refused', async (t) => {
  const { node, ca } = await start(t)
  const socket = await connectTls(node.tlsPort, { ca, maxVersion: 'TLSv1.2' })
  const error = await new Promise((resolve) => {
    socket.on('error', resolve)
    socket.renegotiate({}, resolve)
  })
  assert.match(String(error), /renegotiation/i)
  socket.destroy()
  await serves(node, { ca })
})

// --- ends ----------------------------------------------------------------------------------------

for (const versions of VERSIONS)
  test(`${Object.values(versions)}: who has said that nothing follows gets the whole answer`, async (t) => {
    const { node, ca } = await start(t)
    const client = await tlsClient(node.tlsPort, { ca, ...versions })
    client.socket.end(ask('/a.txt') + ask('/large.bin'))
    assert.equal((await client.response()).text, 'alpha')
    assert.ok((await client.response()).body.equals(LARGE))
    await client.closed()
    assert.equal(client.error, null)
  })

/** A proxy that does not pass on that the client has closed. Returns its port. */
async function deafToEnds(t, port) {
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect(port, LOOPBACK)
    near.pipe(far, { end: false })
    far.pipe(near)
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  return server.address().port
}

test('close_notify in the packet of the last request ends the connection, too', async (t) => {
  const { node, ca } = await start(t)
  const port = await deafToEnds(t, node.tlsPort)
  for (const versions of VERSIONS) {
    const client = await tlsClient(port, { ca, ...versions })
    client.send(ask('/a.txt'))
    await client.response()
    const startedAt = Date.now()
    client.socket.cork()
    client.socket.write(ask('/a.txt'))
    client.socket.end()
    client.socket.uncork()
    assert.equal((await client.response()).text, 'alpha')
    await client.closed()
    assert.ok(Date.now() - startedAt < 4000, 'it was not waited for')
  }
})

// --- sessions ------------------------------------------------------------------------------------

test('a resumed session is of the site that the client names, for whoever asks for certificates', async (t) => {
  const { root, intermediate, folder } = authorities(t)
  const people = new Authority(folder, 'people')
  const { chainFile, keyFile } = people.issue(['anna'])
  const certificate = intermediate.issue(['a.example', 'club.example'])
  const node = await startTlsNode(t, {
    files,
    sites: [
      {
        hosts: ['a.example'],
        certificates: [certificate],
        clientCertificates: { mode: 'required', caFile: root.pemFile },
      },
      {
        hosts: ['club.example'],
        certificates: [certificate],
        clientCertificates: { mode: 'required', caFile: people.pemFile },
      },
    ],
  })
  for (const versions of VERSIONS) {
    const options = {
      ca: root.pem,
      cert: readFileSync(chainFile),
      key: readFileSync(keyFile),
      servername: 'club.example',
      ...versions,
    }
    const first = await connectTls(node.tlsPort, options)
    const client = new RawClient(first)
    client.send(ask('/a.txt', 'club.example'))
    assert.equal((await client.response()).status, 200)
    const session = await first.ticket
    client.close()
    const again = await tlsClient(node.tlsPort, { ...options, session })
    assert.equal(again.socket.isSessionReused(), true)
    again.send(ask('/a.txt', 'club.example'))
    assert.equal((await again.response()).status, 200)
    // The default site, whose authorities have never seen this client.
    again.send(ask('/a.txt', 'a.example'))
    assert.equal((await again.response()).status, 421)
    again.close()
  }
})
