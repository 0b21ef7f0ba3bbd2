// SPDX-License-Identifier: MIT
// Precompressed siblings, several ranges, listings, headers by path, type and status.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hungDisk } from '../support/hung-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const takes = (coding) => ({ lines: [`Accept-Encoding: ${coding}`] })

test('precompressed siblings by what the client takes', async (t) => {
  const node = await startNode(t, {
    files: {
      'a.js': 'plain script',
      'a.js.br': 'BR',
      'a.js.gz': 'GZIP',
      'b.css': 'no sibling',
      'dir/index.html': 'index',
      'dir/index.html.gz': 'ZIPPED',
    },
  })
  for (const [coding, text, encoding] of [
    ['br, gzip', 'BR', 'br'],
    ['gzip', 'GZIP', 'gzip'],
    ['gzip;q=0.9, br;q=0.5', 'GZIP', 'gzip'],
    ['zstd', 'plain script', undefined],
    ['br;q=0, gzip;q=0', 'plain script', undefined],
    ['*', 'BR', 'br'],
    ['', 'plain script', undefined],
  ]) {
    const answer = await get(node.port, '/a.js', takes(coding))
    assert.equal(answer.text, text, coding)
    assert.equal(answer.headers['content-encoding'], encoding, coding)
    assert.equal(answer.headers.vary, 'Accept-Encoding', coding)
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8', coding)
  }
  assert.equal((await get(node.port, '/b.css', takes('gzip'))).headers.vary, undefined)
  assert.equal((await get(node.port, '/dir/', takes('gzip'))).text, 'ZIPPED')
  const direct = await get(node.port, '/a.js.br', takes('br'))
  assert.deepEqual([direct.text, direct.headers['content-encoding']], ['BR', undefined])
})

for (const engine of ['ttl', 'inotify', 'off']) {
  test(`copies are looked for when somebody takes any, and that one has them: ${engine}`, async (t) => {
    const node = await startNode(t, {
      files: { 'a.js': 'plain', 'a.js.gz': 'GZIP', 'b.css': 'no sibling' },
      config: { workers: 1, statCache: { engine } }, // each worker has a cache of its own
    })
    for (const [target, text] of [
      ['/a.js', 'plain'],
      ['/b.css', 'no sibling'],
    ]) {
      const answer = await get(node.port, target)
      // It is not known yet whether there is a copy, and a cache must not take this for the only answer.
      assert.deepEqual([answer.text, answer.headers.vary], [text, 'Accept-Encoding'])
    }
    assert.equal((await get(node.port, '/a.js', takes('gzip'))).text, 'GZIP')
    assert.equal((await get(node.port, '/b.css', takes('gzip'))).headers.vary, undefined)
    const a = await get(node.port, '/a.js')
    assert.deepEqual([a.text, a.headers.vary], ['plain', 'Accept-Encoding'])
    const b = await get(node.port, '/b.css')
    assert.equal(b.text, 'no sibling')
    if (engine !== 'off') assert.equal(b.headers.vary, undefined)
  })
}

test('who takes copies has them also after joining a look-up for one who does not', async (t) => {
  const { wrap, release } = hungDisk(t)
  const node = await startNode(t, {
    files: { 'hang-open.js': 'plain', 'hang-open.js.gz': 'GZIP' },
    config: { workers: 1 },
    wrap,
  })
  const clients = [await RawClient.connect(node.port), await RawClient.connect(node.port)]
  clients[0].send(request('/hang-open.js'))
  await until(async () => (await node.counter('cacheMisses')) === 1, 'the first look-up')
  clients[1].send(request('/hang-open.js', takes('gzip')))
  await until(async () => (await node.counter('cacheMisses')) === 2, 'the second')
  await release()
  const answers = await Promise.all(clients.map((client) => client.response()))
  for (const client of clients) client.close()
  assert.deepEqual(
    answers.map(({ text }) => text),
    ['plain', 'GZIP'],
  )
})

test('variants have tags and ranges of their own', async (t) => {
  const node = await startNode(t, { files: { 'a.js': '0123456789', 'a.js.gz': 'abcdefghij' } })
  const old = new Date(Date.now() - 60_000)
  for (const name of ['a.js', 'a.js.gz']) utimesSync(join(node.root, name), old, old)
  const plain = await get(node.port, '/a.js')
  const coded = await get(node.port, '/a.js', takes('gzip'))
  assert.notEqual(plain.headers.etag, coded.headers.etag)
  const again = await get(node.port, '/a.js', {
    lines: ['Accept-Encoding: gzip', `If-None-Match: ${coded.headers.etag}`],
  })
  assert.equal(again.status, 304)
  assert.equal(again.headers.vary, 'Accept-Encoding')
  const other = await get(node.port, '/a.js', { lines: [`If-None-Match: ${coded.headers.etag}`] })
  assert.equal(other.status, 200)
  const part = await get(node.port, '/a.js', {
    lines: ['Accept-Encoding: gzip', 'Range: bytes=2-4', `If-Range: ${coded.headers.etag}`],
  })
  assert.deepEqual([part.status, part.text, part.headers['content-encoding']], [206, 'cde', 'gzip'])
  const head = await get(node.port, '/a.js', { method: 'HEAD', lines: ['Accept-Encoding: gzip'] })
  assert.equal(head.headers['content-encoding'], 'gzip')
  assert.equal(head.headers['content-length'], '10')
})

test('a stale or vanished sibling is not sent', async (t) => {
  const node = await startNode(t, {
    files: { 'a.js': 'new', 'a.js.gz': 'STALE', 'b.js': 'plain', 'b.js.gz': 'GZ' },
  })
  const old = new Date(Date.now() - 60_000)
  utimesSync(join(node.root, 'a.js.gz'), old, old)
  assert.equal((await get(node.port, '/a.js', takes('gzip'))).text, 'new')
  assert.equal((await get(node.port, '/b.js', takes('gzip'))).text, 'GZ')
  rmSync(join(node.root, 'b.js.gz'))
  await until(async () => (await get(node.port, '/b.js', takes('gzip'))).text === 'plain', 'gone')
})

function takeParts(answer) {
  const [, boundary] = /^multipart\/byteranges; boundary=(.+)$/.exec(answer.headers['content-type'])
  const parts = answer.text.split(`--${boundary}`)
  assert.equal(parts.at(-1), '--\r\n')
  return parts.slice(1, -1).map((part) => {
    const [head, ...body] = part.split('\r\n\r\n')
    return {
      range: /Content-Range: (.+)/.exec(head)[1],
      type: /Content-Type: (.+)/.exec(head)[1],
      body: body.join('\r\n\r\n').replace(/\r\n$/, ''),
    }
  })
}

test('several ranges, from memory and from the disk', async (t) => {
  const big = Buffer.alloc(300_000, 'abcdefghij')
  const node = await startNode(t, { files: { 'a.txt': '0123456789'.repeat(100), 'big.txt': big } })
  const small = await get(node.port, '/a.txt', { lines: ['Range: bytes=0-1, 10-12, -2'] })
  assert.equal(small.status, 206)
  assert.deepEqual(takeParts(small), [
    { range: 'bytes 0-1/1000', type: 'text/plain; charset=utf-8', body: '01' },
    { range: 'bytes 10-12/1000', type: 'text/plain; charset=utf-8', body: '012' },
    { range: 'bytes 998-999/1000', type: 'text/plain; charset=utf-8', body: '89' },
  ])
  const parts = takeParts(
    await get(node.port, '/big.txt', { lines: ['Range: bytes=100000-249999,5-9'] }),
  )
  assert.deepEqual(
    parts.map((part) => [part.range, part.body.length]),
    [
      ['bytes 100000-249999/300000', 150_000],
      ['bytes 5-9/300000', 5],
    ],
  )
  assert.equal(parts[1].body, 'fghij')
  const one = await get(node.port, '/a.txt', { lines: ['Range: bytes=2000-, 3-4'] })
  assert.deepEqual(
    [one.status, one.text, one.headers['content-range']],
    [206, '34', 'bytes 3-4/1000'],
  )
  const many = Array.from({ length: 40 }, (_, i) => `${i * 3}-${i * 3}`).join(',')
  assert.equal((await get(node.port, '/a.txt', { lines: [`Range: bytes=${many}`] })).status, 200)
  const overlap = '0-500,1-501,2-502,3-503'
  assert.equal((await get(node.port, '/a.txt', { lines: [`Range: bytes=${overlap}`] })).status, 200)
})

test('a folder is listed where the site says so, as a page and as JSON', async (t) => {
  const node = await startNode(t, {
    files: {
      'top.txt': 'x',
      'dir/b & <i>.txt': 'hello',
      'dir/%41.txt': 'x',
      'dir/.hidden': 'x',
      'dir/sub/x': 'x',
      'has/index.html': 'index',
    },
    site: { directoryListing: { enabled: true } },
  })
  symlinkSync('/etc/passwd', join(node.root, 'dir/out'))
  mkdirSync(join(node.root, 'empty'))
  const json = await get(node.port, '/dir/', { lines: ['Accept: application/json'] })
  assert.equal(json.headers['content-type'], 'application/json')
  assert.equal(json.headers.vary, 'Accept')
  const listing = JSON.parse(json.text)
  assert.deepEqual(
    listing.entries.map(({ name, type }) => [name, type]),
    [
      ['sub', 'folder'],
      ['%41.txt', 'file'],
      ['b & <i>.txt', 'file'],
    ],
  )
  assert.equal(listing.entries[2].sizeBytes, 5)
  const page = await get(node.port, '/dir/')
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.ok(page.text.includes('b &amp; &lt;i&gt;.txt'), page.text)
  assert.ok(page.text.includes('b%20%26%20%3Ci%3E.txt'), page.text)
  assert.ok(page.text.includes('%2541.txt'), page.text)
  assert.equal((await get(node.port, '/has/')).text, 'index')
  assert.equal((await get(node.port, '/empty/')).status, 200)
  assert.equal((await get(node.port, '/dir')).headers.location, '/dir/')
  const head = await get(node.port, '/dir/', { method: 'HEAD' })
  assert.equal(head.headers['content-length'], String(page.body.length))
  assert.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/)
  assert.equal(json.headers['content-security-policy'], undefined)
})

test('conditions on a listing, which has neither tag nor date, go by RFC 9110 section 13', async (t) => {
  const node = await startNode(t, {
    files: { 'dir/a.txt': 'x' },
    site: {
      directoryListing: { enabled: true },
      expires: [{ paths: ['/dir/'], maxAgeSeconds: 60 }],
      headers: [{ name: 'Content-Security-Policy', value: 'sandbox', paths: ['/dir/'] }],
    },
  })
  const past = 'Sun, 06 Nov 1994 08:49:37 GMT'
  for (const [line, status] of [
    ['If-Match: *', 200],
    ['If-Match: "x"', 412],
    ['If-None-Match: "x"', 200],
    ['If-None-Match: *', 304],
    [`If-Modified-Since: ${past}`, 200],
    [`If-Unmodified-Since: ${past}`, 200],
    ['Range: bytes=0-1', 200],
  ])
    assert.equal((await get(node.port, '/dir/', { lines: [line] })).status, status, line)
  const { headers, text } = await get(node.port, '/dir/', { lines: ['If-None-Match: *'] })
  assert.deepEqual(
    [text, headers.vary, headers['cache-control'], headers['content-type']],
    ['', 'Accept', 'max-age=60', undefined],
  )
  assert.equal((await get(node.port, '/dir/')).headers['content-security-policy'], 'sandbox')
})

test('rules of any length fit into a head, conditional ones too', async (t) => {
  const long = 'x'.repeat(4000)
  const node = await startNode(t, {
    files: { 'a.txt': 'x' },
    site: {
      headers: Array.from({ length: 16 }, (_, i) => ({
        name: `X-${i}`,
        value: long,
        types: ['text/*'],
      })),
    },
  })
  const { status, headers } = await get(node.port, '/a.txt')
  assert.deepEqual([status, headers['x-15']], [200, long])
})

test('headers and expiry by path, type and status', async (t) => {
  const node = await startNode(t, {
    files: { 'a.css': 'css', 'static/a.js': 'js', 'a.html': 'page' },
    site: {
      headers: [
        { action: 'set', name: 'X-All', value: 'yes' },
        { action: 'set', name: 'X-Css', value: 'yes', types: ['text/css'] },
        { action: 'set', name: 'X-Static', value: 'yes', paths: ['/static/**'] },
        { action: 'set', name: 'X-Lost', value: 'yes', statuses: ['404'] },
        { action: 'set', name: 'X-Bad', value: 'yes', statuses: ['4xx'] },
      ],
      expires: [
        { paths: ['/static/**'], maxAgeSeconds: 31536000, directives: 'public, immutable' },
        { types: ['text/*'], maxAgeSeconds: 60 },
      ],
    },
  })
  for (const [target, present, cache] of [
    ['/a.css', ['x-all', 'x-css'], 'max-age=60'],
    ['/static/a.js', ['x-all', 'x-static'], 'max-age=31536000, public, immutable'],
    ['/a.html', ['x-all'], 'max-age=60'],
    ['/none', ['x-all', 'x-bad', 'x-lost'], undefined],
  ])
    for (let twice = 0; twice < 2; twice++) {
      const { headers } = await get(node.port, target)
      const found = Object.keys(headers).filter((name) => name.startsWith('x-'))
      assert.deepEqual(found.sort(), present, target)
      assert.equal(headers['cache-control'], cache, target)
    }
})
