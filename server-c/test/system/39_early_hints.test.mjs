// SPDX-License-Identifier: MIT
// Link ahead of a page (RFC 8288), and 103 (Early Hints, RFC 8297) to browsers that wait for a disk: who
// gets one, that it comes before the answer and once, and that real clients read both.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { connectHttp2 } from '../conformance/http2.mjs'
import { badDisk } from '../support/bad-disk.mjs'
import { hungDisk } from '../support/hung-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'
import { authorities, startTlsNode, tlsClient } from '../support/tls-node.mjs'

const run = promisify(execFile)
const STYLE = '</app.css>; rel=preload; as=style'
const SCRIPT = '</app.js>; rel=modulepreload'
const BOTH = `${STYLE}, ${SCRIPT}`
// As browsers do.
const NAVIGATES = { lines: ['Sec-Fetch-Mode: navigate', 'Connection: keep-alive'] }
const site = { preload: [{ links: [STYLE, SCRIPT] }] }
// Nothing is remembered, so that each request waits for the disk.
const config = { statCache: { engine: 'off' } }
const files = {
  'index.html': 'home',
  'slow-open.html': 'page',
  'slow-read.html': 'page',
  'slow-read.txt': 'text',
  'slow-open/index.html': 'folder',
  'slow-open-denied.html': 'nobody reads this',
  'quiet/slow-read.html': 'page',
}

/** The statuses that come for one request, the last of them its answer, and the answer. */
async function ask(port, target, options = NAVIGATES) {
  const client = await RawClient.connect(port)
  client.send(request(target, options))
  const heads = []
  do heads.push(await client.response(options))
  while (heads.at(-1).status === 103)
  client.close()
  return { statuses: heads.map(({ status }) => status), hint: heads[0], answer: heads.at(-1) }
}

test('a page that waits for the disk has its links said ahead, one from memory does not', async (t) => {
  // Each loop remembers for itself, and for longer than this machine may stand still.
  const config = { workers: 1, statCache: { ttlMillis: 60_000 } }
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const { statuses, hint, answer } = await ask(node.port, '/slow-open.html')
  assert.deepEqual(statuses, [103, 200])
  assert.equal(hint.head, `HTTP/1.1 103 Early Hints\r\nLink: ${STYLE}\r\nLink: ${SCRIPT}`)
  assert.deepEqual([answer.headers.link, answer.text], [BOTH, 'page'])
  await until(
    async () => (await ask(node.port, '/slow-open.html')).statuses.length === 1,
    'an answer from memory',
  )
  const hints = await node.counter('earlyHints')
  assert.ok(hints >= 1)
  for (let turn = 0; turn < 20; turn++) {
    const { statuses, answer } = await ask(node.port, '/slow-open.html')
    assert.deepEqual([statuses, answer.headers.link], [[200], BOTH])
  }
  assert.equal(await node.counter('earlyHints'), hints)
  const etag = await until(
    async () => (await get(node.port, '/slow-open.html')).headers.etag,
    'a tag, as the file is no longer young',
  )
  const same = await get(node.port, '/slow-open.html', { lines: [`If-None-Match: ${etag}`] })
  assert.deepEqual([same.status, same.headers.link], [304, BOTH])
  assert.equal((await get(node.port, '/slow-read.txt')).headers.link, undefined)
})

test('only who navigates, in HTTP/1.1, without a proxy, to what may be a page gets a 103', async (t) => {
  const node = await startNode(t, {
    files,
    site: {
      ...site,
      redirects: [{ match: '^/slow-open-old$', to: '/slow-open.html' }],
      access: [{ action: 'deny', paths: ['/slow-open-denied.html'] }],
      headers: [{ action: 'remove', name: 'Link', paths: ['/quiet/**'] }],
    },
    config,
    wrap: badDisk(),
  })
  for (const [target, options, want] of [
    ['/slow-read.html', NAVIGATES, [103, 200]],
    ['/slow-read.html', { lines: ['Sec-Fetch-Mode: no-cors'] }, [200]],
    ['/slow-read.html', {}, [200]],
    // As nginx passes it on, which knew no 103 before 1.29: it takes one for the answer.
    ['/slow-read.html', { lines: ['Sec-Fetch-Mode: navigate', 'Connection: close'] }, [200]],
    ['/slow-read.html', { lines: ['Sec-Fetch-Mode: navigate'] }, [200]],
    ['/slow-read.html', { ...NAVIGATES, method: 'HEAD', isHead: true }, [200]],
    ['/slow-read.html', { lines: [...NAVIGATES.lines, 'X-Forwarded-For: 192.0.2.7'] }, [200]],
    ['/slow-read.html', { lines: [...NAVIGATES.lines, 'Via: 1.1 proxy'] }, [200]],
    ['/slow-read.txt', NAVIGATES, [200]],
    ['/slow-open-old', NAVIGATES, [301]],
    ['/slow-open-denied.html', NAVIGATES, [403]],
    ['/quiet/slow-read.html', NAVIGATES, [200]],
  ])
    assert.deepEqual((await ask(node.port, target, options)).statuses, want, target)
  const old = await RawClient.connect(node.port)
  old.send('GET /slow-read.html HTTP/1.0\r\nHost: test\r\nSec-Fetch-Mode: navigate\r\n\r\n')
  assert.equal((await old.response()).status, 200)
  old.close()
  await node.untilCounter('earlyHints', 1)
})

test('the answer after a 103 is the one there would be without it', async (t) => {
  const node = await startNode(t, {
    files: { ...files, 'slow-read-gone.html': 'not here' },
    site: {
      ...site,
      tryFiles: [{ paths: ['/app/**'], candidates: ['{path}', '/slow-read.html'] }],
      errorPages: { 404: '/slow-read-gone.html' },
    },
    config,
    wrap: badDisk(),
  })
  for (const [target, line, want] of [
    ['/slow-open.html', 'Range: bytes=1-2', [206, 'ag', BOTH]],
    ['/slow-open.html', 'Range: bytes=9-', [416, '', undefined]],
    ['/slow-open.html', 'If-None-Match: *', [304, '', BOTH]],
    // That it is missing is what the disk is asked for, and its page is no page of the site.
    ['/slow-open-none.html', 'Accept: text/html', [404, 'not here', undefined]],
    ['/app/slow-open/users', 'Accept: text/html', [200, 'page', BOTH]],
  ]) {
    const options = { lines: [...NAVIGATES.lines, line] }
    const { statuses, answer } = await ask(node.port, target, options)
    const text = want[0] === 416 ? '' : answer.text
    assert.deepEqual(statuses, [103, want[0]], `${target} ${line}`)
    assert.deepEqual([answer.status, text, answer.headers.link], want, `${target} ${line}`)
  }
})

test('each of two requests that came at once has its 103 before its answer', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const client = await RawClient.connect(node.port)
  client.send(request('/slow-open.html', NAVIGATES) + request('/slow-open/', NAVIGATES))
  const got = []
  for (let i = 0; i < 4; i++) {
    const { status, text } = await client.response()
    got.push([status, text])
  }
  assert.deepEqual(got, [
    [103, ''],
    [200, 'page'],
    [103, ''],
    [200, 'folder'],
  ])
  client.close()
})

test('a stream of HTTP/2 has its 103 once, and its answer after it', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const session = connectHttp2(node.port)
  const streams = Array.from({ length: 10 }, async (_, i) => {
    const stream = session.request({
      ':path': i % 2 ? '/slow-open.html' : '/slow-read.html',
      'sec-fetch-mode': 'navigate',
    })
    const seen = []
    stream.on('headers', (headers) => seen.push([headers[':status'], headers.link]))
    stream.on('response', (headers) => seen.push([headers[':status'], headers.link]))
    stream.resume()
    await once(stream, 'close')
    return seen
  })
  for (const seen of await Promise.all(streams))
    assert.deepEqual(seen, [
      [103, BOTH],
      [200, BOTH],
    ])
  await node.untilCounter('earlyHints', 10)
  session.destroy()
})

test('a disk that never answers is 503 after the 103, and the connection goes on', async (t) => {
  const { wrap, release } = hungDisk(t)
  const node = await startNode(t, {
    files: { 'hang-open.html': 'late', 'index.html': 'home' },
    site,
    config: { io: { timeoutSeconds: 1, statThreads: 4, readThreads: 4 } },
    wrap,
  })
  const client = await RawClient.connect(node.port)
  client.send(request('/hang-open.html', NAVIGATES))
  assert.equal((await client.response()).status, 103)
  const { status, headers } = await client.response()
  assert.deepEqual([status, headers.link], [503, undefined])
  client.send(request('/'))
  assert.equal((await client.response()).text, 'home')
  client.close()
  await release()
})

test('over TLS a 103 follows the tickets of a new connection', async (t) => {
  const { root, intermediate } = authorities(t)
  const certificate = intermediate.issue(['a.example'])
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['a.example'], certificates: [certificate], ...site }],
    files,
    config,
    wrap: badDisk(),
  })
  for (const options of [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]) {
    const client = await tlsClient(node.tlsPort, { ca: root.pem, ...options })
    client.send(request('/slow-open.html', { host: 'a.example', ...NAVIGATES }))
    assert.equal((await client.response()).status, 103)
    assert.equal((await client.response()).text, 'page')
    client.close()
  }
})

test('curl and Node read a 103 and the answer', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const url = `http://127.0.0.1:${node.port}/slow-open.html`
  for (const version of ['--http1.1', '--http2-prior-knowledge']) {
    const lines = NAVIGATES.lines.flatMap((line) => ['-H', line])
    const { stdout } = await run('curl', ['-sSi', version, ...lines, url])
    const heads = stdout.split('\r\n\r\n')
    assert.match(heads[0], /^HTTP\/\S+ 103/)
    assert.match(heads[1], /^HTTP\/\S+ 200/)
    assert.deepEqual([heads.length, heads[2]], [3, 'page'])
  }
  const asked = http.get(url, { headers: { 'Sec-Fetch-Mode': 'navigate' } })
  const [[hint], [answer]] = await Promise.all([
    once(asked, 'information'),
    once(asked, 'response'),
  ])
  assert.deepEqual([hint.statusCode, hint.headers.link], [103, BOTH])
  assert.deepEqual([answer.statusCode, answer.headers.link], [200, BOTH])
  answer.resume()
  // It says that it fetches (Sec-Fetch-Mode: cors) and does not navigate.
  const hints = await node.counter('earlyHints')
  const fetched = await fetch(url)
  assert.deepEqual([await fetched.text(), fetched.headers.get('link')], ['page', BOTH])
  assert.equal(await node.counter('earlyHints'), hints)
})

test('links come and go with a config', async (t) => {
  const node = await startNode(t, { files, site })
  const linkOf = async () => (await get(node.port, '/')).headers.link
  assert.equal(await linkOf(), BOTH)
  for (const [preload, want] of [
    [[{ paths: ['/'], links: [STYLE] }, { links: [SCRIPT] }], STYLE],
    [[{ paths: ['/docs/**'], links: [STYLE] }], undefined],
    [[], undefined],
  ]) {
    const sites = [{ ...node.config.sites[0], preload }]
    assert.ok(await node.reload({ ...node.config, sites }))
    assert.equal(await linkOf(), want)
  }
})
