// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeBinary, startNode, tempFolder, until, writeTree } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const run = (...args) => spawnSync(nodeBinary, args, { encoding: 'utf8', timeout: 20_000 })

test('bad usage is one line and exit code 2', () => {
  for (const args of [
    [],
    ['fly'],
    ['serve'],
    ['serve', '--config'],
    ['serve', '-x', 'y'],
    ['serve', ''],
    ['serve', '.', 'more'],
    ['serve', '.', '--config', 'x'],
    ['serve', '--config', 'x', '--port', '80'],
    ['version', 'x'],
  ]) {
    const { status, stderr, stdout } = run(...args)
    assert.equal(status, 2, args.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, /^[^\n]+\n$/)
  }
})

test('--help names every command', () => {
  const { status, stdout } = run('--help')
  assert.equal(status, 0)
  for (const name of ['serve', 'check', 'schema', 'join', 'run', 'version'])
    assert.match(stdout, new RegExp(`farmstead-node ${name}`))
})

test('version prints the version', () => {
  const { status, stdout } = run('version')
  assert.equal(status, 0)
  assert.match(stdout, /^farmstead-node \d+\.\d+\.\d+ /)
})

test('serve with a config that is not there says so and exits with 1', () => {
  const { status, stderr } = run('serve', '--config', '/nonexistent/config.json')
  assert.equal(status, 1)
  assert.match(
    stderr,
    /\/nonexistent\/config\.json: can't read the config: No such file or directory/,
  )
})

test('serve with a bad config names file, line and column, and exits with 1', (t) => {
  const path = join(tempFolder(t), 'bad.json')
  writeFileSync(path, '{\n  "sites": [],\n  "lisen": []\n}')
  const { status, stderr } = run('serve', '--config', path)
  assert.equal(status, 1)
  assert.match(stderr, /bad\.json:3:3: unknown_key/)
})

test('a key in a folder that is served is an error, of check and at the start', (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { 'www/a.txt': 'a', 'www/link.key': 'k'.repeat(32) })
  const signed = { paths: ['/x/**'], secretFile: join(folder, 'www/link.key') }
  const path = join(folder, 'node.json')
  const site = { hosts: ['*'], root: join(folder, 'www'), signedUrls: [signed] }
  // Written down, so that nothing is lowered on a machine with few descriptors, which is a warning, too.
  const small = { limits: { connections: 100 }, fileCache: { maxOpenFiles: 100 } }
  writeFileSync(path, JSON.stringify({ listen: [{ port: 0 }], ...small, sites: [site] }))

  const { status, stderr } = run('check', path)
  assert.equal(status, 1, stderr)
  assert.match(stderr, /^\S+node\.json:1:\d+: "[^"]+link\.key" is in "[^"]+www", which is served/)
  const { ok, errors } = JSON.parse(run('check', '--json', path).stdout)
  assert.equal(ok, false)
  assert.deepEqual(
    errors.map(({ pointer, code }) => [pointer, code]),
    [['/sites/0/signedUrls/0/secretFile', 'exposed_file']],
  )
  assert.deepEqual(JSON.parse(run('check', '--json', '--text-only', path).stdout).errors, [])

  const started = run('serve', '--config', path)
  assert.equal(started.status, 1)
  assert.match(started.stderr, /error \S+: exposed_file: "[^"]+link\.key" is in /)
})

/** A node that a test starts by its own arguments. Resolves with the port it listens on. */
async function startByHand(t, args, env = {}) {
  const child = spawn(nodeBinary, args, { env: { ...process.env, ...env } })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  let log = ''
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  child.stderr.on('data', (text) => {
    log += text
  })
  t.after(async () => {
    child.kill()
    assert.equal(await exit, 0, log)
  })
  const listening = /listening on http:\/\/127\.0\.0\.1:(\d+)/
  await until(() => listening.test(log) || child.exitCode !== null, 'the log says where it listens')
  return { child, said: () => said, port: Number(listening.exec(log)?.[1] ?? assert.fail(log)) }
}

test('serve FOLDER serves it as it is, with listings, on loopback', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { 'a.txt': 'a', 'sub/b.txt': 'b', 'with/index.html': '<p>c' })
  const { port, said } = await startByHand(t, ['serve', folder, '--port', '0'])
  assert.equal((await get(port, '/a.txt')).text, 'a')
  assert.match((await get(port, '/')).text, /href="sub\/"[\s\S]*href="a\.txt"/)
  assert.match((await get(port, '/sub/', { host: 'any.test' })).text, /href="b\.txt"/)
  assert.equal((await get(port, '/with/')).text, '<p>c')
  await until(() => said().includes('"GET /with/ HTTP/1.1" 200'), 'a line for each request')
})

test('serve FOLDER says what is wrong with its arguments', (t) => {
  const folder = tempFolder(t)
  for (const [args, sentence] of [
    [[join(folder, 'none')], /none: missing_file: "[^"]+none" does not exist/],
    [[folder, '--port', '70000'], /: out_of_range: "port" must be a whole number/],
    [[folder, '--port', 'http'], /found the string "http"/],
    [[folder, '--address', 'here'], /"address" must be a numeric IPv4 or IPv6 address/],
  ]) {
    const { status, stderr } = run('serve', ...args)
    assert.equal(status, 1, stderr)
    assert.match(stderr, sentence)
  }
})

test('serve reads environment variables in its config, and again at a reload', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { 'one/a.txt': '1', 'two/a.txt': '2' })
  const path = join(folder, 'node.json')
  const variable = (name) => `$${'{'}${name}}`
  const write = (release) =>
    writeFileSync(
      path,
      JSON.stringify({
        listen: [{ address: variable('ADDRESS:-127.0.0.1'), port: variable('PORT') }],
        sites: [{ hosts: ['*'], root: `${variable('FOLDER')}/${variable(release)}` }],
      }),
    )
  const env = { PORT: '0', FOLDER: folder, BLUE: 'one', GREEN: 'two' }
  write('BLUE')
  const { status, stderr } = spawnSync(nodeBinary, ['check', '--environment', path], {
    encoding: 'utf8',
    env: { ...process.env, ...env, BLUE: 'three' },
  })
  assert.equal(status, 1)
  assert.match(stderr, /node\.json:1:\d+: "[^"]+\/three" does not exist/)
  assert.match(
    run('check', '--environment', path).stderr,
    /the environment variable PORT is not set/,
  )
  assert.match(run('check', path).stderr, /found the string "\$\{PORT\}"/)
  assert.match(
    run('serve', '--config', path).stderr,
    /environment variable PORT is not set; set it/,
  )

  const { child, port } = await startByHand(t, ['serve', '--config', path], env)
  assert.equal((await get(port, '/a.txt')).text, '1')
  write('GREEN')
  child.kill('SIGHUP')
  await until(async () => (await get(port, '/a.txt')).text === '2', 'the other folder')
})

test('a taken port is refused by name', async (t) => {
  const node = await startNode(t)
  const path = join(node.folder, 'second.json')
  writeFileSync(
    path,
    JSON.stringify({
      listen: [{ address: '127.0.0.1', port: node.port }],
      sites: [{ hosts: ['*'], root: node.root }],
    }),
  )
  const { status, stderr } = run('serve', '--config', path)
  assert.equal(status, 1)
  assert.match(stderr, new RegExp(`port_in_use.*${node.port}`))
})

test('SIGTERM and SIGINT end it with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const node = await startNode(t, { files: { 'a.txt': 'a' } })
    assert.equal((await get(node.port, '/a.txt')).status, 200)
    assert.equal(await node.stop(signal), 0)
  }
})

test('a response under way is sent to its end when it stops', async (t) => {
  const content = Buffer.alloc(8 << 20, 'x')
  const node = await startNode(t, { files: { 'big.bin': content } })
  const client = await RawClient.connect(node.port)
  const idle = await RawClient.connect(node.port)
  idle.send(request('/big.bin', { method: 'HEAD' }))
  await idle.response({ isHead: true })
  client.socket.once('data', () => client.socket.pause())
  client.send(request('/big.bin'))
  await until(() => client.received > 0, 'the first bytes')
  node.child.kill('SIGTERM')
  await idle.closed()
  await until(
    () =>
      RawClient.connect(node.port).then(
        (late) => late.close(),
        () => true,
      ),
    'nobody listens any more',
  )
  client.socket.resume()
  const response = await client.response()
  assert.equal(response.body.length, content.length)
  await client.closed()
  assert.equal(await node.exit, 0)
})
