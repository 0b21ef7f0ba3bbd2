// SPDX-License-Identifier: MIT
// A version of a release under a name of its own, on a node that serves another one: only who has its key sees it, and
// visitors of the site notice nothing.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { until } from '../support/node.mjs'
import { releasedFarm } from '../support/released-farm.mjs'

const HOST = 'v2-www.edge-1.preview.example.org'
const KEY = 'the key of this preview'
const HOUR_MS = 3_600_000
const sha256 = (text) => createHash('sha256').update(text).digest('hex')
const basic = (password) => ({
  authorization: `Basic ${Buffer.from(`preview:${password}`).toString('base64')}`,
})

const site = (overrides = {}) => ({
  hosts: ['www.example.org', '*'],
  release: 'www',
  headers: [
    { action: 'set', name: 'X-Of-Site', value: 'yes' },
    { action: 'set', name: 'Cache-Control', value: 'public, max-age=600' },
  ],
  ...overrides,
})

let made = 0
const previewOf = (version, overrides = {}) => ({
  id: `preview_01jdq8z6v9k3m5n7p2r4t6w8${String(++made).padStart(2, '0')}`,
  name: version.name,
  manifestSha256: version.manifestSha256,
  host: HOST,
  keySha256: sha256(KEY),
  endsInMs: HOUR_MS,
  ...overrides,
})

const ask = (node, host, path, headers = {}) =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: node.port, path, headers: { host, ...headers } }
    const asked = request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode, text, headers: answer.headers }))
    })
    asked.on('error', reject).end()
  })

async function previewingFarm(t, { sites = [site()], ...overrides } = {}) {
  const farm = await releasedFarm(t)
  const { control, node, releases } = farm
  const config = { sites, releases: { keep: 0 }, ...overrides }
  const first = releases.keep('www', { 'index.html': 'one', 'only-old.html': 'old' })
  const serve = (version, other = config) => farm.serve(version, 'r', other)
  await serve(first)
  const second = releases.keep('www', { 'index.html': 'two', 'new.css': 'new' })
  const seen = (path, headers = basic(KEY)) => ask(node, HOST, path, headers)
  const visited = async (path) => (await ask(node, 'www.example.org', path)).text
  const untilSeen = (text) =>
    until(
      async () => (await seen('/').catch(() => null))?.text === text,
      `"${text}" is seen`,
      60_000,
    )
  const told = () => control.wishes().at(-1)?.body.previews
  return { ...farm, config, serve, first, second, seen, visited, untilSeen, told }
}

describe('previews of releases', { concurrency: 3 }, () => {
  test('are for who has the key, and show that version with the rules of the site', async (t) => {
    const { control, node, second, seen, visited, told, untilSeen } = await previewingFarm(t)
    assert.deepEqual(told(), [])
    const preview = previewOf(second)
    control.hold(second)
    control.preview(preview)
    await control.until('it is told', () => told()?.[0] === preview.id)
    await untilSeen('two')

    const page = await seen('/new.css')
    assert.equal(page.status, 200)
    assert.equal(page.headers['x-of-site'], 'yes')
    assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow')
    assert.equal(page.headers['cache-control'], 'private, no-store')
    assert.equal((await seen('/only-old.html')).status, 404)

    for (const headers of [{}, basic('wrong'), { authorization: 'Bearer x' }]) {
      const refused = await seen('/new.css', headers)
      assert.equal(refused.status, 401)
      assert.match(refused.headers['www-authenticate'], /^Basic realm="preview"/)
      assert.equal(refused.headers['x-robots-tag'], 'noindex, nofollow')
      assert.ok(!refused.text.includes('new'))
    }
    assert.equal((await ask(node, `${HOST.toUpperCase()}.`, '/', basic(KEY))).text, 'two')
    // With the key, too, the site is what it was.
    const visitor = await ask(node, 'www.example.org', '/', basic(KEY))
    assert.equal(visitor.text, 'one')
    assert.equal(visitor.headers['cache-control'], 'public, max-age=600')
    assert.equal(await visited('/new.css').then((text) => text.includes('new')), false)
    assert.deepEqual(control.of('nack'), [])
  })

  test('change nothing of what the node says that it runs', async (t) => {
    const { control, second, untilSeen } = await previewingFarm(t)
    const effectiveOf = () => JSON.stringify(control.of('report').at(-1)?.body.effective ?? null)
    await control.until('it reports what it runs', () => effectiveOf() !== 'null')
    const before = effectiveOf()
    control.hold(second)
    control.preview(previewOf(second))
    await untilSeen('two')
    const reports = control.of('report').length
    await control.until('it reports again', () => control.of('report').length > reports + 1)
    assert.equal(effectiveOf(), before)
    assert.equal(control.of('report').at(-1).body.drift, null)
  })

  test('end by hand, by time and with their version, and by no rollout', async (t) => {
    const farm = await previewingFarm(t)
    const { control, node, releases, serve, second, seen, visited } = farm
    const { untilSeen } = farm
    const hasTree = (www) => existsSync(join(node.state, 'releases/trees', www.manifestSha256))
    control.hold(second)
    control.preview(previewOf(second))
    await untilSeen('two')
    // The site goes on to a third version; the preview stays what it is.
    const third = releases.keep('www', { 'index.html': 'three' })
    await serve(third)
    assert.deepEqual([await visited('/'), (await seen('/')).text], ['three', 'two'])
    // By hand: then the host is as any other of the site that answers for all.
    control.preview()
    await untilSeen('three')
    // By time, with nobody to say so.
    const last = previewOf(second, { endsInMs: 10_000 })
    control.preview(last)
    await untilSeen('two')
    await control.stop()
    await untilSeen('three')
    await control.start()
    // Its version is not to be held any more.
    control.preview(previewOf(second))
    await untilSeen('two')
    control.hold()
    await control.until('its tree has gone', () => !hasTree(second))
    assert.equal((await seen('/')).text, 'three')
    assert.equal(await visited('/'), 'three')
  })

  test('are told anew after kill -9, and show the whole version or nothing', async (t) => {
    const { control, node, second, untilSeen, visited, told } = await previewingFarm(t)
    control.hold(second)
    const preview = previewOf(second)
    control.preview(preview)
    await untilSeen('two')
    for (let round = 0; round < 3; round++) {
      await node.stop('SIGKILL')
      node.start()
      await control.until('it says hello', () => control.of('hello').length === round + 2)
      await control.until('it was told', () => told()?.[0] === preview.id)
      await untilSeen('two')
      assert.equal(await visited('/'), 'one')
    }
  })

  test('never take a name that the config has, and need a site of their release', async (t) => {
    const sites = [site({ hosts: ['www.example.org'] }), site({ hosts: [HOST] })]
    const farm = await previewingFarm(t, { sites })
    const { control, node, first, second, serve, config, seen, untilSeen } = farm
    control.hold(second)
    const preview = previewOf(second)
    control.preview(preview)
    await control.until('it is held', () => Object.values(control.heldAhead())[0] === 'held')
    assert.equal((await seen('/', {})).text, 'one')
    await serve(first, { ...config, sites: [sites[0]] })
    await untilSeen('two')
    // Of a config that serves the release no more nothing is left to show.
    await serve(null, { ...config, sites: [{ hosts: ['*'], root: join(node.dir, 'www') }] })
    assert.notEqual((await seen('/')).text, 'two')
  })

  test('stand for the passwords of the site, and not for its other rules', async (t) => {
    const rules = { access: [{ paths: ['/secret/**'], action: 'deny' }] }
    const { control, releases, seen, untilSeen } = await previewingFarm(t, {
      sites: [site(rules)],
    })
    const version = releases.keep('www', { 'index.html': 'x', 'secret/a.html': 'secret' })
    control.hold(version)
    control.preview(previewOf(version))
    await untilSeen('x')
    assert.equal((await seen('/secret/a.html')).status, 403)
  })
})
