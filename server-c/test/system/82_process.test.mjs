// SPDX-License-Identifier: MIT
// The process itself: user, group, root folder and pid file. Most of it needs root, as a container's
// test run has it.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeBinary, startNode, tempFolder, until, writeTree } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha' }
const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }
const idOf = (what, name) => Number(execFileSync('id', [what, name]).toString())

/** Uid, gid, groups and flags of every thread. */
function threadsOf(pid) {
  return readdirSync(`/proc/${pid}/task`).map((task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')
    const field = (name) => status.match(new RegExp(`^${name}:\\s*(.*)$`, 'm'))[1].trim()
    return {
      uid: field('Uid'),
      gid: field('Gid'),
      groups: field('Groups'),
      capabilities: field('CapEff'),
      noNewPrivs: field('NoNewPrivs'),
    }
  })
}

/** A folder that other users can look into. */
function openFolder(t) {
  const folder = tempFolder(t)
  chmodSync(folder, 0o755)
  return folder
}

async function failedStart(t, config, options = {}) {
  const path = join(openFolder(t), 'config.json')
  writeFileSync(path, JSON.stringify(config))
  const child = spawn(nodeBinary, ['serve', '--config', path], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...options,
  })
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
  })
  const [code] = await once(child, 'close')
  return { code, log }
}

test('no thread can ever gain rights, whoever starts it', async (t) => {
  const node = await startNode(t, { files })
  for (const thread of threadsOf(node.child.pid)) assert.equal(thread.noNewPrivs, '1')
})

test('root becomes the user: every thread, every group, for good', needsRoot, async (t) => {
  const root = openFolder(t)
  writeTree(root, { ...files, 'secret.txt': 'for root only' })
  chmodSync(join(root, 'secret.txt'), 0o600)
  const folder = openFolder(t)
  const pidFile = join(folder, 'node.pid')
  const node = await startNode(t, {
    site: { root },
    config: { process: { user: 'nobody', pidFile }, workers: 2 },
  })
  const [uid, gid] = [idOf('-u', 'nobody'), idOf('-g', 'nobody')]
  const four = (id) => [id, id, id, id].join('\t')
  for (const thread of threadsOf(node.child.pid)) {
    assert.equal(thread.uid, four(uid))
    assert.equal(thread.gid, four(gid))
    assert.ok(!thread.groups.split(/\s+/).includes('0'), thread.groups)
    assert.equal(Number.parseInt(thread.capabilities, 16), 0)
    assert.equal(thread.noNewPrivs, '1')
  }
  await node.logLine(`serving as user ${uid}, group ${gid}\n`)
  assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
  assert.equal((await get(node.port, '/secret.txt')).status, 403)
  assert.equal(readFileSync(pidFile, 'utf8'), `${node.child.pid}\n`)
  // A reload has the user's rights: the port that is bound stays, with more loops, too.
  chmodSync(node.folder, 0o755)
  chmodSync(node.configPath, 0o644)
  assert.ok(await node.reload({ ...node.config, workers: 4 }), node.log)
  for (let i = 0; i < 20; i++) assert.equal((await get(node.port, '/a.txt')).status, 200)
  for (const thread of threadsOf(node.child.pid)) assert.equal(thread.uid, four(uid))
  assert.equal(await node.stop(), 0)
  assert.ok(!existsSync(pidFile) || readFileSync(pidFile, 'utf8') === '')
})

test('a group alone, and a group beside the user', needsRoot, async (t) => {
  const root = openFolder(t)
  writeTree(root, files)
  const node = await startNode(t, {
    site: { root },
    config: { process: { user: 'nobody', group: 'daemon' } },
  })
  const gid = idOf('-g', 'daemon')
  for (const thread of threadsOf(node.child.pid))
    assert.equal(thread.gid, [gid, gid, gid, gid].join('\t'))
  assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
})

test('a root folder of its own: all paths are beneath it', needsRoot, async (t) => {
  const jail = openFolder(t)
  writeTree(jail, { 'www/a.txt': 'in the jail' })
  mkdirSync(join(jail, 'logs'))
  chownSync(join(jail, 'logs'), idOf('-u', 'nobody'), idOf('-g', 'nobody'))
  const folder = openFolder(t)
  const path = join(folder, 'config.json')
  const config = {
    listen: [{ address: '127.0.0.1', port: 0 }],
    process: { user: 'nobody', chroot: jail, pidFile: join(folder, 'pid') },
    accessLog: { path: '/logs/access.log' },
    sites: [{ hosts: ['*'], root: '/www' }],
  }
  writeFileSync(path, JSON.stringify(config))
  const child = spawn(nodeBinary, ['serve', '--config', path], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // The sanitizer's search for leaks needs /proc, which is not in there.
    env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0' },
  })
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
  })
  t.after(() => child.kill('SIGKILL'))
  const [, port] = await until(() => log.match(/listening on http:\S*:(\d+)\n/), 'the port')
  assert.equal((await get(Number(port), '/a.txt')).text, 'in the jail')
  await until(() => readFileSync(join(jail, 'logs/access.log'), 'utf8').includes('/a.txt'), 'log')
  // The file of the config is out of reach now: a reload says so and everything goes on.
  child.kill('SIGHUP')
  await until(() => log.includes("can't read the config"), `the refusal in ${log}`)
  assert.equal((await get(Number(port), '/a.txt')).status, 200)
  child.kill('SIGTERM')
  assert.equal((await once(child, 'close'))[0], 0, log)
  assert.equal(readFileSync(join(folder, 'pid'), 'utf8'), '')
})

test('a start that can not become whom it should is none', async (t) => {
  const sites = [{ hosts: ['*'], root: '/tmp' }]
  const listen = [{ address: '127.0.0.1', port: 0 }]
  const rows = [
    [{ user: 'no-such-user' }, /no user "no-such-user"/],
    [{ group: 'no-such-group' }, /no group "no-such-group"/],
  ]
  if (process.getuid() === 0)
    rows.push([{ chroot: '/no/such/folder' }, /"\/no\/such\/folder" does not exist/])
  for (const [process, pattern] of rows) {
    const { code, log } = await failedStart(t, { listen, sites, process })
    assert.equal(code, 1)
    assert.match(log, pattern)
    assert.doesNotMatch(log, /listening/)
  }
  const other =
    process.getuid() === 0 ? { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') } : {}
  const { code, log } = await failedStart(t, { listen, sites, process: { user: 'root' } }, other)
  assert.equal(code, 1, log)
  assert.match(log, /only root can become "root"/)
})

test('a pid file that names a running node is refused', async (t) => {
  const pidFile = join(tempFolder(t), 'node.pid')
  const node = await startNode(t, { files, config: { process: { pidFile } } })
  const { code, log } = await failedStart(t, node.config)
  assert.equal(code, 1)
  assert.match(log, new RegExp(`names process ${node.child.pid}, which runs`))
  assert.equal(readFileSync(pidFile, 'utf8'), `${node.child.pid}\n`)
  assert.equal(statSync(pidFile).mode & 0o777, 0o644)
  assert.equal(await node.stop(), 0)
  assert.ok(!existsSync(pidFile))
})
