// SPDX-License-Identifier: MIT
// Files that are compressed on the fly: as they are at first, from a copy from then on.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, utimesSync } from 'node:fs'
import http2 from 'node:http2'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { compressed, page, startCompressing, takes } from '../support/compressing.mjs'
import { until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

const same = (answer) => [
  answer.status,
  answer.headers['content-encoding'],
  answer.headers.etag,
  answer.headers['content-length'],
  answer.headers.vary,
]

// They wait for most of their time, each for its own node.
suite('compressed on the fly', { concurrency: 3 }, () => {
  test('as it is at first, from a copy from then on, each coding under its tag', async (t) => {
    const text = page('first')
    const node = await startCompressing(t, { files: { 'a.html': text } })
    const first = await get(node.port, '/a.html', takes('br, zstd, gzip'))
    assert.equal(first.text, text)
    assert.deepEqual(
      [first.headers['content-encoding'], first.headers.vary],
      [undefined, 'Accept-Encoding'],
    )
    const tags = new Set([(await get(node.port, '/a.html')).headers.etag])
    for (const coding of ['br', 'zstd', 'gzip']) {
      const answer = await compressed(node, '/a.html', coding)
      assert.equal(decoders[coding](answer.body).toString(), text)
      assert.match(answer.headers.etag, new RegExp(`^"[0-9a-f-]+-${coding}[0-9]+-[0-9a-f]{8}"$`))
      assert.equal(answer.headers.vary, 'Accept-Encoding')
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(
        answer.headers['last-modified'],
        first.headers['last-modified'] ?? answer.headers['last-modified'],
      )
      assert.ok(answer.body.length < text.length / 2)
      tags.add(answer.headers.etag)
      const head = await get(node.port, '/a.html', { method: 'HEAD', ...takes(coding) })
      assert.deepEqual(same(head), same(answer))
    }
    assert.equal(tags.size, 4)
    for (const coding of ['', 'identity', 'deflate', 'br;q=0, *;q=0', 'identity, br;q=0.5']) {
      const answer = await get(node.port, '/a.html', takes(coding))
      assert.deepEqual([answer.text, answer.headers['content-encoding']], [text, undefined], coding)
      assert.equal(answer.headers.vary, 'Accept-Encoding')
    }
    const kept = await get(
      node.port,
      '/a.html',
      takes('br', 'Cache-Control: max-age=0, No-Transform'),
    )
    assert.deepEqual([kept.text, kept.headers['content-encoding']], [text, undefined])
    await node.untilCounter('copiesMade', 3)
  })

  test('conditions and ranges go by what the client has', async (t) => {
    const text = page('ranges') + randomBytes(2000).toString('hex')
    const node = await startCompressing(t, { files: { 'a.html': text } })
    const earlier = new Date(Date.now() - 60_000) // a date of this second is no strong validator
    utimesSync(join(node.root, 'a.html'), earlier, earlier)
    await sleep(1000) // the time before is forgotten
    const copy = await compressed(node, '/a.html')
    const plain = await get(node.port, '/a.html')
    const ask = (...lines) => get(node.port, '/a.html', takes('br', ...lines))

    const still = await ask(`If-None-Match: ${copy.headers.etag}`)
    assert.deepEqual([still.status, still.headers.etag], [304, copy.headers.etag])
    assert.equal(still.headers.vary, 'Accept-Encoding')
    const stillPlain = await ask(`If-None-Match: "x", W/${plain.headers.etag}`)
    assert.deepEqual([stillPlain.status, stillPlain.headers.etag], [304, plain.headers.etag])
    const unsaid = await get(node.port, '/a.html', {
      lines: [`If-None-Match: ${plain.headers.etag}`],
    })
    for (const { headers } of [plain, stillPlain, unsaid])
      assert.equal(headers.vary, 'Accept-Encoding')
    const other = await ask('If-None-Match: "another"')
    assert.deepEqual([other.status, other.headers.etag], [200, copy.headers.etag])
    const both = await ask(`If-None-Match: ${plain.headers.etag}, ${copy.headers.etag}`)
    assert.deepEqual([both.status, both.headers.etag], [304, copy.headers.etag])
    assert.equal((await ask(`If-Match: ${plain.headers.etag}`)).status, 200)
    assert.equal((await ask(`If-Match: ${copy.headers.etag}`)).status, 200)
    assert.equal((await ask('If-Match: "another"')).status, 412)

    // Who began with the file goes on with it, though there is a copy by now; and the other way round.
    for (const [condition, whole, tag, encoding] of [
      [undefined, plain.body, plain.headers.etag, undefined],
      [plain.headers.etag, plain.body, plain.headers.etag, undefined],
      [plain.headers['last-modified'], plain.body, plain.headers.etag, undefined],
      [copy.headers.etag, copy.body, copy.headers.etag, 'br'],
    ]) {
      const lines = ['Range: bytes=10-19', ...(condition ? [`If-Range: ${condition}`] : [])]
      const part = await ask(...lines)
      assert.equal(part.status, 206, `${condition} ${part.head}`)
      assert.deepEqual(part.body, whole.subarray(10, 20), condition)
      assert.equal(part.headers['content-range'], `bytes 10-19/${whole.length}`)
      assert.deepEqual([part.headers.etag, part.headers['content-encoding']], [tag, encoding])
      assert.equal(part.headers.vary, 'Accept-Encoding')
    }
    const changed = await ask('Range: bytes=10-19', 'If-Range: "another"')
    assert.deepEqual([changed.status, changed.text], [200, text])
    const parts = await ask('Range: bytes=0-1,5-6', `If-Range: ${copy.headers.etag}`)
    assert.equal(parts.status, 206)
    assert.match(parts.headers['content-type'], /^multipart\/byteranges/)
    assert.equal(parts.headers['content-encoding'], 'br')
    const head = await get(node.port, '/a.html', {
      method: 'HEAD',
      ...takes('br', 'Range: bytes=10-19'),
    })
    assert.deepEqual(same(head), same(copy))
  })

  test('what is not compressed, and why', async (t) => {
    const noise = randomBytes(5000)
    const stored = randomBytes(3000).toString('hex')
    const node = await startCompressing(t, {
      files: {
        'small.html': 'x'.repeat(1023),
        'least.html': 'x'.repeat(1024),
        'large.html': 'x'.repeat(100_001),
        'a.png': 'x'.repeat(5000),
        'a.svgz': 'x'.repeat(5000),
        'stored/a.json': gzipSync(stored),
        'noise.txt': noise,
        'kept.html': page('kept'),
        'cached.css': page('cached'),
        'beside.js': page('beside'),
        'beside.js.gz': 'GZIP',
        'errors/404.html': page('not here'),
      },
      compression: { maxFileBytes: 100_000 },
      site: {
        headers: [{ name: 'Cache-Control', value: 'private, no-transform', paths: ['/kept.html'] }],
        expires: [{ paths: ['*.css'], maxAgeSeconds: 60, directives: 'no-transform' }],
        errorPages: { 404: '/errors/404.html' },
        storedCodings: [{ paths: ['/stored/**'], coding: 'gzip', type: 'application/json' }],
      },
    })
    await compressed(node, '/least.html')
    await until(async () => {
      await get(node.port, '/noise.txt', takes('br'))
      return (await node.counter('copiesMade')) === 2
    }, 'it is known that noise is not worth it')
    for (const path of ['small.html', 'large.html', 'a.png', 'kept.html', 'cached.css'])
      for (let i = 0; i < 3; i++) {
        const answer = await get(node.port, `/${path}`, takes('br, gzip'))
        assert.deepEqual(
          [answer.status, answer.headers['content-encoding']],
          [200, undefined],
          path,
        )
        assert.equal(answer.headers.vary, undefined, path)
      }
    for (let i = 0; i < 3; i++) {
      const answer = await get(node.port, '/stored/a.json', takes('br, gzip'))
      assert.equal(answer.headers['content-encoding'], 'gzip')
      assert.equal(gunzipSync(answer.body).toString(), stored)
      await sleep(50)
    }
    assert.equal((await get(node.port, '/a.svgz', takes('br'))).headers['content-encoding'], 'gzip')
    assert.equal(
      (await get(node.port, '/missing', takes('br'))).headers['content-encoding'],
      undefined,
    )
    const beside = await get(node.port, '/beside.js', takes('br, gzip'))
    assert.equal(beside.text, 'GZIP') // made before: it comes first
    for (let i = 0; i < 3; i++) {
      const answer = await get(node.port, '/noise.txt', takes('br'))
      assert.deepEqual([answer.body, answer.headers['content-encoding']], [noise, undefined])
      assert.equal(answer.headers.vary, 'Accept-Encoding')
    }
    await compressed(node, '/beside.js') // there is none in br
    await node.untilCounter('copiesMade', 3)
  })

  test('a site of its own mind, and changes at a reload', async (t) => {
    const node = await startCompressing(t, {
      files: { 'a.html': page('reload') },
      site: { compress: ['gzip'] },
    })
    const gzip = await compressed(node, '/a.html', 'gzip')
    assert.equal(
      (await get(node.port, '/a.html', takes('br'))).headers['content-encoding'],
      undefined,
    )
    await node.reload({
      ...node.config,
      compression: { ...node.config.compression, levels: { gzip: 1 } },
    })
    const faster = await compressed(node, '/a.html', 'gzip')
    assert.notEqual(faster.headers.etag, gzip.headers.etag)
    await node.reload({ ...node.config, sites: [{ ...node.config.sites[0], compress: [] }] })
    const off = await get(node.port, '/a.html', takes('gzip'))
    assert.deepEqual([off.headers['content-encoding'], off.headers.vary], [undefined, undefined])
    await node.reload(node.config)
    assert.equal((await compressed(node, '/a.html', 'gzip')).headers.etag, gzip.headers.etag)
    await node.untilCounter('copiesMade', 2)
  })

  test('a file under two names is compressed once, and each name has its type', async (t) => {
    const node = await startCompressing(t, {
      files: { 'a.html': page('names') },
      site: { downloads: [{ paths: ['*.html'] }] },
    })
    for (const name of ['a.css', 'b.html'])
      spawnSync('ln', [join(node.root, 'a.html'), join(node.root, name)])
    await compressed(node, '/a.html')
    for (const [path, type] of [
      ['/a.css', 'text/css; charset=utf-8'],
      ['/a.html', 'text/html; charset=utf-8'],
      ['/a.css', 'text/css; charset=utf-8'],
    ])
      assert.equal((await compressed(node, path)).headers['content-type'], type)
    for (const name of ['a.html', 'b.html', 'a.html'])
      assert.match(
        (await compressed(node, `/${name}`)).headers['content-disposition'],
        new RegExp(`filename="${name}"`),
      )
    await node.untilCounter('copiesMade', 1)
  })

  test('HTTP/2 gets the same', async (t) => {
    const text = page('two')
    const node = await startCompressing(t, { files: { 'a.html': text } })
    const copy = await compressed(node, '/a.html')
    const session = http2.connect(`http://127.0.0.1:${node.port}`)
    t.after(() => session.close())
    const ask = (headers) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': '/a.html', ...headers })
        const chunks = []
        let head
        stream.on('response', (fields) => {
          head = fields
        })
        stream.on('data', (chunk) => chunks.push(chunk))
        stream.on('end', () => resolve({ headers: head, body: Buffer.concat(chunks) }))
        stream.on('error', reject)
      })
    const answer = await ask({ 'accept-encoding': 'br' })
    assert.deepEqual(answer.body, copy.body)
    assert.deepEqual(
      [
        answer.headers[':status'],
        answer.headers.etag,
        answer.headers['content-encoding'],
        answer.headers.vary,
      ],
      [200, copy.headers.etag, 'br', 'Accept-Encoding'],
    )
    const part = await ask({
      'accept-encoding': 'br',
      range: 'bytes=0-9',
      'if-range': copy.headers.etag,
    })
    assert.deepEqual(part.body, copy.body.subarray(0, 10))
    const none = await ask({ 'accept-encoding': 'br', 'if-none-match': copy.headers.etag })
    assert.equal(none.headers[':status'], 304)
    assert.equal(
      (await ask({ 'accept-encoding': 'br', 'cache-control': 'no-transform' })).body.toString(),
      text,
    )
  })

  test('many ask at once, on two loops: it is compressed once', async (t) => {
    const node = await startCompressing(t, { files: { 'a.html': page('once', 20_000) } })
    await sleep(3000) // so that it is old enough for all of them
    const clients = await Promise.all(
      Array.from({ length: 24 }, () => RawClient.connect(node.port)),
    )
    let codings = 0
    for (let round = 0; round < 50 && codings < 24; round++) {
      for (const client of clients) client.send(request('/a.html', takes('br')))
      const answers = await Promise.all(clients.map((client) => client.response()))
      codings = answers.filter(({ headers }) => headers['content-encoding'] === 'br').length
      for (const { headers, body } of answers)
        assert.equal(
          (headers['content-encoding'] ? brotliDecompressSync(body) : body).toString(),
          page('once', 20_000),
        )
      await sleep(20)
    }
    for (const client of clients) client.close()
    assert.equal(codings, 24)
    await node.untilCounter('copiesMade', 1)
    assert.equal(readdirSync(node.copies).length, 1)
  })

  test('a stop does not wait for what is being compressed', async (t) => {
    const words = Array.from({ length: 1_000_000 }, (_, i) => `${(i * 7919) % 99_991} `).join('')
    const node = await startCompressing(t, {
      files: { 'a.txt': words },
      compression: { levels: { br: 11 } },
    })
    await sleep(3000)
    await get(node.port, '/a.txt', takes('br'))
    await sleep(100)
    const began = Date.now()
    assert.equal(await node.stop(), 0)
    assert.ok(Date.now() - began < 4000, `${Date.now() - began} ms`)
  })
})
