// SPDX-License-Identifier: MIT
// Who gets which certificate, sessions, and what a site asks of its clients.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ask, files, start } from '../support/example-over-tls.mjs'
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

describe('certificates', { concurrency: 3 }, () => {
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

describe('sessions', { concurrency: 3 }, () => {
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

describe('what a site asks for', { concurrency: 3 }, () => {
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
    await until(
      async () => (await node.status()).gauges.openConnections === 0,
      'all connections to be gone',
    )
  })

  // Caddy took certificates of any public authority then: CVE-2026-27586.
  test('a list of authorities that is spoilt or gone lets nobody else in', async (t) => {
    const { root, intermediate, folder } = authorities(t)
    const { Authority } = await import('../support/pki.mjs')
    const { rmSync, writeFileSync } = await import('node:fs')
    const people = new Authority(folder, 'people')
    const caFile = `${folder}/list.pem`
    writeFileSync(caFile, readFileSync(people.pemFile))
    const certificate = intermediate.issue(['club.example'])
    const node = await startTlsNode(t, {
      files,
      sites: [
        {
          hosts: ['club.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'required', caFile },
        },
      ],
    })
    const status = async (authority) => {
      const { chainFile, keyFile } = authority?.issue(['anna']) ?? {}
      const shown = chainFile && { cert: readFileSync(chainFile), key: readFileSync(keyFile) }
      const options = { ca: root.pem, servername: 'club.example', ...shown }
      const client = await tlsClient(node.tlsPort, options)
      client.send(request('/a.txt', { host: 'club.example' }))
      const answer = await client.response().catch((reason) => ({ status: reason.code }))
      client.close()
      return answer.status
    }
    const spoil = [
      () => writeFileSync(caFile, 'no certificate\n'),
      () => writeFileSync(caFile, ''),
      () => rmSync(caFile),
    ]
    for (const [i, once] of spoil.entries()) {
      once()
      assert.equal(await node.reload({ ...node.config, limits: { connections: 100 + i } }), false)
      assert.equal(await status(people), 200)
      assert.equal(await status(), 403)
      // Of the authority that signs the site's own certificate, and that this client trusts.
      assert.notEqual(await status(root).catch(() => 'refused'), 200)
    }
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
