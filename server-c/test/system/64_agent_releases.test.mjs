// SPDX-License-Identifier: MIT
// A node is given releases: it gets what it lacks, serves each version whole, and goes back without asking.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { read, releasedFarm } from '../support/released-farm.mjs'

const effectiveOf = (control) => control.of('report').at(-1)?.body.effective

describe('releases', { concurrency: 3 }, () => {
  test('are got, served whole and said to be served', async (t) => {
    const { control, node, releases, serve } = await releasedFarm(t)
    const www = releases.keep('www', {
      'index.html': 'one',
      'css/site.css': 'body{}',
      'css/copy.css': 'body{}',
      'deep/er/latest.html': { link: '../../index.html' },
      current: { link: 'css' },
      'empty.txt': '',
      '.hidden': 'not served',
    })
    await serve(www)
    assert.equal((await read(node, '/')).text, 'one')
    assert.equal((await read(node, '/deep/er/latest.html')).text, 'one')
    assert.equal((await read(node, '/current/copy.css')).text, 'body{}')
    assert.equal((await read(node, '/empty.txt')).status, 200)
    assert.equal((await read(node, '/.hidden')).status, 404)
    assert.equal(new Set(releases.travelled).size, 4)
    assert.equal(releases.travelled.length, 4)
    await control.until('a report of it', () => effectiveOf(control)?.releases)
    assert.deepEqual(effectiveOf(control).releases, [www])
    assert.deepEqual(control.of('confirm')[0].body.effective.releases, [www])
  })

  test('have tags of contents, and no time', async (t) => {
    const { node, releases, serve } = await releasedFarm(t)
    await serve(releases.keep('www', { 'index.html': 'tagged' }))
    let answer = await read(node, '/')
    for (let i = 0; i < 200 && !answer.headers.get('etag'); i++) {
      await sleep(25)
      answer = await read(node, '/')
    }
    const digest = createHash('sha256').update('tagged').digest()
    assert.equal(answer.headers.get('last-modified'), null)
    const tag = answer.headers.get('etag')
    assert.ok(tag, 'a tag')
    const wanted = { 'want-repr-digest': 'sha-256=1' }
    assert.match(
      (await read(node, '/', wanted)).headers.get('repr-digest') ?? '',
      new RegExp(digest.toString('base64').replaceAll('+', '\\+')),
    )
    assert.equal((await read(node, '/', { 'if-none-match': tag })).status, 304)
  })

  test('bring only what is new, and go back without a request', async (t) => {
    const { node, releases, serve, trees } = await releasedFarm(t)
    const files = Object.fromEntries([...Array(40).keys()].map((i) => [`f${i}`, `same ${i}`]))
    const first = releases.keep('www', { ...files, 'index.html': 'one' })
    const second = releases.keep('www', { ...files, 'index.html': 'two', new: 'new' })
    await serve(first)
    releases.asked = []
    await serve(second)
    assert.equal((await read(node, '/')).text, 'two')
    assert.equal(releases.travelled.length, 2)
    releases.asked = []
    await serve(first)
    assert.equal((await read(node, '/')).text, 'one')
    assert.equal((await read(node, '/new')).status, 404)
    assert.deepEqual(releases.asked, [])
    assert.equal(trees().length, 2)
  })

  test('are kept as many as the config says, and what no tree needs goes', async (t) => {
    const { control, node, releases, serve, stored, trees } = await releasedFarm(t)
    const keep = { releases: { keep: 1 } }
    for (const text of ['one', 'two', 'three']) {
      await serve(releases.keep('www', { 'index.html': text, shared: 's' }), text, keep)
    }
    // Three contents, and the manifests of the two that stay.
    await control.until('the first is gone', () => trees().length === 2 && stored().length === 5)
    assert.equal((await read(node, '/')).text, 'three')
  })

  test('switch under load: no request fails, and none sees two of them', async (t) => {
    const { node, releases, serve } = await releasedFarm(t)
    const pages = (text) =>
      Object.fromEntries([...Array(20).keys()].map((i) => [`p${i}.html`, text]))
    const versions = ['a', 'b'].map((text) => releases.keep('www', pages(text.repeat(5000))))
    await serve(versions[0])
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const wrong = []
    let isOver = false
    let count = 0
    const ask = (path) =>
      new Promise((resolve) => {
        get({ port: node.port, host: '127.0.0.1', path, agent }, (answer) => {
          let text = ''
          answer.setEncoding('latin1').on('data', (part) => (text += part))
          answer.on('end', () =>
            resolve(`${answer.statusCode} ${text.length} ${[...new Set(text)].join('')}`),
          )
        }).on('error', (error) => resolve(error.message))
      })
    const client = async () => {
      while (!isOver) {
        const said = await ask(`/p${count++ % 20}.html`)
        if (!/^200 5000 [ab]$/.test(said)) wrong.push(said)
      }
    }
    const clients = [client(), client(), client(), client()]
    for (const release of [versions[1], versions[0], versions[1]]) await serve(release)
    isOver = true
    await Promise.all(clients)
    agent.destroy()
    assert.deepEqual(wrong, [])
    assert.ok(count > 100, `${count} requests`)
    assert.equal((await read(node, '/p0.html')).text[0], 'b')
  })

  test('survive a restart, and the control plane being away', async (t) => {
    const { control, node, releases, serve } = await releasedFarm(t)
    const first = releases.keep('www', { 'index.html': 'one' })
    const second = releases.keep('www', { 'index.html': 'two' })
    await serve(first)
    await serve(second)
    await node.stop('SIGKILL')
    await control.stop()
    node.start()
    await node.untilVersion('r')
    assert.equal((await read(node, '/')).text, 'two')
    await control.start()
    releases.asked = []
    await serve(first)
    assert.equal((await read(node, '/')).text, 'one')
    assert.deepEqual(releases.asked, [])
  })

  test('that were not confirmed are taken back to the tree that is there', async (t) => {
    const { control, node, releases, serve, assign } = await releasedFarm(t)
    const first = releases.keep('www', { 'index.html': 'one' })
    await serve(first)
    control.confirming = 'no'
    control.confirmWithinMs = 500
    const generation = assign(releases.keep('www', { 'index.html': 'two' }))
    await control.until('it is taken back', () =>
      control.of('result', generation).some(({ body }) => body.outcome === 'reverted'),
    )
    assert.equal((await read(node, '/')).text, 'one')
    const { effective } = control.of('result', generation).at(-1).body
    assert.deepEqual(effective.releases, [first])
  })

  test('nothing else of the state folder is served', async (t) => {
    const { control, node, releases, serve } = await releasedFarm(t)
    const www = releases.keep('www', { 'index.html': 'one' })
    await serve(www)
    const before = control.of('nack').length
    for (const root of [
      '',
      '/releases',
      '/releases/trees',
      `/releases/trees/${www.manifestSha256}`,
    ]) {
      const config = node.config('bad')
      config.sites[0].root = node.state + root
      const { generation } = control.assign(config)
      await control.until('nack', () => control.of('nack', generation).length > 0)
    }
    assert.equal(control.of('nack').length, before + 4)
    assert.equal((await read(node, '/')).text, 'one')
    assert.ok(existsSync(join(node.state, 'confirmed.json')))
    assert.equal(statSync(node.state).mode & 0o077, 0)
  })

  test('of 2,000 files come in a few requests', async (t) => {
    const { control, node, releases, serve } = await releasedFarm(t)
    const files = {}
    for (let i = 0; i < 2000; i++) files[`d${i % 50}/f${i}.html`] = `file ${i}`
    await serve(releases.keep('www', files))
    assert.equal((await read(node, '/d49/f1999.html')).text, 'file 1999')
    assert.ok(releases.asked.length <= 6, `${releases.asked.length} requests`)
    assert.deepEqual(control.of('nack'), [])
  })
})
