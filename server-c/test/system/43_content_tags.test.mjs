// SPDX-License-Identifier: MIT
// ETags by content: equal wherever the bytes are, another when they are others, whatever the times; and digests
// for who wants them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { utimesSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { BUILD, release, sha256, start, tagged, tagOf } from '../support/content-tags.mjs'
import { startNode, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const digestOf = (bytes) => `sha-256=:${sha256(bytes, 'base64')}:`
const YOUNG_MS = 1500 // for two seconds a file has no tag
const WANTS = 'Want-Repr-Digest: sha-256=10, sha-512=3'

describe('tags of contents', { concurrency: 3 }, () => {
  test('two nodes with other times agree, and say no date', async (t) => {
    const text = 'the same everywhere'
    const nodes = [
      await start(t, { files: { 'a.html': text } }),
      await start(t, { files: { 'a.html': text }, config: { statCache: { engine: 'inotify' } } }),
    ]
    utimesSync(join(nodes[1].root, 'a.html'), BUILD, BUILD)
    for (const node of nodes) {
      const first = await get(node.port, '/a.html') // it has not had its times for two seconds
      assert.deepEqual([first.status, first.text], [200, text])
      assert.deepEqual([first.headers.etag, first.headers['last-modified']], [undefined, undefined])
    }
    for (const node of nodes) {
      const answer = await tagged(node, '/a.html', tagOf(text))
      assert.equal(answer.text, text)
      assert.equal(answer.headers['last-modified'], undefined)
    }
    for (const node of nodes) {
      const ask = (...lines) => get(node.port, '/a.html', { lines })
      const still = await ask(`If-None-Match: ${tagOf(text)}`)
      assert.deepEqual([still.status, still.headers.etag], [304, tagOf(text)])
      const part = await ask('Range: bytes=4-7', `If-Range: ${tagOf(text)}`)
      assert.deepEqual([part.status, part.text, part.headers.etag], [206, 'same', tagOf(text)])
      assert.equal((await ask('Range: bytes=4-7', 'If-Range: "x"')).status, 200)
      const dated = await ask(`If-Modified-Since: ${new Date().toUTCString()}`)
      assert.equal(dated.status, 200)
      const datedPart = await ask('Range: bytes=4-7', `If-Range: ${BUILD.toUTCString()}`)
      assert.equal(datedPart.status, 200)
    }
  })

  test('a release with equal times and sizes has other tags', async (t) => {
    const [old, next] = ['release one', 'release two']
    const node = await start(t, { config: { workers: 1, statCache: { ttlMillis: 50 } } })
    const path = join(node.root, 'a.js')
    release(path, old)
    const first = await tagged(node, '/a.js', tagOf(old))
    release(path, next)
    const conditions = [
      `If-None-Match: ${first.headers.etag}`,
      `If-Modified-Since: ${BUILD.toUTCString()}`,
    ]
    await until(async () => (await get(node.port, '/a.js')).text === next, 'the release')
    const tags = new Set()
    await until(async () => {
      for (const condition of conditions) {
        const again = await get(node.port, '/a.js', { lines: [condition] })
        assert.deepEqual([again.status, again.text], [200, next], condition)
        tags.add(again.headers.etag)
      }
      const part = await get(node.port, '/a.js', {
        lines: ['Range: bytes=8-', `If-Range: ${first.headers.etag}`],
      })
      assert.deepEqual([part.status, part.text], [200, next])
      return tags.has(tagOf(next))
    }, 'its tag')
    assert.deepEqual(tags, new Set([undefined, tagOf(next)])) // never one of the times, nor the old one
  })

  test('all ways to the bytes have one tag: small, large, read at once and in parts, HEAD and HTTP/2', async (t) => {
    const files = { 'small.txt': 'small', 'empty.txt': '', 'large.bin': randomBytes(3_000_000) }
    const node = await start(t, {
      files: { ...files, 'docs/index.html': 'index' },
      config: { fileCache: { maxFileBytes: 65_536 } },
    })
    for (const [name, bytes] of Object.entries(files)) {
      const answer = await tagged(node, `/${name}`, tagOf(bytes))
      assert.ok(answer.body.equals(Buffer.from(bytes)))
      const head = await get(node.port, `/${name}`, { method: 'HEAD' })
      assert.equal(head.headers.etag, tagOf(bytes))
    }
    await tagged(node, '/docs/', tagOf('index'))
    const session = http2.connect(`http://127.0.0.1:${node.port}`)
    t.after(() => session.close())
    const fields = await new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/small.txt', 'want-repr-digest': 'sha-256=1' })
      stream.on('response', resolve).on('error', reject).resume()
    })
    assert.deepEqual([fields.etag, fields['repr-digest']], [tagOf('small'), digestOf('small')])
  })

  test('a digest is of the representation that was chosen, and for who wants it', async (t) => {
    const text = 'text '.repeat(2000)
    const coded = brotliCompressSync(text)
    const node = await start(t, { files: { 'a.txt': text, 'a.txt.br': coded, 'b.txt': 'b' } })
    await tagged(node, '/a.txt', tagOf(text))
    await tagged(node, '/a.txt', tagOf(coded, '-br'), 'Accept-Encoding: br')
    const ask = async (target, ...lines) => {
      const { status, headers } = await get(node.port, target, { lines })
      return [status, headers.etag, headers['repr-digest']]
    }
    assert.deepEqual(await ask('/a.txt'), [200, tagOf(text), undefined])
    assert.deepEqual(await ask('/a.txt', WANTS), [200, tagOf(text), digestOf(text)])
    assert.deepEqual(await ask('/a.txt'), [200, tagOf(text), undefined]) // a head that was kept
    assert.deepEqual(await ask('/a.txt', WANTS, 'Accept-Encoding: br'), [
      200,
      tagOf(coded, '-br'),
      digestOf(coded),
    ])
    assert.deepEqual(await ask('/a.txt', WANTS, 'Range: bytes=0-9'), [
      206,
      tagOf(text),
      digestOf(text),
    ])
    assert.deepEqual(await ask('/a.txt', WANTS, 'Range: bytes=0-9,200-209'), [
      206,
      tagOf(text),
      digestOf(text),
    ])
    for (const wish of ['sha-256=0', 'sha-512=10', 'sha-256', 'SHA-256=1', ''])
      assert.deepEqual(await ask('/a.txt', `Want-Repr-Digest: ${wish}`), [
        200,
        tagOf(text),
        undefined,
      ])
    assert.deepEqual(await ask('/nothing', WANTS), [404, undefined, undefined])
    assert.deepEqual(await ask('/a.txt', WANTS, 'Range: bytes=99999-'), [416, undefined, undefined])
  })

  test('a copy that the node makes itself has the tag of the content and its coding', async (t) => {
    const text = `<p>${'made on the fly '.repeat(500)}</p>`
    const node = await start(t, {
      files: { 'a.html': text },
      config: ({ folder }) => ({ compression: { cacheFolder: join(folder, 'copies') } }),
    })
    const ask = (...lines) =>
      get(node.port, '/a.html', { lines: ['Accept-Encoding: br', ...lines] })
    const copy = await until(async () => {
      const answer = await ask()
      return answer.headers['content-encoding'] === 'br' && answer
    }, 'a copy')
    assert.match(copy.headers.etag, new RegExp(`^${tagOf(text).slice(0, -1)}-br\\d+-[0-9a-f]{8}"$`))
    assert.equal((await ask(`If-None-Match: ${copy.headers.etag}`)).status, 304)
    const part = await ask('Range: bytes=0-9', `If-Range: ${copy.headers.etag}`)
    assert.deepEqual([part.status, part.headers['content-encoding']], [206, 'br'])
    await until(
      async () => (await ask(WANTS)).headers['repr-digest'] === digestOf(copy.body),
      'the digest of the copy',
    )
  })

  test('conditions hold a file and its copies apart, and weak tags from strong', async (t) => {
    const text = 'text '.repeat(2000)
    const coded = brotliCompressSync(text)
    const node = await start(t, { files: { 'a.txt': text, 'a.txt.br': coded } })
    const plain = tagOf(text)
    const copy = tagOf(coded, '-br')
    await tagged(node, '/a.txt', plain)
    await tagged(node, '/a.txt', copy, 'Accept-Encoding: br')
    const rows = [
      [[`If-Match: ${plain}`], 200, plain],
      [[`If-Match: W/${plain}`], 412],
      [[`If-Match: ${copy}`], 412],
      [[`If-Match: "x", ${copy}`, 'Accept-Encoding: br'], 200, copy],
      [[`If-Match: ${plain}`, 'Accept-Encoding: br'], 412],
      [[`If-None-Match: W/${plain}`], 304, plain],
      [[`If-None-Match: ${copy}`], 200, plain],
      [[`If-None-Match: ${plain}`, 'Accept-Encoding: br'], 200, copy],
      [[`If-None-Match: W/${copy}`, 'Accept-Encoding: br'], 304, copy],
      [['Range: bytes=0-3', `If-Range: W/${plain}`], 200, plain],
      [['Range: bytes=0-3', `If-Range: ${copy}`], 200, plain],
      [['Range: bytes=0-3', `If-Range: ${plain}`, 'Accept-Encoding: br'], 200, copy],
      [['Range: bytes=0-3', `If-Range: ${copy}`, 'Accept-Encoding: br'], 206, copy],
      [['Range: bytes=0-3', `If-Match: ${plain}`], 206, plain],
    ]
    for (const [lines, status, tag] of rows) {
      const answer = await get(node.port, '/a.txt', { lines })
      assert.deepEqual([answer.status, answer.headers.etag], [status, tag], lines.join('; '))
    }
  })

  test('conditions before the hash is known, with dates beside them, and digests of what was not sent whole', async (t) => {
    const text = 'text'.repeat(100)
    const node = await start(t, {})
    let target
    const ask = async (...lines) => {
      const { status, headers } = await get(node.port, target, { lines })
      return [status, headers.etag, headers['repr-digest']]
    }
    const tag = tagOf(text)
    const before = []
    // Of a file that was written within two seconds nobody can say so yet. Where this machine took longer: another one.
    for (let tookMs = YOUNG_MS, round = 1; tookMs >= YOUNG_MS; round++) {
      target = `/${round}.txt`
      writeFileSync(join(node.root, target), text)
      const written = performance.now()
      before.splice(0, 2, await ask('If-Match: *'), await ask(`If-Match: ${tag}`))
      tookMs = performance.now() - written
    }
    assert.deepEqual(before[0], [200, undefined, undefined])
    assert.deepEqual(before[1][0], 412)
    await tagged(node, target, tag)
    const now = `If-Modified-Since: ${new Date().toUTCString()}`
    assert.deepEqual(await ask('If-None-Match: "other"', now), [200, tag, undefined])
    assert.deepEqual(await ask(`If-None-Match: "x", ${tag}, "y"`), [304, tag, undefined])
    assert.deepEqual((await ask('If-Match: "other"', `If-None-Match: ${tag}`))[0], 412)
    assert.deepEqual(await ask(WANTS, `If-None-Match: ${tag}`), [304, tag, undefined])
    assert.deepEqual(await ask(WANTS, 'Range: bytes=0-9', 'If-Range: "other"'), [
      200,
      tag,
      digestOf(text),
    ])
    const head = await get(node.port, target, { method: 'HEAD', lines: [WANTS] })
    assert.equal(head.headers['repr-digest'], digestOf(text)) // of what a GET would send
  })

  test('the way of a site changes with its config', async (t) => {
    const node = await startNode(t, { files: { 'a.html': 'text' } })
    const timed = await until(async () => {
      const { headers } = await get(node.port, '/a.html')
      return headers.etag && headers['last-modified'] && headers
    }, 'a date')
    assert.notEqual(timed.etag, tagOf('text'))
    const [site] = node.config.sites
    await node.reload({ ...node.config, sites: [{ ...site, etag: 'content' }] })
    const old = await get(node.port, '/a.html', { lines: [`If-None-Match: ${timed.etag}`] })
    assert.equal(old.status, 200)
    await tagged(node, '/a.html', tagOf('text'))
    await node.reload(node.config)
    assert.equal((await get(node.port, '/a.html')).headers.etag, timed.etag)
    assert.equal(
      (await get(node.port, '/a.html', { lines: [WANTS] })).headers['repr-digest'],
      undefined,
    )
  })
})
