// SPDX-License-Identifier: MIT
// Files that are compressed on the fly: as they are at first, from a copy from then on.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import http2 from 'node:http2'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
const takes = (coding, ...lines) => ({ lines: [`Accept-Encoding: ${coding}`, ...lines] })
const page = (title, repeats = 200) =>
  `<!doctype html><title>${title}</title>${`<p class="text">${title} is a page</p>\n`.repeat(repeats)}`

/** A node whose copies are in `copies` of its folder. */
async function startCompressing(t, { compression = {}, config = {}, ...options } = {}) {
  const node = await startNode(t, {
    ...options,
    config: ({ folder }) => ({
      compression: { cacheFolder: join(folder, 'copies'), ...compression },
      ...config,
    }),
  })
  node.copies = join(node.folder, 'copies')
  return node
}

/** Asks until the answer comes from a copy. */
async function compressed(node, target, coding = 'br', ...lines) {
  return until(async () => {
    const answer = await get(node.port, target, takes(coding, ...lines))
    return answer.headers['content-encoding'] === coding && answer
  }, `${target} in ${coding}`)
}

const same = (answer) => [
  answer.status,
  answer.headers['content-encoding'],
  answer.headers.etag,
  answer.headers['content-length'],
  answer.headers.vary,
]

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
  assert.equal(await node.counter('copiesMade'), 3)
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
      assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, undefined], path)
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
  assert.equal(await node.counter('copiesMade'), 3)
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
  assert.equal(await node.counter('copiesMade'), 2)
})

test('many ask at once, on two loops: it is compressed once', async (t) => {
  const node = await startCompressing(t, { files: { 'a.html': page('once', 20_000) } })
  await sleep(3000) // so that it is old enough for all of them
  const clients = await Promise.all(Array.from({ length: 24 }, () => RawClient.connect(node.port)))
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
  assert.equal(await node.counter('copiesMade'), 1)
  assert.equal(readdirSync(node.copies).length, 1)
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
  assert.equal(await node.counter('copiesMade'), 1)
})

for (const engine of ['ttl', 'inotify'])
  test(`a file that is replaced while it is compressed, its time and size kept: ${engine}`, async (t) => {
    const config = { statCache: { engine, ttlMillis: 100 }, workers: 2 }
    const node = await startCompressing(t, { files: { 'a.html': page('00') }, config })
    const long = new Date(Date.now() - 3_600_000)
    let version = 0
    const replace = () => {
      const next = join(node.root, '.next')
      writeFileSync(next, page(String(++version).padStart(2, '0')))
      utimesSync(next, long, long)
      renameSync(next, join(node.root, 'a.html'))
    }
    const end = Date.now() + 7000
    let copies = 0
    for (let i = 0; Date.now() < end; i++) {
      if (i % 60 === 0) replace()
      const since = version
      await sleep(i % 60 === 0 ? 250 : 40)
      const answer = await get(node.port, '/a.html', takes('br'))
      const isCopy = answer.headers['content-encoding'] === 'br'
      const text = (isCopy ? brotliDecompressSync(answer.body) : answer.body).toString()
      assert.equal(text, page(String(since).padStart(2, '0')))
      copies += isCopy
    }
    assert.ok(copies > 10, `${copies} answers from copies`)
  })

test('a file that is rewritten in place all the time: whole versions only', async (t) => {
  const config = { statCache: { ttlMillis: 50 } }
  const node = await startCompressing(t, { files: { 'a.txt': page('0000', 3000) }, config })
  let version = 0
  let copies = 0
  for (let turn = 0; turn < 3 || (copies === 0 && turn < 12); turn++) {
    await sleep(2600)
    for (let i = 0; i < 12; i++) {
      const asked = Array.from({ length: 4 }, () =>
        get(node.port, '/a.txt', takes('gzip')).catch(() => null),
      )
      if (i === 2)
        writeFileSync(join(node.root, 'a.txt'), page(String(++version).padStart(4, '0'), 3000))
      for (const answer of await Promise.all(asked)) {
        if (answer?.status !== 200 || !answer.complete) continue
        if (answer.headers['content-encoding'] !== 'gzip') continue
        const text = gunzipSync(answer.body).toString()
        const title = /<title>(\d+)/.exec(text)[1]
        assert.equal(text, page(title, 3000))
        copies++
      }
      await sleep(20)
    }
  }
  assert.ok(copies > 0)
})

test('a folder that is gone, a file, or open to others costs compression and no answer', async (t) => {
  const text = page('unusable')
  const node = await startCompressing(t, {
    files: { 'a.html': text, 'b.html': text, 'c.html': text },
  })
  await compressed(node, '/a.html')
  rmSync(node.copies, { recursive: true })
  await compressed(node, '/b.html') // it is made again
  await until(async () => (await compressed(node, '/a.html')).status === 200, 'the first, too')
  rmSync(node.copies, { recursive: true })
  writeFileSync(node.copies, 'a file')
  await node.logLine(/./)
  for (let i = 0; i < 40; i++) {
    const answer = await get(node.port, '/c.html', takes('br'))
    assert.deepEqual([answer.status, answer.text], [200, text])
    const known = await get(node.port, '/a.html', takes('br'))
    assert.equal(known.status, 200)
  }
  await node.logLine(
    /warn compression\.cacheFolder: ".*\/copies" can't be opened or made: Not a directory; files are sent as they are meanwhile\n/,
  )
  rmSync(node.copies)
  mkdirSync(node.copies)
  chmodSync(node.copies, 0o777)
  await node.reload({ ...node.config, defaultType: 'text/plain' }) // so that it is tried at once
  for (let i = 0; i < 40; i++)
    assert.equal((await get(node.port, '/c.html', takes('br'))).text, text)
  assert.equal(readdirSync(node.copies).length, 0)
  assert.equal(node.log.match(/warn compression/g).length <= 2, true) // one a minute for each loop
  chmodSync(node.copies, 0o700)
  await node.reload(node.config)
  await compressed(node, '/c.html')
})

const small = (folder, options) => [
  'unshare',
  process.getuid() === 0 ? '-m' : '-rm',
  'sh',
  '-c',
  `mkdir -p "$0" && mount -t tmpfs -o ${options} tmpfs "$0" && exec "$@"`,
  folder,
]
const refused = spawnSync('unshare', [
  process.getuid() === 0 ? '-m' : '-rm',
  'mount',
  '-t',
  'tmpfs',
  'tmpfs',
  '/tmp',
])
const skip = refused.status !== 0 && `can't mount a small disk: ${refused.stderr}`

for (const [what, options] of [
  ['is full', 'size=8k,mode=700'],
  ['is read-only', 'ro,mode=700'],
])
  test(`a folder that ${what} costs compression and no answer`, { skip }, async (t) => {
    const disk = `/tmp/farmstead-copies-${process.pid}-${options.length}`
    t.after(() => rmSync(disk, { recursive: true, force: true }))
    const text = page('disk', 5) + randomBytes(15_000).toString('hex')
    const node = await startNode(t, {
      files: { 'a.html': text, 'b.html': text },
      wrap: small(disk, options),
      config: { compression: { cacheFolder: disk } },
    })
    await until(async () => {
      const answer = await get(node.port, '/a.html', takes('br'))
      assert.deepEqual([answer.status, answer.text], [200, text])
      return (await node.counter('copiesFailed')) > 0
    }, 'a failure')
    await node.logLine(
      /warn compression\.cacheFolder: ".*" can't be written to: .*; files are sent as they are meanwhile\n/,
    )
    for (let i = 0; i < 50; i++)
      assert.equal((await get(node.port, '/b.html', takes('br'))).text, text)
    assert.ok((await node.counter('copiesFailed')) <= 3) // it is not tried for each request
  })

test('a start finds the copies there are, and removes what was left half done', async (t) => {
  const files = { 'a.html': page('start') }
  const node = await startCompressing(t, { files })
  const before = await compressed(node, '/a.html')
  assert.equal(await node.stop('SIGKILL'), 'SIGKILL')
  node.expectFailure = true
  writeFileSync(join(node.copies, 'unfinished-1-1'), 'half')
  writeFileSync(join(node.copies, 'notes.txt'), 'mine')
  const again = await startNode(t, {
    site: { root: node.root },
    config: { compression: { cacheFolder: node.copies } },
  })
  const answer = await compressed(again, '/a.html')
  assert.deepEqual([answer.headers.etag, answer.body], [before.headers.etag, before.body])
  assert.equal(await again.counter('copiesMade'), 0)
  await until(() => !readdirSync(node.copies).includes('unfinished-1-1'), 'it is gone')
  assert.ok(readdirSync(node.copies).includes('notes.txt'))
  const { gauges } = await again.status()
  assert.equal(gauges.copies, 1)
})

test('a copy that somebody cuts short fails no request for the file', async (t) => {
  const text = page('cut')
  const node = await startCompressing(t, {
    files: { 'a.html': text },
    config: { fileCache: { maxBytes: 0 }, statCache: { ttlMillis: 50 } },
  })
  await compressed(node, '/a.html')
  const [name] = readdirSync(node.copies)
  writeFileSync(join(node.copies, name), '') // which is how a copy says that it is not worth it
  await until(async () => {
    const answer = await get(node.port, '/a.html', takes('br'))
    return answer.text === text
  }, 'the file itself')
  assert.equal(statSync(join(node.copies, name)).size, 0)
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

test('a folder that is served is refused', async (t) => {
  const node = await startNode(t, { files: { 'a.html': 'a' } })
  for (const folder of [join(node.root, 'copies'), node.root]) {
    node.writeConfig({ ...node.config, compression: { cacheFolder: folder } })
    const { status, stdout } = spawnSync(nodeBinary, ['check', '--json', node.configPath], {
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.deepEqual(
      JSON.parse(stdout).errors.map(({ pointer, code }) => [pointer, code]),
      [['/compression/cacheFolder', 'exposed_file']],
    )
  }
})

test('the folder is one that the owner lets the node write to', async (t) => {
  const text = page('policy')
  const copies = join(tempFolder(t), 'copies')
  mkdirSync(copies, { mode: 0o700 })
  const node = await startNode(t, {
    files: { 'a.html': text },
    config: { compression: { cacheFolder: copies } },
    options: (folder) => {
      const policy = policyFor([join(folder, 'www')], { runtime: [copies] })
      return ['--policy', writePolicy(join(folder, 'policy.json'), policy)]
    },
  })
  // It may be written to and not be served, but for the node's own copies.
  const answer = await compressed(node, '/a.html')
  assert.equal(brotliDecompressSync(answer.body).toString(), text)
  const from = node.log.length
  await node.reload({ ...node.config, compression: { cacheFolder: join(node.root, '../other') } })
  assert.match(node.log.slice(from), /other" is not what this machine's policy allows \(runtime/)
})
