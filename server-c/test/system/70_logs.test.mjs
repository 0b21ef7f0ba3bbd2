// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { condWatch } from '../support/cond-watch.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { exchange, get, LOOPBACK, RawClient, request } from '../support/raw.mjs'

const lines = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

async function start(t, format, workers = 2) {
  const files = { 'a.txt': 'alpha' }
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, { files, config: { workers, accessLog: { path, format } } })
  return { node, path }
}

test('common, combined and JSON lines', async (t) => {
  const fields = ['Referer: http://x/"y"', 'User-Agent: test\\agent\xe4']
  for (const [format, want] of [
    [
      'common',
      /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/a\.txt\?q HTTP\/1\.1" 200 5$/,
    ],
    ['combined', /" 200 5 "http:\/\/x\/\\"y\\"" "test\\\\agent\\xe4"$/],
  ]) {
    const { node, path } = await start(t, format)
    await get(node.port, '/a.txt?q', { from: LOOPBACK, lines: fields })
    const [line] = await until(() => lines(path).length > 0 && lines(path), 'a line')
    assert.match(line, want)
  }
  const { node, path } = await start(t, 'json')
  const { head, body } = await get(node.port, '/a.txt?q', { from: LOOPBACK, lines: fields })
  const record = JSON.parse(await until(() => lines(path)[0], 'a line'))
  assert.equal(record.peer, '127.0.0.1')
  assert.equal(record.request, 'GET /a.txt?q HTTP/1.1')
  assert.equal(record.status, 200)
  assert.equal(record.bytes, head.length + 4 + body.length)
  assert.equal(record.bodyBytes, body.length)
  assert.equal(record.referer, 'http://x/"y"')
  assert.equal(record.userAgent, 'test\\agent\ufffd')
  assert.equal(record.host, 'test')
  assert.ok(record.totalMicros >= 0)
  assert.ok(Math.abs(Date.parse(record.time) - Date.now()) < 60_000)
})

test('a JSON line has the fields that the documentation shows', async (t) => {
  const { node, path } = await start(t, 'json', 1)
  await get(node.port, '/missing')
  const written = JSON.parse(await until(() => lines(path)[0], 'a line'))
  const page = readFileSync(new URL('../../../docs/running-a-node.md', import.meta.url), 'utf8')
  const [, shown] = /^json +(\{.*\})$/m.exec(page)
  assert.deepEqual(Object.keys(JSON.parse(shown)), Object.keys(written))
})

test('a response without a body is "-" in the old forms', async (t) => {
  const { node, path } = await start(t, 'common', 1)
  await get(node.port, '/a.txt', { method: 'HEAD' })
  const { headers } = await get(node.port, '/a.txt')
  await get(node.port, '/a.txt', { lines: [`If-None-Match: ${headers.etag}`] })
  await until(() => lines(path).length === 3, 'three lines')
  assert.match(lines(path)[0], /"HEAD \/a\.txt HTTP\/1\.1" 200 -$/)
  assert.match(lines(path)[2], /"GET \/a\.txt HTTP\/1\.1" 304 -$/)
})

test('the bytes of a page of our own are those of a body, too', async (t) => {
  const { node, path } = await start(t, 'json', 1)
  const { head, body } = await get(node.port, '/missing')
  const record = JSON.parse(await until(() => lines(path)[0], 'a line'))
  assert.equal(record.status, 404)
  assert.ok(body.length > 0)
  assert.equal(record.bodyBytes, body.length)
  assert.equal(record.bytes, head.length + 4 + body.length)
})

test('JSON lines are UTF-8 as the client sent it, without what a terminal obeys', async (t) => {
  const { node, path } = await start(t, 'json', 1)
  const agent = Buffer.from('Zürich 🐄 \u009b2J \u0085 \u2028').toString('latin1')
  await get(node.port, '/a.txt', { lines: [`User-Agent: ${agent}\xff`] })
  const line = await until(() => lines(path)[0], 'a line')
  assert.ok(line.includes('"userAgent":"Zürich 🐄 \\u009b2J \\u0085 \\u2028\\ufffd"'), line)
})

test('refused requests are logged too, and no client can forge a line', async (t) => {
  const { node, path } = await start(t, 'combined', 1)
  await exchange(node.port, 'GARBAGE\r\n\r\n')
  await exchange(node.port, 'GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: a\x1b[31m\r\n\r\n')
  await get(node.port, '/nope', { lines: ['User-Agent: "\\" - - [x] "'] })
  await until(() => lines(path).length === 3, 'three lines')
  const [garbage, control, quotes] = lines(path)
  assert.match(garbage, /\] "-" 400 /)
  assert.match(control, /" 400 /)
  assert.match(quotes, /"\\"\\\\\\" - - \[x\] \\""$/)
})

test('lines of all loops are whole', async (t) => {
  const { node, path } = await start(t, 'combined')
  const agent = 'x'.repeat(500)
  await Promise.all(
    Array.from({ length: 16 }, async (_, number) => {
      const client = await RawClient.connect(node.port, { from: LOOPBACK })
      for (let i = 0; i < 200; i++) {
        client.send(request(`/a.txt?${number}.${i}.`, { lines: [`User-Agent: ${agent}`] }))
        await client.response()
      }
      client.close()
    }),
  )
  await until(
    async () => lines(path).length === 16 * 200 - (await node.counter('logDropped')),
    'a line of each request',
  )
  for (const line of lines(path))
    assert.match(
      line,
      /^127\.0\.0\.1 - - \[[^\]]+\] "GET \/a\.txt\?\d+\.\d+\. HTTP\/1\.1" 200 \d+ "-" "x{500}"$/,
    )
})

test('SIGUSR1 reopens both logs after rotation, for their owner and group alone', async (t) => {
  const folder = tempFolder(t)
  const access = join(folder, 'access.log')
  const error = join(folder, 'error.log')
  const node = await startNode(t, { files: { 'a.txt': 'a' } })
  // "serves" goes to the new error log already: standard error, which reload() reads, ends here.
  node.writeConfig({
    ...node.config,
    accessLog: { path: access, format: 'common' },
    errorLog: { path: error, level: 'info' },
  })
  node.child.kill('SIGHUP')
  await until(() => lines(error).some((line) => /generation 2 serves/.test(line)), 'generation 2')
  await get(node.port, '/a.txt?before')
  await until(() => lines(access).length === 1, 'a line')
  for (const path of [access, error]) renameSync(path, `${path}.1`)
  node.child.kill('SIGUSR1')
  await until(() => existsSync(access) && existsSync(error), 'new files')
  for (const path of [access, error]) assert.equal(statSync(path).mode & 0o137, 0)
  await get(node.port, '/a.txt?after')
  await until(() => lines(access).length === 1, 'a line in the new file')
  assert.match(lines(access)[0], /after/)
  assert.equal(lines(`${access}.1`).length, 1)
  assert.equal(await node.stop(), 0)
  assert.match(readFileSync(error, 'utf8'), /info stopping/)
})

test('a limit of the size of files is a full disk: clients are served, lines are counted', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files: { 'a.txt': 'a' },
    wrap: ['prlimit', '--fsize=20000:unlimited'],
    config: { workers: 1, accessLog: { path, format: 'combined' } },
  })
  const client = await RawClient.connect(node.port)
  for (let i = 0; i < 25; i++) {
    client.send(request('/a.txt', { lines: [`User-Agent: ${'x'.repeat(900)}`] }).repeat(20))
    for (let k = 0; k < 20; k++) assert.equal((await client.response()).status, 200)
  }
  assert.ok((await node.counter('logDropped')) > 50)
  await until(() => statSync(path).size >= 20_000, 'the file is full')
  assert.equal(statSync(path).size, 20_000)
  client.close()
  execFileSync('prlimit', ['--pid', String(node.child.pid), '--fsize=unlimited'])
  await until(async () => {
    await get(node.port, '/a.txt?after')
    return lines(path).some((line) => line.includes('?after'))
  }, 'lines go on')
  for (const line of lines(path)) assert.match(line, /^\S+ - - \[[^\]]+\] "GET .*" 200 1 "-" ".+"$/)
})

for (const [what, make] of [
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a symbolic link', (path) => symlinkSync('.profile', path)],
  ['a file with other content', (path) => writeFileSync(path, 'export PATH\n')],
  ['a file with a second name', (path) => linkSync(nodeBinary, path)],
  ['a folder', (path) => mkdirSync(path)],
])
  for (const option of ['accessLog', 'errorLog'])
    test(`${option}: ${what} is refused at once, also when it came after the check`, async (t) => {
      const folder = mkdtempSync(join(dirname(nodeBinary), 'logs-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const path = join(folder, 'a.log')
      const node = await startNode(t, { files: { 'a.txt': 'a' } })
      make(path)
      assert.equal(await node.reload({ ...node.config, [option]: { path } }), false)
      assert.match(node.log, new RegExp(`unusable_file: "${path}" (is|has) .*; .+`))
      assert.equal((await get(node.port, '/a.txt')).status, 200)
      rmSync(path, { recursive: true })
      const later = join(folder, 'b.log')
      assert.equal(await node.reload({ ...node.config, accessLog: { path: later } }), true)
      renameSync(later, `${later}.1`)
      make(later)
      const from = node.log.length
      node.child.kill('SIGUSR1')
      await node.logLine(/access log: "[^"]+" (is|has) .*; lines go on/, from)
      await get(node.port, '/a.txt')
      await until(() => lines(`${later}.1`).length > 0, 'a line in the old file')
      assert.ok(!existsSync(join(folder, '.profile')), 'nothing was made through it')
    })

test('a JSON line stays whole however long the fields are', async (t) => {
  const { node, path } = await start(t, 'json')
  const long = '"'.repeat(1500)
  const target = `/${'a'.repeat(1500)}`
  const host = `${'h'.repeat(2000)}.example`
  await exchange(
    node.port,
    request(target, { host, lines: [`Referer: ${long}`, `User-Agent: ${long}`] }),
  )
  const record = JSON.parse(await until(() => lines(path)[0], 'a line'))
  assert.equal(record.status, 404)
  assert.match(record.host, /^h{1000,}$/)
  assert.match(record.userAgent, /^"{500,}$/)
})

test('a response that the client gave up is logged with the bytes it got', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files: { 'big.bin': Buffer.alloc(32 << 20, 'x') },
    config: { accessLog: { path, format: 'common' } },
  })
  const client = await RawClient.connect(node.port)
  client.socket.once('data', () => client.socket.pause())
  client.send(request('/big.bin'))
  await until(() => client.received > 0, 'the first bytes')
  client.close()
  const [line] = await until(() => lines(path).length > 0 && lines(path), 'a line')
  const [, bytes] = /"GET \/big\.bin HTTP\/1\.1" 200 (\d+)$/.exec(line)
  assert.ok(Number(bytes) > 0 && Number(bytes) < 32 << 20, line)
  await node.untilCounter('aborted', 1)
})

test('in JSON a response that is not whole says why', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files: { 'big.bin': Buffer.alloc(32 << 20), 'a.txt': 'alpha' },
    config: { workers: 1, accessLog: { path, format: 'json' } },
  })
  await get(node.port, '/a.txt')
  const client = await RawClient.connect(node.port)
  client.socket.once('data', () => client.socket.pause())
  client.send(request('/big.bin'))
  await until(() => client.received > 0, 'the first bytes')
  client.close()
  const records = await until(() => lines(path).length === 2 && lines(path), 'two lines')
  assert.deepEqual(
    records.map((line) => JSON.parse(line).aborted),
    [undefined, 'clientGone'],
  )
  await node.untilEnds('clientGone', 1)
  const metrics = await (await node.admin('/metrics')).text()
  assert.match(metrics, /^farmstead_connection_ends_total\{reason="clientGone"\} 1$/m)
})

test('what a config holds is shown by check and logged, and never obeyed by a terminal', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'a' } })
  const name = 'x\u001b[2J"\\\n2026-01-01T00:00:00.000Z error forged \u009b'
  const config = { ...node.config, [name]: 1 }
  assert.equal(await node.reload(config), false)
  const { stderr } = spawnSync(nodeBinary, ['check', node.configPath], { encoding: 'utf8' })
  for (const text of [node.log, stderr]) {
    assert.match(text, /unknown_key.*forged|forged.*unknown_key/)
    assert.doesNotMatch(text, /^2026-01-01/m)
    const isControl = (c) => c !== '\n' && (c < ' ' || (c >= '\x7f' && c <= '\x9f'))
    assert.deepEqual([...text].filter(isControl), [])
  }
})

test('no event loop signals a condition variable for what it logs', async (t) => {
  const { wrap, seen } = condWatch(t)
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files: { 'a.txt': 'a', 'big.bin': Buffer.alloc(4 << 20, 'x') },
    wrap,
    config: { workers: 1, accessLog: { path, format: 'json' }, errorLog: { level: 'debug' } },
  })
  await get(node.port, '/big.bin')
  const client = await RawClient.connect(node.port)
  // More than half of a ring at once, so that the loop wakes the thread of the log.
  for (let i = 0; i < 15; i++) {
    client.send(request('/a.txt', { lines: [`User-Agent: ${'x'.repeat(900)}`] }).repeat(20))
    for (let k = 0; k < 20; k++) assert.equal((await client.response()).status, 200)
  }
  client.close()
  assert.equal(await node.stop(), 0)
  assert.equal(seen(), '')
})
