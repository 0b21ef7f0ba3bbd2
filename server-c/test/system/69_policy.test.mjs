// SPDX-License-Identifier: MIT
// What a config may not do to a machine: attacks by who may write configs, and the owner's policy.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { AgentNode, run } from '../support/agent-node.mjs'
import { joinNode } from '../support/joined-node.mjs'
import { SETTLED_MS, startNode, tempFolder, until, writeTree } from '../support/node.mjs'

const USUAL_PLACE = '/etc/farmstead/policy.json'
const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }
const needsNoPolicyHere = { skip: existsSync(USUAL_PLACE) && 'this machine has a policy' }

let control
let node, leave
beforeEach(async () => {
  ;({ control, node, leave } = await joinNode())
})
afterEach(() => leave())

/** Assigns a config; the nack that answers it. */
async function refusalOf(config) {
  const { generation } = control.assign(config)
  const [nack] = await control.until(`a nack of ${generation}`, () => {
    const nacks = control.of('nack', generation)
    return nacks.length > 0 && nacks
  })
  return nack.body
}

const site = (more) => ({ sites: [{ hosts: ['*'], root: node.root, ...more }] })
const get = (path) => fetch(`http://127.0.0.1:${node.port}${path}`)

// --- what one operator could do to each machine -------------------------------------------------

const attacks = {
  'the whole machine as a site': () => [site({ root: '/' }), '/sites/0/root', 'exposed_file'],
  'the control plane and its keys': () => [site({ root: '/var/lib' }), '/sites/0/root', 'policy'],
  'an alias on the state folder': () => [
    site({ aliases: [{ path: '/s/', folder: node.state }] }),
    '/sites/0/aliases/0/folder',
    'exposed_file',
  ],
  'a log that a shell runs': () => [
    { accessLog: { path: '/root/.profile' } },
    '/accessLog/path',
    'policy',
  ],
  'a log on a device': () => [{ accessLog: { path: '/dev/null' } }, '/accessLog/path', 'policy'],
  "a log on the node's identity": () => [
    { accessLog: { path: join(node.state, 'identity.json') } },
    '/accessLog/path',
    'protected_file',
  ],
  "a log on the node's config": () => [
    { errorLog: { path: join(node.state, 'config.jsonc') } },
    '/errorLog/path',
    'protected_file',
  ],
  'a pid file over any file': () => [
    { process: { pidFile: '/etc/hostname' } },
    '/process/pidFile',
    'policy',
  ],
  "a pid file over a visitor's page": () => [
    { process: { pidFile: join(node.root, 'index.html') } },
    '/process/pidFile',
    'protected_file',
  ],
  "the system's passwords as redirects": () => [
    site({ redirectFile: '/etc/shadow' }),
    '/sites/0/redirectFile',
    'policy',
  ],
  "the system's passwords as a site's": () => [
    site({ auth: [{ realm: 'r', file: '/etc/shadow' }] }),
    '/sites/0/auth/0/file',
    'policy',
  ],
  "the machine's policy as a log": () => [
    { errorLog: { path: node.policy } },
    '/errorLog/path',
    'protected_file',
  ],
}

test('no config takes over the machine; each attack is refused by its place', async () => {
  node.start()
  const before = readFileSync(join(node.state, 'identity.json'), 'utf8')
  for (const [name, attack] of Object.entries(attacks)) {
    const [overrides, pointer, code] = attack()
    const { errors } = await refusalOf(node.config('evil', overrides))
    const found = errors.map((error) => `${error.pointer} ${error.code}`)
    assert.ok(found.includes(`${pointer} ${code}`), `${name}: ${found}`)
  }
  assert.equal(readFileSync(join(node.state, 'identity.json'), 'utf8'), before)
  control.assign(node.config('v1'))
  await node.untilVersion('v1')
})

test('a policy is said in hello and refused by its own code', async () => {
  node.start()
  const { code, message } = await refusalOf(node.config('v1', site({ root: '/usr' })))
  assert.equal(code, 'policy')
  assert.match(message, /^\/sites\/0\/root: "\/usr" is not what this machine's policy allows/)
  const [hello] = control.of('hello')
  assert.equal(hello.body.policy.source, 'file')
  assert.equal(hello.body.policy.path, node.policy)
  assert.deepEqual(hello.body.policy.rules, policyFor([node.dir]))
})

test('links that may lead anywhere lead nowhere that is not to be served', async () => {
  const secret = join(node.dir, 'secret.key')
  writeFileSync(secret, 'k'.repeat(32), { mode: 0o600 })
  symlinkSync('/etc/passwd', join(node.root, 'passwd'))
  symlinkSync(join(node.state, 'identity.json'), join(node.root, 'identity'))
  symlinkSync(secret, join(node.root, 'link'))
  linkSync(secret, join(node.root, 'second-name'))
  symlinkSync(node.state, join(node.root, 'state'))
  writeFileSync(join(node.dir, 'elsewhere.txt'), 'allowed')
  symlinkSync(join(node.dir, 'elsewhere.txt'), join(node.root, 'elsewhere'))
  node.start()
  const signedUrls = [{ paths: ['/signed/**'], secretFile: secret }]
  const listing = { directoryListing: { enabled: true } }
  control.assign(node.config('v1', site({ symlinks: 'any', signedUrls, ...listing })))
  await until(async () => (await node.version()) !== 'ECONNREFUSED', 'the config')
  assert.equal((await get('/elsewhere')).status, 200)
  for (const path of ['passwd', 'identity', 'link', 'second-name', 'state/', 'state/lock'])
    assert.equal((await get(`/${path}`)).status, 404, path)
})

test('a list of redirects that becomes a link to a key is not read, and nothing of the key is told', async () => {
  const redirectFile = join(node.root, 'moved.txt')
  const identity = join(node.state, 'identity.json')
  writeFileSync(redirectFile, '/old /new\n')
  node.start()
  const { generation } = control.assign(node.config('v1', site({ redirectFile })))
  await control.until('applied', () => control.of('result', generation).length > 0)
  const old = () => fetch(`http://127.0.0.1:${node.port}/old`, { redirect: 'manual' })
  assert.equal((await old()).headers.get('location'), '/new')
  symlinkSync(identity, `${redirectFile}.link`)
  renameSync(`${redirectFile}.link`, redirectFile)
  await until(() => /moved\.txt" is not in a folder that may be served here/.test(node.log), 'why')
  assert.equal((await old()).headers.get('location'), '/new')
  const { errors } = await refusalOf(node.config('v2', site({ redirectFile: identity })))
  assert.deepEqual(
    errors.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/sites/0/redirectFile protected_file'],
  )
  for (const line of readFileSync(identity, 'utf8').split('\n')) {
    const start = line.trim().slice(0, 20) // longer words are cut where they are quoted
    if (start.length > 9) assert.ok(!`${node.log}${JSON.stringify(errors)}`.includes(start), start)
  }
})

test('a file that becomes a key is served no more, though a cache knows it', async () => {
  writeFileSync(join(node.dir, 'k'), 'k'.repeat(32))
  symlinkSync(join(node.dir, 'k'), join(node.root, 'k'))
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
  node.start()
  control.assign(node.config('v1', site({ symlinks: 'any' })))
  await until(async () => (await node.version()) === 'HTTP 200', 'the config')
  assert.equal((await get('/k')).status, 200)
  const signedUrls = [{ paths: ['/x/**'], secretFile: join(node.dir, 'k') }]
  const { generation } = control.assign(node.config('v2', site({ symlinks: 'any', signedUrls })))
  await control.until('applied', () => control.of('result', generation).length > 0)
  assert.equal((await get('/k')).status, 404)
})

// --- the file -----------------------------------------------------------------------------------

test('a tightened policy holds at the next start, and a widened one serves again', async () => {
  node.start()
  const { generation } = control.assign(node.config('v1'))
  await node.untilVersion('v1')
  await node.untilConfirmed(generation)
  assert.equal(await node.stop(), 0)

  writePolicy(node.policy, policyFor([join(node.dir, 'other')]))
  node.start()
  await until(() => /is not what this machine's policy allows/.test(node.log), 'the refusal')
  assert.equal(await node.version(), 'ECONNREFUSED')
  assert.equal(await node.stop(), 0)

  writePolicy(node.policy, policyFor([node.dir]))
  node.start()
  await node.untilVersion('v1')
})

test('a policy that others could have written is none', async () => {
  chmodSync(node.policy, 0o666)
  const { code, stderr } = await run('run', '--state', node.state, '--policy', node.policy)
  assert.equal(code, 1)
  assert.match(stderr, /policy\.json: others may change this policy/)
})

test('a node whose owner has written none serves /srv/www alone', needsNoPolicyHere, async () => {
  const usual = new AgentNode(control)
  usual.state = node.state
  usual.policy = null
  usual.start()
  try {
    const { errors } = await refusalOf(node.config('v1'))
    const [root] = errors.filter(({ pointer }) => pointer === '/sites/0/root')
    assert.equal(root.code, 'policy')
    assert.match(root.hint, /no policy file.*\/etc\/farmstead\/policy\.json/)
    const { policy } = control.of('hello').at(-1).body
    assert.deepEqual([policy.source, policy.path], ['builtIn', null])
    assert.deepEqual(policy.rules.serve, ['/srv/www'])
    assert.match(usual.log, /policy: this machine has no \/etc\/farmstead\/policy\.json/)
  } finally {
    await usual.dispose()
  }
})

test('root serves as the first user that the policy names', needsRoot, async () => {
  writePolicy(node.policy, policyFor([node.dir], { users: ['nobody', 'root'] }))
  chmodSync(node.dir, 0o755)
  node.start()
  control.assign(node.config('v1'))
  await node.untilVersion('v1')
  const status = readFileSync(`/proc/${node.servingPid}/status`, 'utf8')
  assert.doesNotMatch(status, /^Uid:\t0/m)
  control.assign(node.config('v2'))
  await node.untilVersion('v2')
})

test('a folder of the policy that is replaced is served, by a process started anew', async () => {
  writePolicy(node.policy, policyFor([node.root]))
  node.start()
  const { generation } = control.assign(node.config('v1'))
  await node.untilVersion('v1')
  await node.untilConfirmed(generation)
  const before = node.servingPid
  mkdirSync(join(node.dir, 'next'))
  writeTree(join(node.dir, 'next'), { 'index.html': 'a new release' })
  renameSync(node.root, join(node.dir, 'previous'))
  renameSync(join(node.dir, 'next'), node.root)
  await until(async () => {
    try {
      return (await (await get('/')).text()) === 'a new release'
    } catch {
      return false // it is being started
    }
  }, 'the new folder')
  assert.notEqual(node.servingPid, before)
  assert.match(node.log, /a folder of this machine's policy was replaced or made/)
})

// --- join ---------------------------------------------------------------------------------------

const joinWith = (dir, ...more) => {
  const token = control.makeToken()
  const words = ['--token', token, '--state', join(dir, 'state'), '--name', 'edge-2']
  return run('join', control.url, ...words, ...more)
}

test('join writes a tight policy, which flags widen', async (t) => {
  const dir = tempFolder(t)
  const file = join(dir, 'farmstead/policy.json')
  const serve = ['--serve', '/data/a', '--serve', '/data/b', '--listen', '*:8443']
  const joined = await joinWith(dir, '--policy', file, ...serve, '--symlinks-any')
  assert.equal(joined.code, 0, joined.stderr)
  assert.match(
    joined.stdout,
    /^wrote \S+policy\.json: what configs may do on this machine\njoined /,
  )
  const text = readFileSync(file, 'utf8')
  const policy = JSON.parse(text.replaceAll(/^\/\/.*$/gm, ''))
  assert.deepEqual(policy.serve, ['/data/a', '/data/b'])
  assert.deepEqual(policy.listen, ['*:8443'])
  assert.deepEqual(policy.logs, ['/var/log/farmstead'])
  assert.deepEqual([policy.symlinksAny, policy.adminBeyondLoopback], [true, false])
  assert.equal(statSync(file).mode & 0o777, 0o644)
})

test('join keeps a policy that is there, and spends no token on flags that it cannot heed', async (t) => {
  const dir = tempFolder(t)
  const file = writePolicy(join(dir, 'policy.json'), { serve: ['/data'] })
  const enrolled = control.of('enrol').length
  const refused = await joinWith(dir, '--policy', file, '--serve', '/srv')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /policy\.json is there already: change it by hand/)
  const wrong = await joinWith(dir, '--policy', join(dir, 'new.json'), '--serve', 'srv')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /the policy's \/serve\/0: must be the absolute path of a folder/)
  assert.equal(control.of('enrol').length, enrolled)
  assert.equal((await joinWith(dir, '--policy', file)).code, 0)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { serve: ['/data'] })
})

// --- serve, whose config the owner has written --------------------------------------------------

test('serve holds to a policy where one is named', async (t) => {
  const policy = (folder) =>
    writePolicy(join(folder, 'policy.json'), policyFor([join(folder, 'www')]))
  const served = await startNode(t, {
    files: { 'a.txt': 'a' },
    options: (folder) => ['--policy', policy(folder)],
  })
  assert.equal((await fetch(`http://127.0.0.1:${served.port}/a.txt`)).status, 200)
  assert.match(served.log, /policy: /)
  const elsewhere = { ...served.config, sites: [{ hosts: ['*'], root: '/usr' }] }
  assert.equal(await served.reload(elsewhere), false)
  assert.match(served.log, /:\d+:\d+: policy: "\/usr" is not what/)
})

test('serve never serves its keys, whatever link leads to them', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { 'www/a.txt': 'a', 'keys/k': 'k'.repeat(32) })
  symlinkSync('../keys/k', join(folder, 'www/link'))
  linkSync(join(folder, 'keys/k'), join(folder, 'www/name'))
  const signedUrls = [{ paths: ['/x/**'], secretFile: join(folder, 'keys/k') }]
  const served = await startNode(t, {
    site: { root: join(folder, 'www'), symlinks: 'any', signedUrls },
  })
  const status = async (path) => (await fetch(`http://127.0.0.1:${served.port}${path}`)).status
  assert.deepEqual([await status('/a.txt'), await status('/link')], [200, 404])
  assert.equal(await status('/name'), 404)
  // A new key in its place is a key, too.
  writeFileSync(join(folder, 'keys/new'), 'n'.repeat(32))
  renameSync(join(folder, 'keys/new'), join(folder, 'keys/k'))
  await until(async () => (await status('/link')) === 404, 'the new key')
})
