// SPDX-License-Identifier: MIT
// HTTPS: what is served is the same as without, whichever way the bytes are cut; who gets which certificate;
// sessions; and how handshakes fail.
import assert from 'node:assert/strict'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import net from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/node.mjs'
import { exchange, LOOPBACK, RawClient, request } from '../support/raw.mjs'
import {
  authorities,
  connectTls,
  failures,
  handshakes,
  refusal,
  startTlsNode,
  tlsClient,
} from '../support/tls-node.mjs'

const LARGE = randomBytes(3_000_000)
const sha = (bytes) => createHash('sha256').update(bytes).digest('hex')
const files = { 'a.txt': 'alpha', 'large.bin': LARGE, 'empty.txt': '' }

/** A node with the site "a.example", and what its clients trust. */
async function start(t, { site = {}, ...options } = {}) {
  const { root, intermediate } = authorities(t)
  const certificate = intermediate.issue(['a.example', LOOPBACK])
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['a.example', '*'], certificates: [certificate], ...site }],
    files,
    ...options,
  })
  return { node, ca: root.pem, root, intermediate, certificate }
}

const ask = (target, options) => request(target, { host: 'a.example', ...options })

for (const [name, versions] of [
  ['TLS 1.3', { minVersion: 'TLSv1.3' }],
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
])
  test(`${name}: files, ranges, conditions and errors are what they are without it`, async (t) => {
    const { node, ca } = await start(t)
    const client = await tlsClient(node.tlsPort, { ca, ...versions })
    assert.equal(client.socket.alpnProtocol, 'http/1.1')
    for (const [target, options] of [
      ['/a.txt'],
      ['/large.bin'],
      ['/large.bin', { lines: ['Range: bytes=5-1000005'] }],
      ['/large.bin', { lines: ['Range: bytes=0-9,2000000-2999999'] }],
      ['/a.txt', { method: 'HEAD' }],
      ['/a.txt', { method: 'OPTIONS' }],
      ['/empty.txt'],
      ['/nothing'],
      ['/a.txt', { method: 'POST', lines: ['Content-Length: 5'], body: 'hello' }],
    ]) {
      const isHead = options?.method === 'HEAD'
      client.send(ask(target, options))
      const over = await client.response({ isHead })
      const plain = await exchange(node.port, ask(target, options), { isHead })
      const head = (answer) => ({
        ...answer.headers,
        date: '',
        'last-modified': '', // is not sent in the second in which a file was written
        'content-type': answer.headers['content-type']?.replace(/boundary=.*/, ''),
      })
      assert.equal(over.status, plain.status, target)
      assert.deepEqual(head(over), head(plain), target)
      if (!over.headers['content-type']?.startsWith('multipart'))
        assert.equal(sha(over.body), sha(plain.body), target)
      else assert.equal(over.body.length, plain.body.length)
    }
    client.close()
  })

test('a large file is whole for many clients at once, and the memory for them is given back', async (t) => {
  const { node, ca } = await start(t)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await tlsClient(node.tlsPort, { ca })
      for (let i = 0; i < 3; i++) {
        client.send(ask('/large.bin'))
        assert.equal(sha((await client.response()).body), sha(LARGE))
      }
      client.close()
    }),
  )
})

test('requests in one record, and one request in many records', async (t) => {
  const { node, ca } = await start(t)
  const client = await tlsClient(node.tlsPort, { ca })
  client.send(ask('/a.txt') + ask('/nothing') + ask('/large.bin') + ask('/empty.txt'))
  assert.equal((await client.response()).text, 'alpha')
  assert.equal((await client.response()).status, 404)
  assert.equal(sha((await client.response()).body), sha(LARGE))
  assert.equal((await client.response()).status, 200)
  client.socket.setNoDelay(true)
  for (const letter of ask('/a.txt')) client.send(letter)
  assert.equal((await client.response()).text, 'alpha')
  // More than the connection takes at a time: what is not decrypted yet is kept.
  const many = 400
  client.send(ask('/a.txt', { lines: [`X-Padding: ${'x'.repeat(300)}`] }).repeat(many))
  for (let i = 0; i < many; i++) assert.equal((await client.response()).text, 'alpha')
  client.close()
})

/** A proxy that gives each byte of the client's to the node by itself. Returns its port. */
async function byteByByte(t, port) {
  const server = net.createServer({ noDelay: true }, (near) => {
    const far = net.connect({ port, host: LOOPBACK, noDelay: true })
    near.on('data', async (bytes) => {
      near.pause()
      for (const byte of bytes) {
        far.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      near.resume()
    })
    far.pipe(near)
    near.on('close', () => far.destroy()).on('error', () => {})
    far.on('error', () => near.destroy())
  })
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  return server.address().port
}

test('handshake and request byte by byte', async (t) => {
  const { node, ca } = await start(t)
  const port = await byteByByte(t, node.tlsPort)
  for (const versions of [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]) {
    const client = await tlsClient(port, { ca, ...versions })
    client.send(ask('/large.bin'))
    assert.equal(sha((await client.response()).body), sha(LARGE))
    client.close()
  }
})

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

describe('certificates', () => {
  test('each name gets its own, by key and by name; a client without a name the default', async (t) => {
    const { root, intermediate } = authorities(t)
    const ec = intermediate.issue(['a.example', 'www.a.example'])
    const rsa = intermediate.issue(['a.example'], { kind: 'rsa' })
    const second = intermediate.issue(['b.example', '*.b.example'])
    const third = intermediate.issue(['c.b.example'])
    const node = await startTlsNode(t, {
      files,
      sites: [
        { hosts: ['b.example', '*.b.example'], certificates: [third, second] },
        { hosts: ['a.example', 'www.a.example'], certificates: [ec, rsa] },
        { hosts: ['plain.example'] },
      ],
      config: { workers: 1 },
    })
    const shown = async (servername, options = {}) => {
      const socket = await connectTls(node.tlsPort, { ca: root.pem, servername, ...options })
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      return `${certificate.publicKey.asymmetricKeyType} ${certificate.subject.slice(3)}`
    }
    for (const [servername, want, options] of [
      ['a.example', 'ec a.example'],
      ['A.EXAMPLE', 'ec a.example'],
      ['a.example', 'rsa a.example', { sigalgs: 'rsa_pss_rsae_sha256' }],
      [
        'a.example',
        'rsa a.example',
        { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
      ],
      ['www.a.example', 'ec a.example'],
      ['b.example', 'ec b.example'],
      ['x.b.example', 'ec b.example'],
      ['c.b.example', 'ec c.b.example'],
      ['plain.example', 'ec c.b.example'],
      ['nobody.example', 'ec c.b.example'],
      ['', 'ec c.b.example'],
    ])
      assert.equal(await shown(servername, options), want, servername)
  })

  test('a pair that was replaced is taken without a reload, and a half of one is not', async (t) => {
    const { node, root, intermediate, certificate } = await start(t)
    const ca = root.pem
    const serial = async () => {
      const socket = await connectTls(node.tlsPort, { ca })
      const { serialNumber } = socket.getPeerX509Certificate()
      socket.destroy()
      return serialNumber
    }
    const before = await serial()
    const kept = await tlsClient(node.tlsPort, { ca })
    const next = intermediate.issue(['a.example'], { file: 'next' })
    const { renameSync } = await import('node:fs')
    const from = node.log.length
    renameSync(next.chainFile, certificate.chainFile)
    await node.logLine(
      /error .*does not fit the certificate; what was read of it before stays in force/,
      from,
    )
    assert.equal(await serial(), before)
    renameSync(next.keyFile, certificate.keyFile)
    await node.logLine(/has changed: what is in it now is in force/, from)
    assert.notEqual(await serial(), before)
    kept.send(ask('/a.txt'))
    assert.equal((await kept.response()).text, 'alpha')
    kept.close()
  })

  test('what is wrong with one is said with the place of its name, and nothing is put in force', async (t) => {
    const { node, root, intermediate, certificate } = await start(t)
    const { writeFileSync } = await import('node:fs')
    const { execFileSync } = await import('node:child_process')
    const other = intermediate.issue(['other.example'])
    const chain = readFileSync(certificate.chainFile, 'utf8')
    const [leaf, signer] = chain.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----\n/g)
    const write = (name, text) => {
      writeFileSync(`${node.folder}/${name}`, text)
      return `${node.folder}/${name}`
    }
    const encrypted = `${node.folder}/encrypted.key`
    execFileSync('openssl', [
      'pkey',
      '-in',
      certificate.keyFile,
      '-aes256',
      '-passout',
      'pass:x',
      '-out',
      encrypted,
    ])
    const old = intermediate.issue(['a.example', '127.0.0.1'], { file: 'old', from: -20, to: -1 })
    const later = intermediate.issue(['a.example'], { file: 'later', from: 2, to: 5 })
    const weak = intermediate.issue(['a.example'], { kind: 'rsa1024' })
    const alone = intermediate.issue(['a.example'], { file: 'alone', tells: true })
    const lone = write('lone.pem', readFileSync(alone.chainFile, 'utf8').replace(signer, ''))
    const key = certificate.keyFile
    for (const [pair, pointer, message] of [
      [
        { chainFile: certificate.chainFile, keyFile: other.keyFile },
        'keyFile',
        /private key that does not fit the certificate/,
      ],
      [
        { chainFile: write('turned.pem', signer + leaf), keyFile: key },
        'chainFile',
        /key's certificate not as the first one/,
      ],
      [
        { chainFile: write('foreign.pem', leaf + root.pem), keyFile: key },
        'chainFile',
        /line 1[0-9] has certificates out of order/,
      ],
      [old, 'chainFile', /line 1 has a certificate that has expired/],
      [later, 'chainFile', /line 1 has a certificate that is not valid yet/],
      [weak, 'chainFile', /key or signature is too weak/],
      [
        { chainFile: lone, keyFile: alone.keyFile },
        'chainFile',
        /lacks the certificate of the authority/,
      ],
      [
        { chainFile: certificate.chainFile, keyFile: encrypted },
        'keyFile',
        /line 1 has a private key that is encrypted/,
      ],
      [
        { chainFile: certificate.chainFile, keyFile: certificate.chainFile },
        'keyFile',
        /has no private key in PEM form/,
      ],
      [{ chainFile: key, keyFile: key }, 'chainFile', /has no certificate in PEM form/],
      [
        { chainFile: write('cut.pem', leaf.slice(0, 200)), keyFile: key },
        'chainFile',
        /has a certificate that can't be read/,
      ],
      [
        { chainFile: write('many.pem', leaf + signer.repeat(17)), keyFile: key },
        'chainFile',
        /more than 16 certificates/,
      ],
      [
        { chainFile: write('empty.pem', ''), keyFile: key },
        'chainFile',
        /has no certificate in PEM form/,
      ],
      [{ chainFile: `${node.folder}/nowhere.pem`, keyFile: key }, 'chainFile', /missing_file/],
      [{ chainFile: node.folder, keyFile: key }, 'chainFile', /is not a regular file/],
      [other, null, /\/hosts\/0|none of the site's certificates is for "a\.example"/],
    ]) {
      const from = node.log.length
      const config = structuredClone(node.config)
      config.sites[0].certificates = [pair]
      assert.equal(await node.reload(config), false, message)
      const log = node.log.slice(from)
      assert.match(log, message)
      if (pointer) {
        const line =
          JSON.stringify(config, null, 2)
            .split('\n')
            .findIndex((one) => one.includes(`"${pointer}"`)) + 1
        assert.match(log, new RegExp(`config.json:${line}:`), log)
      }
    }
    const client = await tlsClient(node.tlsPort, { ca: root.pem })
    client.send(ask('/a.txt'))
    assert.equal((await client.response()).text, 'alpha')
    client.close()
  })
})

describe('sessions', () => {
  /** Connects and keeps what lets a client resume. */
  async function session(node, options) {
    const socket = await connectTls(node.tlsPort, options)
    const client = new RawClient(socket)
    client.send(ask('/a.txt'))
    await client.response()
    const ticket = await socket.ticket
    client.close()
    return ticket
  }

  for (const [name, versions] of [
    ['TLS 1.3', { minVersion: 'TLSv1.3' }],
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
  ])
    test(`${name}: a client resumes on any loop, and after a reload`, async (t) => {
      const { node, ca } = await start(t, { config: { workers: 3 } })
      const options = { ca, ...versions }
      const ticket = await session(node, options)
      const resumes = async () => {
        const socket = await connectTls(node.tlsPort, { ...options, session: ticket })
        const client = new RawClient(socket)
        client.send(ask('/a.txt'))
        assert.equal((await client.response()).text, 'alpha')
        const reused = socket.isSessionReused()
        client.close()
        return reused
      }
      for (let i = 0; i < 12; i++) assert.equal(await resumes(), true)
      assert.ok(await node.reload({ ...node.config, workers: 2 }))
      for (let i = 0; i < 6; i++) assert.equal(await resumes(), true)
      assert.equal(await handshakes(node, { resumed: 'true' }), 18)
      assert.equal(
        await handshakes(node, { resumed: 'false', protocol: versions.minVersion ?? 'TLSv1.2' }),
        1,
      )
    })

  test('the modern profile takes TLS 1.3 alone; the intermediate one nothing older than 1.2', async (t) => {
    const { node, ca } = await start(t)
    assert.match(
      await refusal(node.tlsPort, {
        ca,
        maxVersion: 'TLSv1.1',
        minVersion: 'TLSv1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      }),
      /PROTOCOL_VERSION|PROTOCOL/,
    )
    assert.equal(await failures(node, { from: 'node', reason: 'protocol_version' }), 1)
    assert.ok(await node.reload({ ...node.config, tls: { profile: 'modern' } }))
    assert.match(await refusal(node.tlsPort, { ca, maxVersion: 'TLSv1.2' }), /PROTOCOL_VERSION/)
    const client = await tlsClient(node.tlsPort, { ca })
    client.close()
  })
})

describe('what a site asks for', () => {
  test('redirectToHttps: the same address with https, but for orders of certificates', async (t) => {
    const { node } = await start(t, { site: { redirectToHttps: true } })
    const to = `https://a.example:${node.tlsPort}`
    for (const [target, status, location] of [
      ['/', 301, `${to}/`],
      ['/a%20b/../c?x=1&y', 301, `${to}/a%20b/../c?x=1&y`],
      ['//evil.example/', 301, `${to}//evil.example/`],
      ['/.well-known/acme-challenge/token', 404],
      ['/.well-known/acme-challenge', 301, `${to}/.well-known/acme-challenge`],
    ]) {
      const answer = await exchange(node.port, ask(target))
      assert.equal(answer.status, status, target)
      assert.equal(answer.headers.location, location, target)
    }
  })

  test('hsts is sent over TLS alone, on every answer', async (t) => {
    const { node, ca } = await start(t, {
      site: { hsts: { maxAgeSeconds: 300, includeSubDomains: true } },
    })
    const client = await tlsClient(node.tlsPort, { ca })
    for (const target of ['/a.txt', '/a.txt', '/nothing', '/large.bin']) {
      client.send(ask(target))
      const { headers } = await client.response()
      assert.equal(headers['strict-transport-security'], 'max-age=300; includeSubDomains', target)
      const plain = await exchange(node.port, ask(target))
      assert.equal(plain.headers['strict-transport-security'], undefined, target)
    }
    client.close()
  })

  test('a proxy that is trusted may say that its client came by https', async (t) => {
    const { node } = await start(t, {
      site: { redirectToHttps: true, hsts: { maxAgeSeconds: 300 } },
      config: { trustedProxies: [LOOPBACK] },
    })
    const by = async (from, ...lines) => {
      const { status, headers } = await exchange(node.port, ask('/a.txt', { lines }), { from })
      return `${status} ${headers['strict-transport-security'] ?? 'none'}`
    }
    assert.equal(await by(LOOPBACK, 'X-Forwarded-Proto: https'), '200 max-age=300')
    assert.equal(await by(LOOPBACK, 'X-Forwarded-Proto: http, https'), '200 max-age=300')
    assert.equal(await by(LOOPBACK, 'X-Forwarded-Proto: https, http'), '301 none')
    assert.equal(await by(LOOPBACK), '301 none')
    assert.equal(await by(undefined, 'X-Forwarded-Proto: https'), '301 none')
  })

  test("clients' certificates: required, optional, another authority's, and another site's connection", async (t) => {
    const { root, intermediate, folder } = authorities(t)
    const { Authority } = await import('../support/pki.mjs')
    const people = new Authority(folder, 'people')
    const strangers = new Authority(folder, 'strangers')
    const credentials = (authority) => {
      const { chainFile, keyFile } = authority.issue(['anna'])
      return { cert: readFileSync(chainFile), key: readFileSync(keyFile) }
    }
    const certificate = intermediate.issue(['a.example', 'club.example', 'open.example'])
    const node = await startTlsNode(t, {
      files,
      sites: [
        { hosts: ['a.example'], certificates: [certificate] },
        {
          hosts: ['club.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'required', caFile: people.pemFile },
        },
        {
          hosts: ['open.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'optional', caFile: people.pemFile },
        },
      ],
    })
    const status = async (servername, host, options = {}) => {
      const client = await tlsClient(node.tlsPort, { ca: root.pem, servername, ...options })
      client.send(request('/a.txt', { host }))
      const answer = await client.response().catch((reason) => ({ status: reason.code }))
      client.close()
      return answer.status
    }
    const anna = credentials(people)
    assert.equal(await status('club.example', 'club.example'), 403)
    assert.equal(await status('club.example', 'club.example', anna), 200)
    assert.equal(await status('open.example', 'open.example'), 200)
    assert.equal(await status('open.example', 'open.example', anna), 200)
    assert.equal(await status('a.example', 'club.example', anna), 421)
    assert.equal(await status('open.example', 'club.example', anna), 421)
    assert.equal(
      (await exchange(node.port, request('/a.txt', { host: 'club.example' }))).status,
      403,
    )
    for (const versions of [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }])
      assert.notEqual(
        await status('club.example', 'club.example', {
          ...credentials(strangers),
          ...versions,
        }).catch(() => 'refused'),
        200,
      )
    assert.ok((await failures(node, { from: 'node', reason: 'unknown_ca' })) > 0)
    assert.equal((await node.status()).gauges.openConnections, 0)
  })

  test('a session of one site does not get a client into another that asks for certificates', async (t) => {
    const { root, intermediate, folder } = authorities(t)
    const { Authority } = await import('../support/pki.mjs')
    const people = new Authority(folder, 'people')
    const certificate = intermediate.issue(['a.example', 'club.example'])
    const { chainFile, keyFile } = people.issue(['anna'])
    const node = await startTlsNode(t, {
      files,
      sites: [
        {
          hosts: ['a.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'optional', caFile: people.pemFile },
        },
        {
          hosts: ['club.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'required', caFile: root.pemFile },
        },
      ],
    })
    for (const versions of [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]) {
      const options = {
        ca: root.pem,
        cert: readFileSync(chainFile),
        key: readFileSync(keyFile),
        ...versions,
      }
      const first = await connectTls(node.tlsPort, { ...options, servername: 'a.example' })
      const client = new RawClient(first)
      client.send(request('/a.txt', { host: 'a.example' }))
      assert.equal((await client.response()).status, 200)
      const ticket = await first.ticket
      client.close()
      const outcome = await tlsClient(node.tlsPort, {
        ca: root.pem,
        servername: 'club.example',
        session: ticket,
        ...versions,
      }).then(
        async (other) => {
          assert.equal(other.socket.isSessionReused(), false)
          other.send(request('/a.txt', { host: 'club.example' }))
          const answer = await other.response()
          other.close()
          return answer.status
        },
        () => 'refused',
      )
      assert.notEqual(outcome, 200)
    }
  })
})

test('which certificates are loaded, and until when, is told', async (t) => {
  const { node, certificate } = await start(t)
  const x509 = new X509Certificate(readFileSync(certificate.chainFile))
  const ends = Date.parse(x509.validTo) / 1000
  assert.deepEqual((await node.status()).certificates, [
    {
      chainFile: certificate.chainFile,
      fingerprintSha256: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
      notAfterUnixSeconds: ends,
    },
  ])
  const text = await (await node.admin('/metrics')).text()
  assert.ok(
    text.includes(
      `farmstead_certificate_expiry_timestamp_seconds{certificate="${certificate.chainFile}"} ${ends}\n`,
    ),
  )
})

describe('failures', () => {
  test('a request without TLS is told to come with it', async (t) => {
    const { node } = await start(t)
    const answer = await exchange(node.tlsPort, ask('/'))
    assert.equal(answer.status, 400)
    assert.match(answer.text, /speaks HTTPS/)
    assert.equal(await failures(node, { reason: 'plainHttp' }), 1)
    assert.equal(await node.ends('handshake'), 1)
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
    assert.equal(await failures(node, { from: 'node', reason: 'no_application_protocol' }), 1)
    assert.notEqual(
      await refusal(node.tlsPort, { ca, ciphers: 'AES128-SHA', maxVersion: 'TLSv1.2' }),
      'none',
    )
    assert.equal(await failures(node, { from: 'node', reason: 'handshake_failure' }), 1)
    assert.ok((await handshakes(node)) >= before)
    const alerts = (await failures(node)) - (await failures(node, { reason: 'clientGone' }))
    assert.equal(await node.counter('tlsHandshakeFailures'), alerts)
    assert.equal(await node.counter('tlsHandshakes'), await handshakes(node))
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
    assert.equal(await node.ends('silent'), 1)
    assert.equal(await node.ends('handshake'), 2)
    assert.equal(await failures(node, { reason: 'timeOut' }), 2)
    for (const client of [silent, half, hangs]) client.close()
  })

  test('a full node does not write a plain answer into TLS', async (t) => {
    const { node, ca } = await start(t, { config: { limits: { connections: 2 } } })
    const busy = [await tlsClient(node.tlsPort, { ca }), await tlsClient(node.tlsPort, { ca })]
    for (const client of busy) client.socket.pause()
    for (const client of busy) client.send(ask('/large.bin').repeat(40))
    await sleep(300)
    const refused = await RawClient.connect(node.tlsPort)
    refused.send(await firstFlight(t))
    const bytes = await refused.closed().catch(() => Buffer.alloc(0))
    assert.doesNotMatch(bytes.toString('latin1'), /HTTP/)
    assert.equal(await node.counter('refused'), 1)
    for (const client of [...busy, refused]) client.close()
  })

  test('a client that takes nothing is given up, and does not cost more than its buffers', async (t) => {
    const { node, ca } = await start(t, {
      config: { limits: { writeSeconds: 2, keepAliveRequests: 1000 } },
    })
    const client = await tlsClient(node.tlsPort, { ca })
    client.socket.pause()
    client.send(ask('/large.bin').repeat(40))
    await until(
      async () => (await node.ends('slowClient')) === 1,
      'the connection to be given up',
      15_000,
    )
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

test('a node that stops ends responses under way, and says that nothing follows', async (t) => {
  const { node, ca } = await start(t, { site: { bytesPerSecond: 3_000_000 } })
  const client = await tlsClient(node.tlsPort, { ca })
  client.send(ask('/large.bin'))
  await until(() => client.received > 10_000, 'a part of it')
  const stopped = node.stop()
  const answer = await client.response()
  assert.equal(sha(answer.body), sha(LARGE))
  await client.closed()
  assert.equal(client.error, null) // close_notify came before the end of the connection
  assert.equal(await stopped, 0)
})

describe('HTTP/2', () => {
  /** A session whose streams are asked one after the other. */
  async function session(t, node, options) {
    const client = http2.connect(`https://a.example:${node.tlsPort}`, {
      createConnection: () => options.socket,
    })
    t.after(() => client.destroy())
    const get = async (path, headers = {}) => {
      const stream = client.request({ ':path': path, ':authority': 'a.example', ...headers })
      const chunks = []
      stream.on('data', (chunk) => chunks.push(chunk))
      const [answer] = await once(stream, 'response')
      await once(stream, 'end')
      return { headers: answer, status: answer[':status'], body: Buffer.concat(chunks) }
    }
    return { client, get }
  }

  const h2 = async (t, node, options) =>
    session(t, node, {
      socket: await connectTls(node.tlsPort, { ALPNProtocols: ['h2', 'http/1.1'], ...options }),
    })

  test('is chosen by ALPN, and answers many requests at once', async (t) => {
    const { node, ca } = await start(t, { site: { hsts: { maxAgeSeconds: 300 } } })
    const { client, get } = await h2(t, node, { ca })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => get(i % 3 ? '/a.txt' : '/large.bin')),
    )
    for (const [i, { status, body, headers }] of answers.entries()) {
      assert.equal(status, 200)
      assert.equal(sha(body), sha(i % 3 ? 'alpha' : LARGE))
      assert.equal(headers['strict-transport-security'], 'max-age=300')
    }
    client.close()
    assert.equal((await node.status()).tls.failures.length, 0)
  })

  test('byte by byte', async (t) => {
    const { node, ca } = await start(t)
    const port = await byteByByte(t, node.tlsPort)
    const socket = await connectTls(port, { ca, ALPNProtocols: ['h2'] })
    const { get } = await session(t, node, { socket })
    assert.equal(sha((await get('/large.bin')).body), sha(LARGE))
    assert.equal((await get('/nothing')).status, 404)
  })

  test('can be switched off', async (t) => {
    const { node, ca } = await start(t, { config: { http2: false } })
    const socket = await connectTls(node.tlsPort, { ca, ALPNProtocols: ['h2', 'http/1.1'] })
    assert.equal(socket.alpnProtocol, 'http/1.1')
    socket.destroy()
    assert.notEqual(await refusal(node.tlsPort, { ca, ALPNProtocols: ['h2'] }), 'none')
  })

  test("a site that asks for clients' certificates is not had on another one's connection", async (t) => {
    const { root, intermediate } = authorities(t)
    const certificate = intermediate.issue(['a.example', 'club.example'])
    const node = await startTlsNode(t, {
      files,
      sites: [
        { hosts: ['a.example'], certificates: [certificate] },
        {
          hosts: ['club.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'required', caFile: root.pemFile },
        },
      ],
    })
    const { get } = await h2(t, node, { ca: root.pem })
    assert.equal((await get('/a.txt')).status, 200)
    assert.equal((await get('/a.txt', { ':authority': 'club.example' })).status, 421)
    assert.equal((await get('/a.txt')).status, 200)
  })
})
