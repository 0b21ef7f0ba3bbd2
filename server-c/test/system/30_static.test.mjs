// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { exchange, get, LOOPBACK, OUTSIDE, RawClient, request } from '../support/raw.mjs'

test('a folder is its index; without its slash it is redirected, query and all', async (t) => {
  const node = await startNode(t, {
    files: {
      'index.html': 'root',
      'docs/index.html': 'docs',
      'docs/second.htm': 'second',
      'empty/x': '',
      'a b/index.html': 'space',
    },
    site: { index: ['none.html', 'index.html', 'second.htm'] },
  })
  assert.equal((await get(node.port, '/')).text, 'root')
  const docs = await get(node.port, '/docs/')
  assert.equal(docs.text, 'docs')
  assert.equal(docs.headers['content-type'], 'text/html; charset=utf-8')
  rmSync(join(node.root, 'docs/index.html'))
  await until(async () => (await get(node.port, '/docs/')).text === 'second', 'the next index name')
  assert.equal((await get(node.port, '/empty/')).status, 404)
  for (const [target, location] of [
    ['/docs', '/docs/'],
    ['/docs?a=b&c', '/docs/?a=b&c'],
    ['/docs?', '/docs/?'],
    ['//docs', '/docs/'],
    ['/a%20b', '/a%20b/'],
    ['/x/../docs', '/docs/'],
  ]) {
    const { status, headers } = await get(node.port, target)
    assert.equal(status, 301, target)
    assert.equal(headers.location, location)
  }
})

test('types come from the suffix, the config first', async (t) => {
  const node = await startNode(t, {
    files: { 'a.svg': '', 'a.XYZ': '', 'a.html': '', noext: '' },
    config: { mimeTypes: { '.xyz': 'application/x-yz', '.html': 'text/x-html' } },
  })
  for (const [target, type] of [
    ['/a.svg', 'image/svg+xml'],
    ['/a.XYZ', 'application/x-yz'],
    ['/a.html', 'text/x-html'],
    ['/noext', 'application/octet-stream'],
  ])
    assert.equal((await get(node.port, target)).headers['content-type'], type, target)
})

test('hidden files are not there, unless the site says so; .well-known always is', async (t) => {
  const files = { '.env': 'secret', '.git/config': 'secret', '.well-known/x.txt': 'open' }
  const node = await startNode(t, { files })
  for (const target of ['/.env', '/.git/config', '/%2eenv', '/.git/../.env', '/.git'])
    assert.equal((await get(node.port, target)).status, 404, target)
  assert.equal((await get(node.port, '/.well-known/x.txt')).text, 'open')
  const open = await startNode(t, { files, site: { hiddenFiles: true } })
  assert.equal((await get(open.port, '/.env')).text, 'secret')
})

test('links inside the root are followed, links out of it are not there', async (t) => {
  const node = await startNode(t, {
    files: { 'real/a.txt': 'a', '../outside/secret.txt': 'secret' },
  })
  symlinkSync('real/a.txt', join(node.root, 'inside.txt'))
  symlinkSync('real', join(node.root, 'folder'))
  symlinkSync('../outside/secret.txt', join(node.root, 'out.txt'))
  symlinkSync('../outside', join(node.root, 'outfolder'))
  symlinkSync('/etc/passwd', join(node.root, 'passwd.txt'))
  symlinkSync('loop.txt', join(node.root, 'loop.txt'))
  symlinkSync('/proc/self/root/etc', join(node.root, 'magic'))
  assert.equal((await get(node.port, '/inside.txt')).text, 'a')
  assert.equal((await get(node.port, '/folder/a.txt')).text, 'a')
  for (const target of [
    '/out.txt',
    '/outfolder/secret.txt',
    '/passwd.txt',
    '/loop.txt',
    '/magic/passwd',
    '/dangling',
  ])
    assert.equal((await get(node.port, target)).status, 404, target)
})

test('a root that is itself a link may be turned to another release', async (t) => {
  const node = await startNode(t, {
    files: { 'v1/a.txt': 'one', 'v2/a.txt': 'two' },
    config: { statCache: { ttlMillis: 100 } },
  })
  const current = join(node.folder, 'current')
  symlinkSync(join(node.root, 'v1'), current)
  assert.ok(await node.reload({ ...node.config, sites: [{ hosts: ['*'], root: current }] }))
  assert.equal((await get(node.port, '/a.txt')).text, 'one')
  symlinkSync(join(node.root, 'v2'), `${current}.new`)
  renameSync(`${current}.new`, current)
  await until(async () => (await get(node.port, '/a.txt')).text === 'two', 'the new release')
})

test('only regular files are served: a FIFO, a socket and a device are not, and hold nobody up', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'a' } })
  execFileSync('mkfifo', [join(node.root, 'fifo')])
  if (process.getuid() === 0) execFileSync('mknod', [join(node.root, 'zero'), 'c', '1', '5'])
  for (const target of ['/fifo', '/zero'])
    assert.equal((await get(node.port, target)).status, 404, target)
  assert.equal((await get(node.port, '/a.txt')).text, 'a')
})

test('a file without read permission is 403', {
  skip: process.getuid() === 0 && 'root may read everything',
}, async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'a' } })
  chmodSync(join(node.root, 'a.txt'), 0)
  assert.equal((await get(node.port, '/a.txt')).status, 403)
})

test('names with spaces, umlauts, percent and question marks are found by their encoded form', async (t) => {
  const node = await startNode(t, {
    files: { 'a b.txt': '1', 'ä.txt': '2', '100%.txt': '3', 'w?y.txt': '4', 'back\\slash': '5' },
  })
  for (const [target, want] of [
    ['/a%20b.txt', '1'],
    ['/%c3%a4.txt', '2'],
    ['/100%25.txt', '3'],
    ['/w%3Fy.txt', '4'],
    ['/back%5Cslash', '5'],
    ['/a%20b.txt?x=%00', '1'],
  ])
    assert.equal((await get(node.port, target)).text, want, target)
})

test('conditional requests follow RFC 9110 section 13.2.2', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'alpha\n' } })
  utimesSync(join(node.root, 'a.txt'), 784111777, 784111777)
  const { etag } = (await get(node.port, '/a.txt')).headers
  const same = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const earlier = 'Sun, 06 Nov 1994 08:49:36 GMT'
  for (const [lines, want] of [
    [[`If-None-Match: ${etag}`], 304],
    [[`If-None-Match: W/${etag}`], 304],
    [[`If-None-Match: "x", ${etag}`], 304],
    [['If-None-Match: "x"', `If-None-Match: ${etag}`], 304],
    [['If-None-Match: *'], 304],
    [['If-None-Match: "x"'], 200],
    [[`If-Modified-Since: ${same}`], 304],
    [[`If-Modified-Since: ${earlier}`], 200],
    [['If-None-Match: "x"', `If-Modified-Since: ${same}`], 200],
    [[`If-Match: ${etag}`], 200],
    [[`If-Match: W/${etag}`], 412],
    [['If-Match: "x"', `If-None-Match: ${etag}`], 412],
    [[`If-Unmodified-Since: ${same}`], 200],
    [[`If-Unmodified-Since: ${earlier}`], 412],
    [[`If-Match: ${etag}`, `If-Unmodified-Since: ${earlier}`], 200],
    [['Range: bytes=0-1', `If-Range: ${etag}`], 206],
    [['Range: bytes=0-1', 'If-Range: "x"'], 200],
    [['Range: bytes=0-1', `If-Range: W/${etag}`], 200],
    [['Range: bytes=0-1', `If-Range: ${same}`], 206],
    [['Range: bytes=0-1', `If-Range: ${earlier}`], 200],
    [['Range: bytes=0-1', `If-None-Match: ${etag}`], 304],
    [['Range: bytes=0-1', 'If-Match: "x"'], 412],
  ]) {
    const response = await get(node.port, '/a.txt', { lines })
    assert.equal(response.status, want, lines.join(', '))
    if (want === 304) {
      assert.equal(response.headers.etag, etag)
      assert.equal(response.headers['content-length'], undefined)
      assert.equal(response.headers['content-type'], undefined)
    }
  }
})

test('ranges', async (t) => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251))
  const node = await startNode(t, {
    files: { 'small.bin': content.subarray(0, 1000), 'large.bin': content },
  })
  for (const [target, size] of [
    ['/small.bin', 1000],
    ['/large.bin', 100_000],
  ]) {
    for (const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=900-', 900, size - 1],
      ['bytes=-1', size - 1, size - 1],
      ['bytes=-1000000', 0, size - 1],
      ['bytes=5-1000000', 5, size - 1],
    ]) {
      const { status, headers, body } = await get(node.port, target, { lines: [`Range: ${range}`] })
      assert.equal(status, 206, range)
      assert.equal(headers['content-range'], `bytes ${first}-${last}/${size}`)
      assert.ok(body.equals(content.subarray(first, last + 1)), `${target} ${range}`)
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const { status, headers } = await get(node.port, target, { lines: [`Range: ${range}`] })
      assert.equal(status, 416, range)
      assert.equal(headers['content-range'], `bytes */${size}`)
    }
    for (const range of ['lines=1-2', 'bytes=2-1', 'bytes=x']) {
      const { status, body } = await get(node.port, target, { lines: [`Range: ${range}`] })
      assert.equal(status, 200, range)
      assert.equal(body.length, size)
    }
  }
  const head = await get(node.port, '/large.bin', { method: 'HEAD', lines: ['Range: bytes=0-1'] })
  assert.equal(head.status, 200)
})

test('a file of 5 GiB: its length and its last bytes', async (t) => {
  const size = 5 * 1024 ** 3
  const node = await startNode(t)
  const fd = openSync(join(node.root, 'huge.bin'), 'w')
  ftruncateSync(fd, size)
  writeSync(fd, 'over4', 4 * 1024 ** 3)
  writeSync(fd, 'end', size - 3)
  closeSync(fd)
  const head = await get(node.port, '/huge.bin', { method: 'HEAD' })
  assert.equal(head.headers['content-length'], String(size))
  const end = await get(node.port, '/huge.bin', { lines: ['Range: bytes=-3'] })
  assert.equal(end.text, 'end')
  assert.equal(end.headers['content-range'], `bytes ${size - 3}-${size - 1}/${size}`)
  const middle = await get(node.port, '/huge.bin', {
    lines: [`Range: bytes=${4 * 1024 ** 3}-${4 * 1024 ** 3 + 4}`],
  })
  assert.equal(middle.text, 'over4')
  const across = await get(node.port, '/huge.bin', {
    lines: [`Range: bytes=${4 * 1024 ** 3 - 500_000}-${4 * 1024 ** 3 + 500_000}`],
  })
  assert.equal(across.body.length, 1_000_001)
  assert.equal(across.body.subarray(500_000, 500_005).toString(), 'over4')
  assert.equal(
    (await get(node.port, '/huge.bin', { lines: [`Range: bytes=${size}-`] })).status,
    416,
  )
})

// Drops the pages of a file from the cache, so that the read lane has work. The kernel may keep some.
function makeCold(path) {
  execFileSync('sync', [path])
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none'])
}

for (const [who, from] of [
  ['over a network', OUTSIDE],
  ['on this host', LOOPBACK],
])
  test(`files arrive whole, cold and warm, large and small, ${who}`, async (t) => {
    const content = Buffer.alloc(20 << 20)
    for (let i = 0; i < content.length; i += 4) content.writeUInt32LE(i, i)
    for (const engine of ['ttl', 'off']) {
      const node = await startNode(t, {
        config: { statCache: { engine }, io: { chunkBytes: 65536 } },
      })
      for (const [name, size] of [
        ['large.bin', content.length],
        ['middling.bin', 200_000],
        ['small.bin', 50_000],
      ]) {
        const path = join(node.root, name)
        writeFileSync(path, content.subarray(0, size))
        makeCold(path)
        // How many jobs a cold file is depends on how far the kernel reads ahead.
        for (
          let round = 0;
          round < 3 || (round < 30 && (await node.counter('readJobs')) < 3);
          round++
        ) {
          const { body } = await get(node.port, `/${name}`, { from })
          assert.ok(body.equals(content.subarray(0, size)), `${name}, ${engine}, round ${round}`)
          if (name === 'large.bin') makeCold(path)
        }
      }
      const { series } = await node.status()
      const { counters, stages } = series[0]
      assert.ok(counters.readJobs > 2, `${counters.readJobs} read jobs`)
      assert.ok(stages.read.count >= 1 && stages.read.count <= counters.readJobs)
      assert.equal(stages.readWait.count, stages.read.count)
    }
  })

test('a small file and a listing are jobs of the read lane, too', async (t) => {
  const node = await startNode(t, {
    site: { directoryListing: { enabled: true } },
    config: { statCache: { engine: 'off' } },
  })
  mkdirSync(join(node.root, 'folder'))
  assert.equal((await get(node.port, '/folder/')).status, 200)
  const listed = (await node.status()).series[0]
  assert.equal(listed.counters.readJobs, 1)
  assert.equal(listed.stages.read.count, 1)

  const path = join(node.root, 'small.bin')
  writeFileSync(path, Buffer.alloc(50_000, 'x'))
  await until(async () => {
    makeCold(path)
    await get(node.port, '/small.bin')
    return (await node.status()).series[0].stages.read.count > 1
  }, 'a read from the disk')
  const read = (await node.status()).series[0]
  assert.equal(read.counters.readJobs, read.stages.read.count)
})

test('a file that shrinks while it is sent ends the connection, with none but its own bytes', async (t) => {
  const node = await startNode(t)
  const path = join(node.root, 'shrinks.bin')
  writeFileSync(path, Buffer.alloc(32 << 20, 'x'))
  const client = await RawClient.connect(node.port)
  client.send(request('/shrinks.bin'))
  await until(() => client.received > 100_000, 'the first bytes')
  client.socket.pause()
  await new Promise((resolve) => setTimeout(resolve, 200))
  closeSync(openSync(path, 'w'))
  client.socket.resume()
  const response = await client.response().catch(() => null)
  assert.ok(response === null || !response.complete)
  await until(async () => (await node.counter('aborted')) === 1, 'the abort is counted')
})

test('a file that is overwritten while it is sent ends the connection', async (t) => {
  const node = await startNode(t)
  const path = join(node.root, 'over.bin')
  writeFileSync(path, Buffer.alloc(32 << 20, 'x'))
  const client = await RawClient.connect(node.port)
  client.send(request('/over.bin'))
  await until(() => client.received > 100_000, 'the first bytes')
  client.socket.pause()
  await new Promise((resolve) => setTimeout(resolve, 200))
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(1000, 'y'), 0, 1000, (32 << 20) - 1000)
  closeSync(fd)
  client.socket.resume()
  const response = await client.response().catch(() => null)
  assert.ok(response === null || (!response.complete && !response.body.includes('y')))
})

test('a file replaced or removed while it is sent is sent to its end as it was', async (t) => {
  for (const change of ['replace', 'remove']) {
    const node = await startNode(t)
    const path = join(node.root, 'old.bin')
    writeFileSync(path, Buffer.alloc(32 << 20, 'x'))
    const client = await RawClient.connect(node.port)
    client.send(request('/old.bin'))
    await until(() => client.received > 100_000, 'the first bytes')
    client.socket.pause()
    if (change === 'replace') {
      writeFileSync(`${path}.new`, Buffer.alloc(32 << 20, 'y'))
      renameSync(`${path}.new`, path)
    } else {
      rmSync(path)
    }
    client.socket.resume()
    const { body } = await client.response()
    assert.equal(body.length, 32 << 20)
    assert.equal(body.indexOf('y'), -1)
    client.close()
  }
})

test('the ETag changes with size and time, and not with the inode', async (t) => {
  const node = await startNode(t, { config: { statCache: { engine: 'off' } } })
  const path = join(node.root, 'a.txt')
  const tag = async (content, seconds) => {
    rmSync(path, { force: true })
    mkdirSync(node.root, { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, seconds, seconds)
    return (await get(node.port, '/a.txt')).headers.etag
  }
  const first = await tag('one', 1e9)
  assert.equal(await tag('one', 1e9), first)
  assert.notEqual(await tag('two!', 1e9), first)
  assert.notEqual(await tag('one', 1e9 + 1), first)
})

test('what is kept ready of a response fits each client and the moment', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'the same' } })
  utimesSync(join(node.root, 'a.txt'), 1e9, 1e9) // its date is told from the beginning
  const usual = async () => {
    const { status, headers, text } = await get(node.port, '/a.txt')
    assert.deepEqual([status, text, headers.connection], [200, 'the same', undefined])
    return headers
  }
  const first = await usual()
  await usual()
  const head = await get(node.port, '/a.txt', { method: 'HEAD' })
  assert.deepEqual([head.headers['content-length'], head.body.length], ['8', 0])
  const last = await get(node.port, '/a.txt', { lines: ['Connection: close'] })
  assert.deepEqual([last.headers.connection, last.text], ['close', 'the same'])
  const old = await exchange(node.port, 'GET /a.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  assert.deepEqual([old.headers.connection, old.text], ['keep-alive', 'the same'])
  const later = await until(async () => {
    const headers = await usual()
    return headers.date !== first.date && headers
  }, 'the Date moves on')
  assert.ok(Math.abs(Date.parse(later.date) - Date.now()) < 5000, later.date)
  assert.deepEqual({ ...later, date: '' }, { ...first, date: '' })
})
