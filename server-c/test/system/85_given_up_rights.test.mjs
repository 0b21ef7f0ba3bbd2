// SPDX-License-Identifier: MIT
// Started as root, served as another user: what root opened stays usable, and nothing of it is
// demanded a second time with rights that are gone.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeBinary, startNode, tempFolder, until, writeTree } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }
const idOf = (what, name) => Number(execFileSync('id', [what, name]).toString())
const [uid, gid] = process.getuid() === 0 ? [idOf('-u', 'nobody'), idOf('-g', 'nobody')] : []
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Root's own folder, where others can look and nobody else can write. */
function rootsFolder(t) {
  const folder = tempFolder(t)
  chmodSync(folder, 0o755)
  return folder
}

/** A site, and a folder of root's for its logs; `before` is called with that folder first. */
function place(t, before = () => {}) {
  const root = rootsFolder(t)
  writeTree(root, { 'a.txt': 'alpha' })
  const folder = rootsFolder(t)
  before(folder)
  const access = join(folder, 'access.log')
  const error = join(folder, 'error.log')
  const config = {
    process: { user: 'nobody' },
    accessLog: { path: access, format: 'common' },
    errorLog: { path: error, level: 'info' },
  }
  return { root, folder, access, error, config }
}

/** A node whose error log is a file: what startNode reads of standard error is not there. */
async function start(t, where, more = {}) {
  const folder = rootsFolder(t)
  const configPath = join(folder, 'config.json')
  const config = {
    listen: [{ address: '127.0.0.1', port: 0 }],
    workers: 1,
    sites: [{ hosts: ['*'], root: where.root }],
    ...where.config,
    ...more,
  }
  const write = (value) => writeFileSync(configPath, JSON.stringify(value))
  write(config)
  const before = read(where.error).length // of an earlier node
  const child = spawn(nodeBinary, ['serve', '--config', configPath], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let early = ''
  child.stderr.on('data', (text) => {
    early += text
  })
  const exit = once(child, 'close').then(([code]) => code)
  const node = { child, config, configPath, log: () => read(where.error).slice(before) }
  node.stop = () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    return exit
  }
  node.line = (pattern) =>
    until(() => {
      if (child.exitCode !== null) throw new Error(`it has ended:\n${early}${node.log()}`)
      return node.log().match(pattern)
    }, `${pattern} in\n${early}${node.log()}`)
  node.reload = async (value) => {
    const from = node.log().length
    write(value)
    child.kill('SIGHUP')
    return until(
      () =>
        node
          .log()
          .slice(from)
          .match(/generation \d+ (serves|goes on serving)\n/)?.[1],
      `an end of the reload in\n${node.log()}`,
    )
  }
  t.after(async () => assert.equal(await node.stop(), 0, early + node.log()))
  node.port = Number((await node.line(/listening on http:\S*:(\d+)\n/))[1])
  return node
}

const withHeader = (config, value) => ({
  ...config,
  sites: config.sites.map((site) => ({
    ...site,
    headers: [{ action: 'set', name: 'X-Version', value }],
  })),
})

const untilLogged = (where, target, path = where.access) =>
  until(() => read(path).includes(target), `${target} in ${path}`)

/** Only by what it does is it known that a signal was heard. */
const untilInNewFile = (node, where) =>
  until(async () => {
    await get(node.port, '/a.txt?new')
    return read(where.access).includes('?new')
  }, 'lines in the new file')

test(
  'logs in a folder of root: they are the user’s, and every reload is taken',
  needsRoot,
  async (t) => {
    const where = place(t)
    const node = await start(t, where)
    for (const path of [where.access, where.error]) {
      assert.equal(statSync(path).uid, uid, path)
      assert.equal(statSync(path).gid, gid, path)
    }
    for (const value of ['2', '3']) {
      assert.equal(await node.reload(withHeader(node.config, value)), 'serves', node.log())
      assert.equal((await get(node.port, '/a.txt')).headers['x-version'], value)
    }
    await get(node.port, '/a.txt?after')
    await untilLogged(where, '?after')
  },
)

test(
  'logs that root made itself stay root’s, and are not demanded by a reload',
  needsRoot,
  async (t) => {
    const where = place(t, (folder) => {
      for (const name of ['access.log', 'error.log'])
        writeFileSync(join(folder, name), '', { mode: 0o644 })
    })
    const node = await start(t, where)
    assert.equal(statSync(where.access).uid, 0)
    assert.equal(await node.reload(withHeader(node.config, '2')), 'serves', node.log())
    await get(node.port, '/a.txt?after')
    await untilLogged(where, '?after')
    // Nothing was rotated: there is nothing to open and nothing to complain of.
    node.child.kill('SIGUSR1')
    // Of two signals the kernel hands over SIGHUP first: after two of them, SIGUSR1 was heard.
    for (const value of ['3', '4'])
      assert.equal(await node.reload(withHeader(node.config, value)), 'serves', node.log())
    assert.doesNotMatch(node.log(), / (warn|error) /)
  },
)

test('a reload that can open one new log only leaves both as they were', needsRoot, async (t) => {
  const where = place(t, (folder) => {
    for (const name of ['access.log', 'error.log']) writeFileSync(join(folder, name), '')
  })
  const mine = rootsFolder(t)
  chownSync(mine, uid, gid)
  // A program that runs can't be written to, whatever its mode says.
  const busy = join(mine, 'busy')
  copyFileSync('/bin/sleep', busy)
  chmodSync(busy, 0o777)
  const sleeper = spawn(busy, ['600'])
  t.after(() => sleeper.kill())
  const node = await start(t, where)
  const other = join(mine, 'access.log')
  const logs = { accessLog: { path: other }, errorLog: { path: busy } }
  assert.equal(await node.reload({ ...node.config, ...logs }), 'goes on serving')
  await get(node.port, '/a.txt?after')
  await untilLogged(where, '?after')
  assert.equal(read(other), '')
})

test('a log that rotation made for the user is taken by SIGUSR1', needsRoot, async (t) => {
  const where = place(t)
  const node = await start(t, where)
  await get(node.port, '/a.txt?before')
  await untilLogged(where, '?before')
  for (const path of [where.access, where.error]) {
    renameSync(path, `${path}.1`)
    writeFileSync(path, '', { mode: 0o640 })
    chownSync(path, uid, gid)
  }
  node.child.kill('SIGUSR1')
  await untilInNewFile(node, where)
  assert.equal(await node.reload(withHeader(node.config, '2')), 'serves')
  assert.doesNotMatch(node.log(), / (warn|error) /)
})

test(
  'a rotation that left no file: lines go on in the old one, and the log says what to do',
  needsRoot,
  async (t) => {
    const where = place(t)
    const node = await start(t, where)
    renameSync(where.access, `${where.access}.1`)
    node.child.kill('SIGUSR1')
    await node.line(
      /error access log: "\S*access\.log" can't be opened: permission denied; lines go on into the old file, .*let user \d+ write/,
    )
    await get(node.port, '/a.txt?still')
    await untilLogged(where, '?still', `${where.access}.1`)
    // A reload is no reason to lose them either.
    assert.equal(await node.reload(withHeader(node.config, '2')), 'serves', node.log())
    await get(node.port, '/a.txt?ever')
    await untilLogged(where, '?ever', `${where.access}.1`)
    // Made by somebody else, it is taken the next time.
    writeFileSync(where.access, '')
    chownSync(where.access, uid, gid)
    node.child.kill('SIGUSR1')
    await untilInNewFile(node, where)
  },
)

test(
  'a log in a folder that is everybody’s is found again by the next start',
  needsRoot,
  async (t) => {
    const where = place(t, (folder) => chmodSync(folder, 0o1777))
    const node = await start(t, where)
    assert.equal(await node.stop(), 0)
    const again = await start(t, where)
    await get(again.port, '/a.txt?second')
    await untilLogged(where, '?second')
  },
)

test(
  'a Unix socket is the user’s: its mode follows a reload, and the stop removes it',
  needsRoot,
  async (t) => {
    const where = place(t)
    const mine = rootsFolder(t)
    chownSync(mine, uid, gid)
    const sockets = [join(where.folder, 'web.sock'), join(mine, 'web.sock')]
    const listen = (socketMode) => [
      { address: '127.0.0.1', port: 0 },
      ...sockets.map((socket) => ({ socket, socketMode })),
    ]
    const node = await start(t, where, { listen: listen('0600') })
    for (const path of sockets) {
      assert.equal(statSync(path).uid, uid)
      assert.equal(statSync(path).gid, gid)
    }
    assert.equal(
      await node.reload({ ...node.config, listen: listen('0666') }),
      'serves',
      node.log(),
    )
    for (const path of sockets)
      await until(() => (statSync(path).mode & 0o777) === 0o666, `the mode of ${path}`)
    assert.doesNotMatch(node.log(), / (warn|error) /)
    assert.equal(await node.stop(), 0)
    assert.ok(!existsSync(sockets[1]))
  },
)

test('a socket that can not be removed any more is told of', needsRoot, async (t) => {
  const where = place(t)
  const socket = join(where.folder, 'web.sock')
  const tcp = { address: '127.0.0.1', port: 0 }
  const node = await start(t, where, { listen: [tcp, { socket }] })
  assert.equal(await node.reload({ ...node.config, listen: [tcp] }), 'serves', node.log())
  await node.line(/warn listener: can't remove the socket "\S*web\.sock": permission denied/)
})

test(
  'a config file that the user can’t read is told of at the start, not at the first reload',
  needsRoot,
  async (t) => {
    const root = rootsFolder(t)
    writeTree(root, { 'a.txt': 'alpha' })
    const node = await startNode(t, { site: { root }, config: { process: { user: 'nobody' } } })
    await node.logLine(
      /warn \S*config\.json: user \d+ can't read it: permission denied; a reload needs/,
    )
    assert.equal(await node.reload(node.config), false)
    assert.match(node.log, /can't read the config: Permission denied; it is read as user \d+/)
    chmodSync(node.folder, 0o755)
    assert.equal(await node.reload(node.config), true)
  },
)

test('with a root folder of its own, too', needsRoot, async (t) => {
  const jail = rootsFolder(t)
  writeTree(jail, { 'www/a.txt': 'in the jail' })
  mkdirSync(join(jail, 'logs'))
  const folder = rootsFolder(t)
  const path = join(folder, 'config.json')
  // The same path beneath the jail: what a reload reads.
  mkdirSync(join(jail, folder), { recursive: true })
  const config = {
    listen: [{ address: '127.0.0.1', port: 0 }],
    process: { user: 'nobody', chroot: jail },
    accessLog: { path: '/logs/access.log' },
    errorLog: { path: '/logs/error.log' },
    sites: [{ hosts: ['*'], root: '/www' }],
  }
  writeFileSync(path, JSON.stringify(config))
  const child = spawn(nodeBinary, ['serve', '--config', path], {
    stdio: 'ignore',
    // The sanitizer's search for leaks needs /proc, which is not in there.
    env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0' },
  })
  t.after(() => child.kill('SIGKILL'))
  const log = () => read(join(jail, 'logs/error.log'))
  await until(
    () => /warn \S*config\.json: user \d+ can't read it: no such file/.test(log()),
    'word',
  )
  assert.equal(statSync(join(jail, 'logs/access.log')).uid, uid)
  writeFileSync(join(jail, path), JSON.stringify({ ...config, workers: 2 }))
  child.kill('SIGHUP')
  await until(() => /generation 2 serves/.test(log()), `a reload in ${log()}`)
  child.kill('SIGTERM')
  assert.equal((await once(child, 'close'))[0], 0)
})
