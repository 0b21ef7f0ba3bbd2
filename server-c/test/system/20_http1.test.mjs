// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { exchange, get, RawClient, request } from '../support/raw.mjs'

const files = {
  'a.txt': 'alpha\n',
  'b.txt': 'beta\n',
  'empty.txt': '',
  'big.bin': Buffer.alloc(3 << 20, 'z'),
}

const CHANGED = new Date('2024-05-01T12:00:00Z')

describe('HTTP/1.1', () => {
  let node
  const cleanups = []
  before(async () => {
    node = await startNode({ after: (f) => cleanups.push(f) }, { files })
    // Of a file that changed in this second no date is told.
    for (const name of Object.keys(files)) utimesSync(join(node.root, name), CHANGED, CHANGED)
  })
  after(async () => {
    for (const f of cleanups.reverse()) await f()
  })

  test('GET has the headers it must have', async () => {
    const { status, headers, text } = await get(node.port, '/a.txt')
    assert.equal(status, 200)
    assert.equal(text, 'alpha\n')
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(headers['content-length'], '6')
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.equal(headers.server, 'farmstead')
    assert.match(headers.etag, /^"[0-9a-f]+-6"$/)
    assert.ok(Math.abs(Date.parse(headers.date) - Date.now()) < 5000)
    assert.equal(headers['last-modified'], CHANGED.toUTCString())
    assert.equal(headers.connection, undefined)
  })

  test('HEAD is GET without the body', async () => {
    for (const target of ['/a.txt', '/big.bin', '/empty.txt', '/nope', '/']) {
      const got = await get(node.port, target)
      const client = await RawClient.connect(node.port)
      client.send(request(target, { method: 'HEAD', lines: ['Connection: close'] }))
      const head = await client.response({ isHead: true })
      assert.equal((await client.closed()).length, 0, `${target}: a body followed`)
      assert.equal(head.status, got.status)
      for (const headers of [got.headers, head.headers]) {
        delete headers.date
        delete headers.connection
      }
      assert.deepEqual(head.headers, got.headers)
    }
  })

  test('an empty file is served', async () => {
    const { status, headers, text } = await get(node.port, '/empty.txt')
    assert.equal(status, 200)
    assert.equal(headers['content-length'], '0')
    assert.equal(text, '')
  })

  test('methods: 204 for OPTIONS, 405 for the known, 501 for the unknown', async () => {
    const options = await get(node.port, '/a.txt', { method: 'OPTIONS' })
    assert.equal(options.status, 204)
    assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
    assert.equal((await get(node.port, '*', { method: 'OPTIONS' })).status, 204)
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const { status, headers } = await get(node.port, '/a.txt', { method })
      assert.equal(status, 405, method)
      assert.equal(headers.allow, 'GET, HEAD, OPTIONS')
    }
    assert.equal((await get(node.port, 'test:80', { method: 'CONNECT' })).status, 405)
    for (const method of ['get', 'BREW', 'PROPFOUND'])
      assert.equal((await get(node.port, '/a.txt', { method })).status, 501, method)
  })

  test('a connection carries request after request', async () => {
    const client = await RawClient.connect(node.port)
    for (let i = 0; i < 20; i++) {
      client.send(request(i % 2 ? '/a.txt' : '/nope'))
      assert.equal((await client.response()).status, i % 2 ? 200 : 404)
    }
    client.close()
  })

  test('pipelined requests are answered in order, small and large', async () => {
    const client = await RawClient.connect(node.port)
    const targets = ['/a.txt', '/big.bin', '/b.txt', '/new', '/empty.txt', '/big.bin', '/a.txt']
    client.send(targets.map((target) => request(target)).join(''))
    const bodies = []
    for (const _ of targets) bodies.push(await client.response())
    assert.deepEqual(
      bodies.map((one) => one.status),
      [200, 200, 200, 404, 200, 200, 200],
    )
    assert.deepEqual(
      bodies.map((one) => Number(one.headers['content-length'])),
      [6, 3 << 20, 5, bodies[3].body.length, 0, 3 << 20, 6],
    )
    assert.ok(bodies[1].body.equals(files['big.bin']))
    client.close()
  })

  test('a thousand pipelined requests in one write', async () => {
    const client = await RawClient.connect(node.port)
    client.send(request('/a.txt').repeat(1000))
    for (let i = 0; i < 1000; i++) assert.equal((await client.response()).text, 'alpha\n')
    client.close()
  })

  test('a request may come byte by byte', async () => {
    const client = await RawClient.connect(node.port)
    client.socket.setNoDelay(true)
    for (const byte of request('/a.txt', { lines: ['X-Long: yes'] })) {
      client.send(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal((await client.response()).text, 'alpha\n')
    client.close()
  })

  test('Connection: close ends it, and says so', async () => {
    const client = await RawClient.connect(node.port)
    client.send(request('/a.txt', { lines: ['Connection: close'] }))
    assert.equal((await client.response()).headers.connection, 'close')
    await client.closed()
  })

  test('HTTP/1.0 closes, unless it asks for keep-alive', async () => {
    const once = await RawClient.connect(node.port)
    once.send('GET /a.txt HTTP/1.0\r\n\r\n')
    assert.equal((await once.response()).headers.connection, 'close')
    await once.closed()
    const kept = await RawClient.connect(node.port)
    for (let i = 0; i < 3; i++) {
      kept.send('GET /a.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
      assert.equal((await kept.response()).headers.connection, 'keep-alive')
    }
    kept.close()
  })

  test('a client that half-closes still gets its answer', async () => {
    const client = await RawClient.connect(node.port, { allowHalfOpen: true })
    client.socket.end(request('/big.bin'))
    assert.equal((await client.response()).body.length, 3 << 20)
    client.close()
  })

  test('a small request body is read and skipped', async () => {
    const client = await RawClient.connect(node.port)
    const body = 'GET /nope HTTP/1.1\r\n\r\n'.repeat(100)
    client.send(request('/a.txt', { lines: [`Content-Length: ${body.length}`], body }))
    assert.equal((await client.response()).status, 200)
    client.send(request('/b.txt'))
    assert.equal((await client.response()).text, 'beta\n')
    client.close()
  })

  test('a body that comes late is skipped all the same', async () => {
    const client = await RawClient.connect(node.port)
    client.send(request('/a.txt', { method: 'POST', lines: ['Content-Length: 10'], body: '12' }))
    assert.equal((await client.response()).status, 405)
    client.send(`345678`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    client.send(`90${request('/b.txt')}`)
    assert.equal((await client.response()).text, 'beta\n')
    client.close()
  })

  test('a large body, one in chunks and one that waits for 100 end the connection after the answer', async () => {
    for (const lines of [
      ['Content-Length: 1000000'],
      ['Transfer-Encoding: chunked'],
      ['Content-Length: 5', 'Expect: 100-continue'],
    ]) {
      const client = await RawClient.connect(node.port)
      client.send(request('/a.txt', { method: 'POST', lines }))
      const response = await client.response()
      assert.equal(response.status, 405)
      assert.equal(response.headers.connection, 'close')
      client.send('5\r\nhello\r\n0\r\n\r\n')
      await client.closed()
    }
  })

  test('absolute form is served', async () => {
    assert.equal((await get(node.port, `http://test:${node.port}/a.txt`)).text, 'alpha\n')
  })

  const refused = [
    ['bare line feeds', 'GET /a.txt HTTP/1.1\nHost: test\n\n', 400],
    ['folded fields', 'GET /a.txt HTTP/1.1\r\nHost: test\r\nX: a\r\n b\r\n\r\n', 400],
    ['a space before the colon', 'GET /a.txt HTTP/1.1\r\nHost : test\r\n\r\n', 400],
    ['no Host', 'GET /a.txt HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a NUL', 'GET /a\0 HTTP/1.1\r\nHost: test\r\n\r\n', 400],
    [
      'Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two Content-Lengths',
      'POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
      400,
    ],
    ['an unknown coding', 'POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: xchunked\r\n\r\n', 501],
    ['another major version', 'GET / HTTP/3.0\r\nHost: t\r\n\r\n', 505],
    ['an unknown expectation', request('/a.txt', { lines: ['Expect: miracles'] }), 417],
    ['a target over its limit', request(`/${'x'.repeat(9000)}`), 414],
    ['a head over its limit', request('/a.txt', { lines: [`X: ${'x'.repeat(17000)}`] }), 431],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ]
  for (const [name, bytes, status] of refused)
    test(`refused, and closed: ${name}`, async () => {
      const client = await RawClient.connect(node.port)
      client.send(bytes + request('/b.txt'))
      const response = await client.response()
      assert.equal(response.status, status)
      assert.equal(response.headers.connection, 'close')
      assert.equal((await client.closed()).length, 0, 'nothing behind the refusal is answered')
    })

  test('a refusal reaches a client that is still sending', async () => {
    const client = await RawClient.connect(node.port)
    client.send(`GET / HTTP/1.1\r\nHost: t\r\nX: ${'x'.repeat(200_000)}`)
    assert.equal((await client.response()).status, 431)
    client.close()
  })

  test('paths that lead out or hide are refused', async () => {
    for (const [target, status] of [
      ['/../etc/passwd', 400],
      ['/%2e%2e/etc/passwd', 400],
      ['/a%00.txt', 400],
      ['/a%2ftxt', 404],
      ['/..%2f..%2fetc/passwd', 404],
      ['/a\\b', 400],
      ['/a.txt/', 404],
      ['/a.txt/x', 404],
      [`/${'n'.repeat(300)}`, 404],
    ])
      assert.equal((await get(node.port, target)).status, status, target)
  })

  test('error pages are short HTML', async () => {
    const { headers, text } = await get(node.port, '/nope')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(text, /<h1>404 Not Found<\/h1>/)
    assert.ok(text.length < 1000 && !text.includes('<script'))
  })
})

test('keepAliveRequests ends the connection after so many', async (t) => {
  const node = await startNode(t, { files, config: { limits: { keepAliveRequests: 3 } } })
  const client = await RawClient.connect(node.port)
  client.send(request('/a.txt').repeat(5))
  const connections = []
  for (let i = 0; i < 3; i++) connections.push((await client.response()).headers.connection)
  assert.deepEqual(connections, [undefined, undefined, 'close'])
  assert.equal((await client.closed()).length, 0)
})

test('sites answer for their hosts; no site is 421', async (t) => {
  const node = await startNode(t, {
    files: { 'one/i.txt': '1', 'two/i.txt': '2', 'rest/i.txt': 'r' },
  })
  const site = (name, hosts) => ({ hosts, root: `${node.root}/${name}` })
  const sites = [site('one', ['one.test']), site('two', ['two.test', '127.0.0.1', '[::1]'])]
  assert.ok(await node.reload({ ...node.config, sites }))
  for (const [host, want] of [
    ['one.test', '1'],
    ['ONE.Test', '1'],
    ['one.test:8080', '1'],
    ['one.test.', '1'],
    ['two.test', '2'],
    ['127.0.0.1:99', '2'],
    ['[::1]:99', '2'],
  ])
    assert.equal((await get(node.port, '/i.txt', { host })).text, want, host)
  for (const host of ['test', 'x.one.test', 'other.org', ''])
    assert.equal((await get(node.port, '/i.txt', { host })).status, 421, host)
  assert.equal(
    (await exchange(node.port, 'GET http://one.test/i.txt HTTP/1.1\r\nHost: two.test\r\n\r\n'))
      .text,
    '1',
  )
  const wild = site('rest', ['*.One.test', '*.b.two.test'])
  const wilder = site('two', ['two.test', '*.two.test'])
  assert.ok(await node.reload({ ...node.config, sites: [sites[0], wilder, wild] }))
  for (const [host, want] of [
    ['one.test', '1'],
    ['x.one.test', 'r'],
    ['Y.X.ONE.test:80', 'r'],
    ['a.two.test', '2'],
    ['a.b.two.test.', 'r'],
    ['b.two.test', '2'],
  ])
    assert.equal((await get(node.port, '/i.txt', { host })).text, want, host)
  for (const host of ['xone.test', 'test', '.test'])
    assert.equal((await get(node.port, '/i.txt', { host })).status, 421, host)
  assert.ok(await node.reload({ ...node.config, sites: [...sites, site('rest', ['*'])] }))
  for (const host of ['test', '', 'other.org'])
    assert.equal((await get(node.port, '/i.txt', { host })).text, 'r', host)
})

test("a site's header rules are on each of its answers", async (t) => {
  const headers = [
    { action: 'set', name: 'X-Farm', value: 'one' },
    { action: 'set', name: 'X-Farm', value: 'two' },
    { action: 'add', name: 'X-More', value: 'a' },
    { action: 'add', name: 'X-More', value: 'b' },
    { action: 'remove', name: 'Server' },
    { action: 'set', name: 'Content-Type', value: 'text/x-all' },
  ]
  const node = await startNode(t, { files, site: { headers } })
  for (const [target, lines, status] of [
    ['/a.txt', [], 200],
    ['/nope', [], 404],
    ['/a.txt', ['Range: bytes=0-0'], 206],
    ['/a.txt', ['Range: bytes=9-'], 416],
    ['/a.txt', ['If-None-Match: *'], 304],
  ]) {
    const response = await get(node.port, target, { lines })
    assert.equal(response.status, status)
    assert.equal(response.headers['x-farm'], 'two')
    assert.equal(response.headers['x-more'], 'a, b')
    assert.equal(response.headers.server, undefined)
    if (status === 200) assert.equal(response.headers['content-type'], 'text/x-all')
  }
})
