// SPDX-License-Identifier: MIT
// A client that has a file from another version of the release gets what has changed since: compressed with that as a
// dictionary (RFC 9842), for the files that a site names.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'
import { releasedFarm } from '../support/released-farm.mjs'

const sha256 = (text) => createHash('sha256').update(text).digest()
const head = (dictionary) =>
  Buffer.concat([Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 0x20, 0, 0, 0]), sha256(dictionary)])
const bundle = (version) => {
  const lines = Array.from(
    { length: 400 },
    (_, i) =>
      `function f${i}(a){return a*${(i * 7919) % 10007}+"${sha256(`${i}`).toString('hex')}"}`,
  )
  return `${lines.join('\n')}\nconst version = ${version}\n`
}
const [one, two, three] = [1, 2, 3].map(bundle)
const all = 'gzip, deflate, br, zstd, dcb, dcz'

/** The lines of a client that has this text. */
const having = (text, ...lines) => ({
  lines: [
    `Accept-Encoding: ${all}`,
    `Available-Dictionary: :${sha256(text).toString('base64')}:`,
    ...lines,
  ],
})

/** Where the machine's owner lets the node write. */
const copiesOf = (node) => join(node.dir, 'www/copies')

const withDictionaries = (node, site = {}, overrides = {}) => ({
  workers: 2,
  compression: { cacheFolder: copiesOf(node) },
  ...overrides,
  sites: [
    {
      hosts: ['*'],
      release: 'www',
      releaseFallback: ['/assets/**'],
      releaseDictionaries: ['/assets/app.*.js', '/*.css'],
      ...site,
    },
  ],
})

const unpack = (answer, dictionary) => {
  assert.equal(answer.headers['content-encoding'], 'dcz')
  assert.deepEqual(answer.body.subarray(0, 40), head(dictionary))
  return zstdDecompressSync(answer.body.subarray(40), {
    dictionary: Buffer.from(dictionary),
  }).toString()
}

async function farm(t) {
  const made = await releasedFarm(t)
  mkdirSync(copiesOf(made.node), { recursive: true })
  const ask = (path, options) => get(made.node.port, path, { from: '127.0.0.1', ...options })
  const delta = (path, dictionary, ...lines) =>
    until(async () => {
      const answer = await ask(path, having(dictionary, ...lines))
      return answer.headers['content-encoding'] === 'dcz' && answer
    }, `${path} with a dictionary`)
  const keep = (files) => made.releases.keep('www', files)
  return { ...made, ask, delta, keep }
}

describe('a client that has a file of another version', { concurrency: 2 }, () => {
  test('gets what has changed, under a tag and a Vary of its own', async (t) => {
    const { node, serve, keep, ask, delta } = await farm(t)
    const config = withDictionaries(node)
    await serve(keep({ 'index.html': 'one', 'assets/app.1.js': one }), 'r', config)
    const first = await ask('/assets/app.1.js', { lines: ['Accept-Encoding: br'] })
    assert.equal(first.headers['use-as-dictionary'], 'match="/assets/app.*.js"')
    assert.equal(first.headers.vary, 'Accept-Encoding, Available-Dictionary')
    await serve(keep({ 'index.html': 'two', 'assets/app.2.js': two }), 'r', config)
    await serve(keep({ 'index.html': 'three', 'assets/app.3.js': three }), 'r', config)

    // Nobody waits for one that is not there.
    const before = await ask('/assets/app.3.js', having(one))
    assert.deepEqual([before.status, before.headers['content-encoding']], [200, undefined])
    const changed = await delta('/assets/app.3.js', one)
    assert.equal(unpack(changed, one), three)
    assert.equal(unpack(await delta('/assets/app.3.js', two), two), three)
    const brotli = await until(async () => {
      const answer = await ask('/assets/app.3.js', { lines: ['Accept-Encoding: br'] })
      return answer.headers['content-encoding'] === 'br' && answer
    }, 'brotli')
    assert.equal(brotliDecompressSync(brotli.body).toString(), three)
    assert.ok(changed.body.length < brotli.body.length / 50, `${changed.body.length}`)
    // It is the next dictionary, however it came.
    for (const answer of [before, changed, brotli])
      assert.deepEqual(
        [answer.headers['use-as-dictionary'], answer.headers.vary],
        ['match="/assets/app.*.js"', 'Accept-Encoding, Available-Dictionary'],
      )
    const plain = await ask('/assets/app.3.js')
    const other = await delta('/assets/app.3.js', two)
    const tags = [plain, changed, other, brotli].map(({ headers }) => headers.etag)
    assert.equal(new Set(tags).size, 4, tags.join(' '))
    assert.match(changed.headers.etag, /^"[0-9a-f]{40}-dcz-[0-9a-f]{16}"$/)
    // An older version's file is had by the same way, and by a newer one.
    assert.equal(unpack(await delta('/assets/app.1.js', three), three), one)

    const like = (answer) => [
      answer.status,
      ...['content-encoding', 'content-length', 'etag', 'vary', 'content-type'].map(
        (name) => answer.headers[name],
      ),
    ]
    const asked = await ask('/assets/app.3.js', { method: 'HEAD', ...having(one) })
    assert.deepEqual(like(asked), like(changed))
    assert.equal(asked.body.length, 0)
  })

  test('keeps to what it has, in conditions and parts', async (t) => {
    const { node, serve, keep, ask, delta } = await farm(t)
    const config = withDictionaries(node)
    await serve(keep({ 'assets/app.1.js': one }), 'r', config)
    await serve(keep({ 'assets/app.2.js': two }), 'r', config)
    const changed = await delta('/assets/app.2.js', one)
    const plain = await ask('/assets/app.2.js')
    const path = '/assets/app.2.js'
    const still = await ask(path, having(one, `If-None-Match: ${changed.headers.etag}`))
    assert.deepEqual(
      [still.status, still.headers.etag, still.headers.vary],
      [304, changed.headers.etag, 'Accept-Encoding, Available-Dictionary'],
    )
    assert.equal(still.headers['use-as-dictionary'], undefined)
    const stillPlain = await ask(path, having(one, `If-None-Match: ${plain.headers.etag}`))
    assert.deepEqual([stillPlain.status, stillPlain.headers.etag], [304, plain.headers.etag])
    // A tag of another state, or of another dictionary's copy: the usual coding, which everybody can take.
    for (const tag of ['"x"', changed.headers.etag.replace(/.{3}"$/, '000"')]) {
      const answer = await ask(path, having(one, `If-None-Match: ${tag}`))
      assert.equal(answer.status, 200)
      assert.notEqual(answer.headers['content-encoding'], 'dcz')
    }
    const range = await ask(path, having(one, 'Range: bytes=10-19'))
    assert.deepEqual([range.status, range.headers.etag], [206, plain.headers.etag])
    assert.deepEqual(range.body, plain.body.subarray(10, 20))
    const rest = await ask(
      path,
      having(one, 'Range: bytes=10-', `If-Range: ${changed.headers.etag}`),
    )
    assert.deepEqual([rest.status, rest.headers['content-encoding']], [206, 'dcz'])
    assert.deepEqual(rest.body, changed.body.subarray(10))
    assert.equal(
      rest.headers['content-range'],
      `bytes 10-${changed.body.length - 1}/${changed.body.length}`,
    )
    const spliced = await ask(
      path,
      having(one, 'Range: bytes=10-', `If-Range: ${plain.headers.etag}`),
    )
    assert.deepEqual(spliced.body, plain.body.subarray(10))
    const digest = await until(async () => {
      const answer = await ask(path, having(one, 'Want-Repr-Digest: sha-256=1'))
      return answer.headers['repr-digest'] && answer
    }, 'a digest')
    assert.equal(digest.headers['content-encoding'], 'dcz')
    assert.equal(
      digest.headers['repr-digest'],
      `sha-256=:${sha256(changed.body).toString('base64')}:`,
    )
  })

  test('gets the usual coding when that is all that is right', async (t) => {
    const { node, serve, keep, ask, delta, control } = await farm(t)
    const config = withDictionaries(node, {
      precompressed: ['gzip'],
      cors: [{ paths: ['/open.*'], origins: ['https://a.example'] }],
      releaseDictionaries: [
        '/assets/app.*.js',
        '/private.*.js',
        '/noted.*.js',
        '/fixed.*.js',
        '/open.*.js',
      ],
      access: [{ action: 'allow', paths: ['/noted.*'], addresses: ['127.0.0.1'] }],
      aliases: [{ path: '/elsewhere/', folder: join(node.dir, 'www/elsewhere') }],
      headers: [
        {
          action: 'set',
          name: 'Cache-Control',
          value: 'private, max-age=60',
          paths: ['/private.*'],
        },
        { action: 'set', name: 'Cache-Control', value: 'no-transform', paths: ['/fixed.*'] },
      ],
    })
    const files = (version, text) => ({
      [`assets/app.${version}.js`]: text,
      [`assets/app.${version}.js.gz`]: gzipSync(text),
      [`private.${version}.js`]: text,
      [`noted.${version}.js`]: text,
      [`fixed.${version}.js`]: text,
      [`open.${version}.js`]: text,
      [`other.${version}.js`]: text,
    })
    mkdirSync(join(node.dir, 'www/elsewhere/assets'), { recursive: true })
    writeFileSync(join(node.dir, 'www/elsewhere/assets/app.9.js'), three)
    await serve(keep(files(1, one)), 'r', config)
    await serve(keep(files(2, two)), 'r', config)
    const path = '/assets/app.2.js'
    await delta(path, one)
    const usual = async (options, at = path) => {
      const answer = await ask(at, options)
      assert.equal(answer.status, 200)
      assert.notEqual(answer.headers['content-encoding'], 'dcz', JSON.stringify(options))
      return answer
    }
    // A dictionary that nobody knows, one of a file that the pattern does not name, and what is none.
    const unknown = await usual(having('unknown'))
    assert.equal(unknown.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(unknown.body).toString(), two)
    const named = `:${sha256(one).toString('base64')}:`
    for (const value of [
      '',
      ':',
      '::',
      sha256(one).toString('base64'),
      `:${sha256(one).toString('hex')}:`,
      `:${sha256(one).subarray(1).toString('base64')}:`,
      `"${named}"`,
      `${named}, ${named}`,
    ])
      await usual({ lines: [`Accept-Encoding: ${all}`, `Available-Dictionary: ${value}`] })
    const twice = having(one)
    twice.lines.push(twice.lines[1])
    await usual(twice)
    // Below an alias is no file of the release, whatever the rest of its path looks like.
    const beside = await usual(having(one), '/elsewhere/assets/app.9.js')
    assert.equal(beside.headers['use-as-dictionary'], undefined)
    assert.doesNotMatch(beside.headers.vary ?? '', /Available-Dictionary/)
    // Who does not say dcz, or likes something else better.
    for (const codings of [
      'gzip, br, zstd',
      '*',
      'dcz;q=0',
      'dcz;q=0.5, gzip',
      'dcb',
      'identity;q=1, dcz;q=0.2',
    ])
      await usual({ lines: [`Accept-Encoding: ${codings}`, `Available-Dictionary: ${named}`] })
    await usual(having(one, 'Cache-Control: no-transform'))
    await usual(having(one, 'Authorization: Basic YTpi'))
    // A page of another origin that may not read it must not learn from its length.
    const from = (site, mode, ...lines) =>
      having(one, `Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`, ...lines)
    await usual(from('cross-site', 'no-cors'))
    await usual(from('same-site', 'no-cors'))
    await usual(from('cross-site', 'cors', 'Origin: https://a.example'))
    assert.equal(
      (await ask(path, from('same-origin', 'no-cors'))).headers['content-encoding'],
      'dcz',
    )
    assert.equal(
      (await ask(path, from('cross-site', 'navigate'))).headers['content-encoding'],
      'dcz',
    )
    await delta('/open.2.js', one)
    const open = await ask('/open.2.js', from('cross-site', 'cors', 'Origin: https://a.example'))
    assert.equal(open.headers['content-encoding'], 'dcz')
    await usual(from('cross-site', 'cors', 'Origin: https://b.example'), '/open.2.js')
    // What is no such file is no dictionary.
    const none = await ask('/assets/app.none.js', having(one))
    assert.deepEqual([none.status, none.headers['use-as-dictionary']], [404, undefined])
    const moved = await ask('/assets', having(one))
    assert.deepEqual([moved.status, moved.headers['use-as-dictionary']], [301, undefined])
    const id = await ask(path, having(one, 'Dictionary-ID: "x"'))
    assert.equal(id.headers['content-encoding'], 'dcz')
    // Files for some, and those that are not to be changed.
    for (const name of ['/private.2.js', '/noted.2.js', '/fixed.2.js', '/other.2.js']) {
      for (let i = 0; i < 3; i++) await usual(having(one), name)
      const { headers } = await ask(name)
      assert.equal(headers['use-as-dictionary'], undefined, name)
      assert.ok(!/dictionary/i.test(headers.vary ?? ''), name)
    }
    const counted = (name) =>
      control.windows
        .flatMap(({ window }) => window.series)
        .reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0)
    await control.until(
      'they are counted',
      () => counted('dictionariesUnknown') > 0 && counted('deltasSent') === 6,
    )
    // Both files have the same content, so they are one on the disk, and so is what was made of it.
    assert.equal(counted('deltasMade'), 1)
  })

  test('is told over HTTPS and on this machine alone', async (t) => {
    const { node, serve, keep, ask } = await farm(t)
    const config = withDictionaries(node, {}, { trustedProxies: ['127.0.0.1'] })
    await serve(keep({ 'assets/app.1.js': one }), 'r', config)
    const told = async (...lines) =>
      (await ask('/assets/app.1.js', { lines })).headers['use-as-dictionary'] !== undefined
    assert.equal(await told(), true)
    assert.equal(await told('X-Forwarded-For: 203.0.113.7'), false)
    assert.equal(await told('X-Forwarded-For: 203.0.113.7', 'X-Forwarded-Proto: https'), true)
  })

  test('gets what was made before a restart; what is not worth it is made once', async (t) => {
    const { node, serve, keep, ask, delta } = await farm(t)
    const config = withDictionaries(node)
    const strange = Buffer.from(
      sha256('x').toString('hex').repeat(10) + 'y'.repeat(2000),
    ).toString()
    await serve(keep({ 'assets/app.1.js': one, 'assets/app.0.js': strange }), 'r', config)
    await serve(keep({ 'assets/app.2.js': two }), 'r', config)
    const changed = await delta('/assets/app.2.js', one)
    const copies = () => readdirSync(copiesOf(node)).filter((name) => name.endsWith('.dcz'))
    await until(async () => {
      await ask('/assets/app.2.js', having(strange))
      return copies().length === 2
    }, 'one that is not worth it')
    for (let i = 0; i < 3; i++) {
      const answer = await ask('/assets/app.2.js', having(strange))
      assert.notEqual(answer.headers['content-encoding'], 'dcz')
      await sleep(50)
    }
    await node.stop()
    node.start()
    await until(() => ask('/assets/app.2.js').catch(() => false), 'it to serve again')
    const again = await delta('/assets/app.2.js', one)
    assert.deepEqual([again.body, again.headers.etag], [changed.body, changed.headers.etag])
    assert.equal(copies().length, 2)
    // Without the folder everybody gets the file.
    rmSync(copiesOf(node), { recursive: true })
    assert.equal((await ask('/assets/app.2.js', having(two))).status, 200)
  })
})
