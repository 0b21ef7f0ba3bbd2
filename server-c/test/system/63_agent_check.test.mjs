// SPDX-License-Identifier: MIT
// The control plane asks what a text would do, before it offers anything.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { joinNode } from '../support/joined-node.mjs'

let control
let node, leave
before(async () => {
  ;({ control, node, leave } = await joinNode())
  control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await control.until('quiet', () => /generation 1 is confirmed/.test(node.log))
})
after(() => leave())

async function answerTo(requestId) {
  const find = () => control.of('check').find(({ body }) => body.requestId === requestId)
  return (await control.until('check', find)).body
}
const ask = (config, ...paths) =>
  control.askForCheck(
    config,
    paths.map((path) => ({ path })),
  )
/** As it is, but for its only site. */
function withSite(change) {
  const config = node.config('v2')
  return { ...config, sites: [{ ...config.sites[0], ...change }] }
}

test('hello says that it can, and a text like the one that runs changes nothing', async () => {
  const [{ body }] = control.of('hello')
  assert.ok(body.capabilities.includes('check'))
  const answer = await answerTo(ask(node.config('v2'), '/', '/none', '/%zz'))
  assert.equal(answer.code, null)
  assert.deepEqual(answer.errors, [])
  assert.deepEqual(answer.paths, [
    { running: 200, offered: 200 },
    { running: 404, offered: 404 },
    { running: 400, offered: 400 },
  ])
})

test('a root that is an empty folder there is told before anybody is offered it', async () => {
  const root = join(node.dir, 'empty')
  mkdirSync(root)
  const { code, paths } = await answerTo(ask(withSite({ root }), '/', '/index.html?a=b'))
  assert.equal(code, null)
  assert.deepEqual(paths, [
    { running: 200, offered: 404 },
    { running: 200, offered: 404 },
  ])
})

test('what it would refuse it says as a refusal would, and stages nothing', async () => {
  const root = join(node.dir, 'nowhere')
  const { code, message, errors, paths } = await answerTo(ask(withSite({ root }), '/'))
  assert.equal(code, 'missing_file')
  assert.match(message, /nowhere/)
  assert.equal(errors[0].pointer, '/sites/0/root')
  assert.deepEqual(paths, [{ running: 200, offered: null }])
  const wrong = await answerTo(ask('{ "sites": [{ "hosts": ["*"], "rot": "/" }] }'))
  assert.equal(wrong.code, 'schema')
  const other = control.askForCheck(node.config('v2'), [], { digest: `sha256:${'0'.repeat(64)}` })
  assert.equal((await answerTo(other)).code, 'digest_mismatch')
  assert.deepEqual(control.of('ack', 2), [])
  assert.deepEqual(control.of('nack'), [])
})

test('rules, links and folders answer as they would a visitor', async () => {
  writeFileSync(join(node.root, 'secret.txt'), 'x')
  mkdirSync(join(node.root, 'folder'), { recursive: true })
  symlinkSync('/etc/hostname', join(node.root, 'out'))
  const config = withSite({
    redirects: [{ match: '^/old$', to: '/new', status: 302 }],
    access: [{ paths: ['/secret.txt'], action: 'deny' }],
  })
  const { code, message, paths } = await answerTo(
    ask(config, '/old', '/secret.txt', '/folder', '/folder/', '/out', '/.hidden'),
  )
  assert.equal(code, null, message)
  assert.deepEqual(
    paths.map(({ running, offered }) => [running, offered]),
    [
      [404, 302],
      [200, 403],
      [301, 301],
      [404, 404],
      [404, 404],
      [404, 404],
    ],
  )
  for (const { path, status } of [
    { path: '/secret.txt', status: 200 },
    { path: '/folder', status: 301 },
    { path: '/folder/', status: 404 },
    { path: '/out', status: 404 },
  ]) {
    const response = await fetch(`http://127.0.0.1:${node.port}${path}`, { redirect: 'manual' })
    assert.equal(response.status, status, path)
  }
})

test('a release that is not here is judged by what it takes, and everything else as always', async () => {
  const withRelease = (more = {}, overrides = {}) => {
    const config = node.config('v2')
    const { root: _, ...site } = config.sites[0]
    return { ...config, sites: [{ ...site, release: 'www', ...more }], ...overrides }
  }
  const manifestSha256 = '3f8a1c5e7d9b0246813579acebdf02468ace13579bdf0246813579acebdf0246'
  const asking = (config, fetchBytes, heldBytes = fetchBytes) => {
    const releases = [{ name: 'www', number: 41, manifestSha256, fetchBytes, heldBytes }]
    return answerTo(control.askForCheck(config, [{ path: '/' }], { releases }))
  }
  // What it would answer, nobody knows before the files are here.
  const taken = await asking(withRelease(), 1000)
  assert.equal(taken.code, null, taken.message)
  assert.deepEqual(taken.paths, [{ running: 200, offered: null }])
  const bounded = withRelease({}, { releases: { storeMaxBytes: 1_048_576 } })
  const { code, message } = await asking(bounded, 1000, 2_097_152)
  assert.equal(code, 'resource_limit')
  assert.match(message, /^version 41 of the release "www": with what runs it takes 2\.0 MiB, and /)
  const unbounded = withRelease({}, { releases: { storeMaxBytes: 100 * 2 ** 40 } })
  const large = await asking(unbounded, 2 ** 46)
  assert.equal(large.code, 'resource_limit')
  assert.match(large.message, /67108864\.0 MiB are to be fetched: the state folder's disk has /)
  const auth = [{ paths: ['/*'], realm: 'x', file: join(node.dir, 'nowhere') }]
  const other = await asking(withRelease({ auth }), 1000)
  assert.equal(other.code, 'missing_file')
  assert.deepEqual(
    other.errors.map(({ pointer }) => pointer),
    ['/sites/0/auth/0/file'],
  )
  assert.deepEqual(control.of('nack'), [])
})

test('an assignment that comes meanwhile reaches the node all the same', async () => {
  const requestId = ask(node.config('v2'), '/')
  control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await answerTo(requestId)
})
