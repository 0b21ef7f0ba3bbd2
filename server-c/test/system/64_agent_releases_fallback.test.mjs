// SPDX-License-Identifier: MIT
// A page that was opened before a rollout finds its files: what the served version does not have is looked for in those
// that are kept, for the paths that a site names.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { read, releasedFarm } from '../support/released-farm.mjs'

const page = (text) => `<!doctype html>${text}`

/** Of a site with a fallback; what else it has. */
const withFallback = (site = {}, overrides = {}) => ({
  workers: 2,
  ...overrides,
  sites: [{ hosts: ['*'], release: 'www', releaseFallback: ['/assets/**'], ...site }],
})

/** As it stands, which fetch() would normalise. */
const rawStatus = (node, path) =>
  new Promise((resolve, reject) => {
    get({ port: node.port, host: '127.0.0.1', path }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', reject)
  })

async function untilTagged(node, path, headers) {
  for (let i = 0; i < 400; i++) {
    const answer = await read(node, path, headers)
    if (answer.headers.get('etag')) return answer
    await sleep(25)
  }
  throw new Error(`no tag of ${path}`)
}

const countedBy = (control) =>
  control.windows
    .flatMap(({ window }) => window.series)
    .reduce((sum, { counters }) => sum + (counters.oldReleaseRequests ?? 0), 0)

const keptOf = (control) => control.of('report').at(-1)?.body.keptReleases

describe('files of versions that are kept', { concurrency: 3 }, () => {
  test('are served where the site says so, and as they were', async (t) => {
    const { control, node, releases, serve } = await releasedFarm(t)
    const first = releases.keep('www', {
      'index.html': page('one'),
      'old.html': page('old'),
      'assets/app.1.js': 'first script',
      'assets/app.1.js.gz': gzipSync('first script'),
      'assets/same.js': 'one',
      'assets/sub/index.html': page('sub'),
      'assets/.hidden': 'hidden',
      'assets/out': { link: '../old.html' },
      'folder/x': 'a folder',
    })
    const config = withFallback({
      precompressed: ['gzip'],
      expires: [{ paths: ['/assets/**'], maxAgeSeconds: 31_536_000, directives: 'immutable' }],
    })
    await serve(first, 'r', config)
    const before = await untilTagged(node, '/assets/app.1.js', { 'accept-encoding': 'identity' })
    await serve(
      releases.keep('www', { 'index.html': page('two'), 'assets/app.2.js': 'second script' }),
      'r',
      config,
    )
    await serve(
      releases.keep('www', { 'index.html': page('three'), 'assets/same.js': 'three', folder: 'f' }),
      'r',
      config,
    )
    assert.equal((await read(node, '/')).text, page('three'))
    const after = await read(node, '/assets/app.1.js', { 'accept-encoding': 'identity' })
    assert.deepEqual([after.status, after.text], [200, 'first script'])
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
    assert.equal((await read(node, '/assets/app.2.js')).text, 'second script')
    // What the served version has is its own; what no glob names is not looked for.
    assert.equal((await read(node, '/assets/same.js')).text, 'three')
    // Rules go by paths. A cache must not keep for a year that nothing is there.
    assert.match(after.headers.get('cache-control'), /immutable/)
    assert.equal((await read(node, '/assets/none.js')).headers.get('cache-control'), null)
    assert.equal((await read(node, '/old.html')).status, 404)
    // A folder is not looked for, and neither is what is hidden or leads out of the site.
    assert.equal((await read(node, '/assets/sub/')).status, 404)
    assert.equal((await read(node, '/assets/sub')).status, 404)
    assert.equal((await read(node, '/assets/.hidden')).status, 404)
    assert.equal(await rawStatus(node, '/assets/../old.html'), 404)
    assert.equal(await rawStatus(node, '/assets/..%2fold.html'), 404)
    assert.equal(await rawStatus(node, '/assets/%2e%2e/%2e%2e/%2e%2e/confirmed.json'), 400)
    // By a link within its own tree.
    assert.equal((await read(node, '/assets/out')).text, page('old'))

    const tag = after.headers.get('etag')
    const plain = { 'accept-encoding': 'identity' }
    assert.equal(
      (await read(node, '/assets/app.1.js', { ...plain, 'if-none-match': tag })).status,
      304,
    )
    const part = await read(node, '/assets/app.1.js', { ...plain, range: 'bytes=6-' })
    assert.deepEqual([part.status, part.text], [206, 'script'])
    const coded = await read(node, '/assets/app.1.js', { 'accept-encoding': 'gzip' })
    assert.deepEqual([coded.headers.get('content-encoding'), coded.text], ['gzip', 'first script'])
    const head = await fetch(`http://127.0.0.1:${node.port}/assets/app.2.js`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '13'])
    await control.until('7 are counted', () => countedBy(control) === 7)
    await control.until('a report of it', () => keptOf(control)?.[1]?.requests === 5)
    const [second, oldest] = keptOf(control)
    assert.deepEqual([second.name, second.number, second.requests], ['www', 2, 2])
    assert.equal(oldest.number, 1)
    assert.ok(Math.abs(oldest.lastRequestMs - Date.now()) < 600_000)
    // Back to the first: its file is its own again, and the second's is that of a kept one.
    await serve(first, 'r', config)
    await read(node, '/assets/app.1.js')
    await read(node, '/assets/app.2.js')
    await control.until(
      'the second counts on',
      () => keptOf(control)?.find(({ number }) => number === 2)?.requests === 3,
    )
    assert.deepEqual(
      keptOf(control).map(({ number }) => number),
      [3, 2],
    )
  })

  test('go before the page that stands for all, and are no page themselves', async (t) => {
    const { node, releases, serve } = await releasedFarm(t)
    const config = withFallback({
      tryFiles: [{ candidates: ['{path}', '{path}.html', '/index.html'] }],
      cleanUrls: true,
      releaseFallback: ['/assets/**', '*.html'],
    })
    await serve(
      releases.keep('www', {
        'index.html': page('one'),
        'assets/app.1.js': 'first',
        'assets/part.html': page('part'),
        'gone.html': page('gone'),
      }),
      'r',
      config,
    )
    await serve(releases.keep('www', { 'index.html': page('two') }), 'r', config)
    assert.equal((await read(node, '/assets/app.1.js')).text, 'first')
    assert.equal((await read(node, '/assets/app.none.js')).status, 404)
    assert.equal((await read(node, '/assets/part.html')).text, page('part'))
    assert.equal((await read(node, '/gone')).text, page('two'))
    assert.equal((await read(node, '/some/where')).text, page('two'))
  })

  test('are those of an unconfirmed version and of one that was taken back, too', async (t) => {
    const { control, node, releases, serve, assign } = await releasedFarm(t)
    const config = withFallback()
    await serve(releases.keep('www', { 'assets/1.js': 'one' }), 'r', config)
    control.confirming = 'no'
    control.confirmWithinMs = 1000
    const generation = assign(releases.keep('www', { 'assets/2.js': 'two' }), 'r', config)
    await control.until('it serves', () => control.of('result', generation).length > 0)
    assert.equal((await read(node, '/assets/1.js')).text, 'one')
    await control.until('it is taken back', () =>
      control.of('result', generation).some(({ body }) => body.outcome === 'reverted'),
    )
    assert.equal((await read(node, '/assets/1.js')).text, 'one')
    assert.equal((await read(node, '/assets/2.js')).text, 'two')
  })

  test('last as long as their tree, and the next one is asked when it has gone', async (t) => {
    const { control, node, releases, serve, trees } = await releasedFarm(t)
    const config = withFallback({}, { releases: { keep: 2 }, statCache: { ttlMillis: 1 } })
    const shared = { 'assets/both.js': 'both' }
    const first = releases.keep('www', { ...shared, 'assets/1.js': 'one' })
    const second = releases.keep('www', { ...shared, 'assets/2.js': 'two' })
    await serve(first, 'r', config)
    await serve(second, 'r', config)
    await serve(releases.keep('www', { 'index.html': page('three') }), 'r', config)
    rmSync(join(node.state, 'releases/trees', second.manifestSha256), { recursive: true })
    assert.equal((await read(node, '/assets/2.js')).status, 404)
    assert.equal((await read(node, '/assets/both.js')).text, 'both')
    assert.equal((await read(node, '/assets/1.js')).text, 'one')
    await serve(releases.keep('www', { 'index.html': page('four') }), 'r', config)
    await control.until('the first is gone', () => !trees().includes(first.manifestSha256))
    assert.equal((await read(node, '/assets/1.js')).status, 404)
    assert.equal((await read(node, '/')).text, page('four'))
  })

  test('are served after a restart, without the control plane', async (t) => {
    const { control, node, releases, serve } = await releasedFarm(t)
    const config = withFallback()
    await serve(releases.keep('www', { 'assets/1.js': 'one' }), 'r', config)
    await serve(releases.keep('www', { 'assets/2.js': 'two' }), 'r', config)
    await node.stop('SIGKILL')
    await control.stop()
    node.start()
    for (let i = 0; i < 400; i++) {
      const answer = await read(node, '/assets/2.js').catch(() => undefined)
      if (answer?.text === 'two') break
      await sleep(25)
    }
    assert.equal((await read(node, '/assets/1.js')).text, 'one')
    await control.start()
  })
})
