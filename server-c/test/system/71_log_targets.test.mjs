// SPDX-License-Identifier: MIT
// Where access logs go, of which site, in which format, and what they leave out.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { exchange, get, LOOPBACK, RawClient, request } from '../support/raw.mjs'

const lines = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

const files = { 'a.txt': 'alpha', health: 'ok', 'b.txt': 'beta' }

test('each site has a log and a format of its own, shared by who names the same file', async (t) => {
  const folder = tempFolder(t)
  const [own, shared, common] = ['own', 'shared', 'common'].map((name) =>
    join(folder, `${name}.log`),
  )
  const site = (host, accessLog) => ({ hosts: [host], root: 'ROOT', accessLog })
  const node = await startNode(t, { files, config: { workers: 2 } })
  const root = node.config.sites[0].root
  const config = {
    ...node.config,
    accessLog: { path: common, format: 'vhost_combined' },
    sites: [
      site('own.test', { path: own, format: '{timeIso} {client} {method} {path} {status}' }),
      site('one.test', { path: shared, format: '[{time}] {host}' }),
      site('two.test', { path: shared, format: '[{time}] {host}' }),
      site('quiet.test', { path: 'none' }),
      site('*', {}),
    ].map((one) => ({ ...one, root })),
  }
  assert.equal(await node.reload(config), true)
  for (const host of ['own.test', 'one.test', 'two.test', 'quiet.test', 'else.test'])
    assert.equal((await get(node.port, '/a.txt', { host })).status, 200)
  await until(() => lines(shared).length === 2 && lines(own).length === 1, 'lines')
  assert.match(lines(own)[0], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [\d.]+ GET \/a\.txt 200$/)
  assert.deepEqual(
    lines(shared)
      .map((line) => line.split(' ').at(-1))
      .sort(),
    ['one.test', 'two.test'],
  )
  await until(() => lines(common).length === 1, "the node's own")
  assert.match(
    lines(common)[0],
    /^else\.test [\d.]+ - - \[.*\] "GET \/a\.txt HTTP\/1\.1" 200 5 "-" /,
  )

  // All are opened anew after rotation, and a log that nothing names any more is written to its end.
  for (const path of [own, shared, common]) renameSync(path, `${path}.1`)
  node.child.kill('SIGUSR1')
  await until(() => [own, shared, common].every((path) => existsSync(path)), 'new files')
  await get(node.port, '/a.txt?last', { host: 'own.test' })
  assert.equal(await node.reload({ ...config, sites: [config.sites[4]] }), true)
  await get(node.port, '/a.txt', { host: 'own.test' })
  await until(() => lines(common).length === 1, "the node's log has it now")
  await until(() => lines(own).length === 1, 'the old one has its last line')
  assert.equal(await node.stop(), 0)
})

test('a log of the old config has the line of a request that was under way at the reload', async (t) => {
  const folder = tempFolder(t)
  const [old, next] = [join(folder, 'old.log'), join(folder, 'new.log')]
  const size = 30 << 20
  const node = await startNode(t, {
    files: { large: Buffer.alloc(size) },
    config: { workers: 1, accessLog: { path: old } },
  })
  const client = await RawClient.connect(node.port)
  client.socket.once('data', () => client.socket.pause())
  client.send(request('/large'))
  await until(() => client.received > 0, 'the first bytes')
  assert.equal(await node.reload({ ...node.config, accessLog: { path: next } }), true)
  assert.equal((await get(node.port, '/none')).status, 404)
  await until(() => lines(next).length === 1, 'the new log')
  client.socket.resume()
  assert.equal((await client.response()).status, 200)
  await until(() => lines(old).length === 1, 'the old log')
  assert.match(lines(old)[0], new RegExp(`"GET /large HTTP/1.1" 200 ${size} `))
  client.close()
})

test("a format of one's own can be changed and the node started again: the file goes on", async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const formats = ['{status} {timeIso} {userAgent}', '"{userAgent}" [{time}]', 'combined', 'json']
  for (const [i, format] of formats.entries()) {
    const node = await startNode(t, { files, config: { workers: 1, accessLog: { path, format } } })
    await get(node.port, '/a.txt', { lines: [`User-Agent: ${'"\\'.repeat(600)}`] })
    await until(() => lines(path).length === i + 1, 'a line')
    assert.equal(await node.stop(), 0)
  }
})

test('check names the field that there is not, at its place, and asks for a time in files', async (t) => {
  const folder = tempFolder(t)
  const check = (accessLog) => {
    const path = join(folder, 'node.jsonc')
    writeFileSync(
      path,
      `{"accessLog": ${JSON.stringify(accessLog)}, "sites": [{"hosts": ["*"], "root": "/"}]}`,
    )
    return spawnSync(nodeBinary, ['check', '--text-only', path], { encoding: 'utf8' })
  }
  const wrong = check({ path: 'stdout', format: '{client} {hots}' })
  assert.equal(wrong.status, 1)
  assert.match(
    wrong.stdout + wrong.stderr,
    /:1:51: "format" at byte 9: there is no field "hots"; fields are client, host, /,
  )
  const timeless = check({ path: '/var/log/a.log', format: '{client} {host}' })
  assert.match(
    timeless.stdout + timeless.stderr,
    /has neither \{time\} nor \{timeIso\}, and the log is a file/,
  )
  assert.equal(check({ path: 'stdout', format: '{client} {host}' }).status, 0)
  for (const path of [
    'syslog:localhost:514',
    'syslog:192.0.2.1',
    'syslog:192.0.2.1:0',
    'syslog:[::1]',
    'stdin',
  ])
    assert.equal(check({ path }).status, 1, path)
  for (const path of ['syslog:/dev/log', 'syslog:192.0.2.1:514', 'syslog:[::1]:514', 'stderr'])
    assert.equal(check({ path }).status, 0, path)
})

test('filters go by the path that was asked for, decoded, and by status; all live', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const format = '{timeIso} {status} {path}'
  const node = await startNode(t, {
    files,
    config: { workers: 1, accessLog: { path, format, exceptPaths: ['/health', '*.ico'] } },
  })
  const ask = async (...targets) => {
    for (const target of targets) await get(node.port, target)
  }
  const seen = () => lines(path).map((line) => line.split(' ').slice(1).join(' '))
  await ask('/health', '/health?x', '/%68ealth', '/x/../favicon.ico', '/a.txt')
  await exchange(node.port, 'GARBAGE\r\n\r\n')
  await until(() => seen().length === 2, 'two lines')
  assert.deepEqual(seen(), ['200 /a.txt', '400 -'])
  const accessLog = { path, format, statuses: ['404', '5xx'] }
  assert.equal(await node.reload({ ...node.config, accessLog }), true)
  await ask('/a.txt', '/none', '/health')
  await until(() => seen().length === 3, 'a third')
  assert.equal(seen()[2], '404 /none')
  assert.equal(
    await node.reload({ ...node.config, accessLog: { path, format, paths: ['/b*'] } }),
    true,
  )
  await ask('/a.txt', '/none', '/b.txt')
  await exchange(node.port, 'GARBAGE\r\n\r\n')
  await until(() => seen().length === 4, 'a fourth')
  assert.equal(seen()[3], '200 /b.txt')
})

test('masked addresses: nobody but a /24 is in the log', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files,
    config: {
      workers: 1,
      trustedProxies: ['127.0.0.0/8'],
      accessLog: { path, maskAddresses: true, format: '{client} {timeIso}' },
    },
  })
  for (const address of ['198.51.100.77', '2001:db8:1:2::3'])
    await get(node.port, '/a.txt', { from: LOOPBACK, lines: [`X-Forwarded-For: ${address}`] })
  await until(() => lines(path).length === 2, 'two lines')
  assert.deepEqual(
    lines(path).map((line) => line.split(' ')[0]),
    ['198.51.100.0', '2001:db8:1::'],
  )
})

test('JSON lines are UTF-8 whatever bytes a client sends', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files,
    config: { workers: 1, accessLog: { path, format: 'json' } },
  })
  const sent = []
  for (let first = 0x21; first < 0x100; first += 16) {
    const bytes = Array.from({ length: 16 }, (_, i) => first + i).filter(
      (c) => c !== 0x7f && c < 0x100,
    )
    const text = String.fromCharCode(...bytes)
    sent.push(text)
    await exchange(
      node.port,
      `GET /a.txt HTTP/1.1\r\nHost: t\r\nReferer: ${text}\r\nUser-Agent: ${text.repeat(90)}\r\nConnection: close\r\n\r\n`,
    )
  }
  await until(() => lines(path).length === sent.length, 'lines')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const whole = decoder.decode(readFileSync(path)) // throws where it is no UTF-8
  for (const line of whole.split('\n').slice(0, -1)) assert.equal(JSON.parse(line).status, 200)
})

test('standard output is a log: lines come whole through a pipe, and one that is full holds up nobody', async (t) => {
  const node = await startNode(t, {
    files,
    stdout: 'pipe',
    config: { workers: 2, accessLog: { path: 'stdout', format: 'json' } },
  })
  node.child.stdout.pause()
  const client = await RawClient.connect(node.port)
  const agent = 'x'.repeat(900)
  for (let i = 0; i < 60; i++) {
    client.send(request('/a.txt', { lines: [`User-Agent: ${agent}`] }).repeat(20))
    for (let k = 0; k < 20; k++) assert.equal((await client.response()).status, 200)
  }
  const dropped = await until(() => node.counter('logDropped'), 'lines are dropped and counted')
  let text = ''
  node.child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  node.child.stdout.resume()
  await until(() => text.split('\n').length - 1 === 1200 - dropped, 'the rest comes')
  for (const line of text.split('\n').slice(0, -1)) assert.equal(JSON.parse(line).userAgent, agent)
  client.close()
  assert.equal(await node.stop(), 0)
})

test('syslog by UDP: a message of RFC 5424 for each line, of both logs', async (t) => {
  const daemon = createSocket('udp4').bind(0, '127.0.0.1')
  t.after(() => daemon.close())
  await once(daemon, 'listening')
  const messages = []
  daemon.on('message', (message) => messages.push(message.toString()))
  const path = `syslog:127.0.0.1:${daemon.address().port}`
  const node = await startNode(t, {
    files,
    config: { workers: 1, accessLog: { path, format: '{status} {path}' } },
  })
  await get(node.port, '/a.txt')
  await get(node.port, '/none')
  await until(() => messages.length === 2, 'two messages')
  const header =
    /^<(\d+)>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\S+) farmstead-node (\d+) (access|error) - (.*)$/
  for (const [i, want] of ['200 /a.txt', '404 /none'].entries()) {
    const [, priority, time, , pid, kind, text] = header.exec(messages[i])
    assert.deepEqual([priority, pid, kind, text], ['30', String(node.child.pid), 'access', want])
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000)
  }
  messages.length = 0
  node.writeConfig({ ...node.config, errorLog: { path } })
  node.child.kill('SIGHUP')
  await until(
    () => messages.some((one) => / error - .*generation 2 serves/.test(one)),
    'the error log',
  )
  node.writeConfig('{')
  node.child.kill('SIGHUP')
  await until(() => messages.some((one) => one.startsWith('<27>1 ')), 'an error has its severity')
  assert.equal(await node.stop(), 0)
})

test('a socket that takes no datagrams is said in the error log, once, and holds up nobody', async (t) => {
  const socket = join(tempFolder(t), 'stream')
  const daemon = createServer().listen(socket)
  t.after(() => daemon.close())
  await once(daemon, 'listening')
  const node = await startNode(t, {
    files,
    config: { workers: 1, accessLog: { path: `syslog:${socket}` } },
  })
  for (let i = 0; i < 3; i++) assert.equal((await get(node.port, '/a.txt')).status, 200)
  await node.logLine(/warn access log: "syslog:.*stream" takes no messages: .+; they are kept/)
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(node.log.match(/takes no messages/g).length, 1)
})

test('standard output that cannot be opened by its path, as the journal, is a log', async (t) => {
  const node = await startNode(t, {
    files,
    stdout: 'pipe', // a socket
    config: { workers: 1, accessLog: { path: 'stdout', format: '{status} {path}' } },
  })
  let text = ''
  node.child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  assert.throws(() => readFileSync(`/proc/${node.child.pid}/fd/1`), /ENXIO/)
  await get(node.port, '/a.txt')
  await until(() => text === '200 /a.txt\n', 'a line')
  node.child.kill('SIGUSR1') // nothing to open anew
  await get(node.port, '/none')
  await until(() => text === '200 /a.txt\n404 /none\n', 'another')
})
