// SPDX-License-Identifier: MIT
// A validator that was given away never stands for other bytes: whoever asks with the ones a file came
// with gets 304 only for that file. (Contents behind equal times and tags: docs/serving-files.md.)
import assert from 'node:assert/strict'
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SETTLED_MS, startNode, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const ENGINES = ['ttl', 'inotify', 'off']
const LONG_TTL = 60_000

const replace = (path, content) => {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

/** The conditions that a client with this answer asks with, each by itself. */
const conditionsOf = ({ headers }) =>
  [
    headers.etag && `If-None-Match: ${headers.etag}`,
    headers['last-modified'] && `If-Modified-Since: ${headers['last-modified']}`,
  ].filter(Boolean)

const second = (path) => Math.floor(statSync(path).mtimeMs / 1000)

describe('validators', { concurrency: 3 }, () => {
  for (const engine of ENGINES)
    test(`engine ${engine}: what was replaced within a second is not taken for what it was, then or later`, async (t) => {
      const node = await startNode(t, { config: { workers: 1, statCache: { engine } } })
      const held = []
      for (let i = 0; i < 6; i++) {
        const target = `/page${i}.html`
        const path = join(node.root, target)
        replace(path, 'old')
        const began = second(path)
        const first = await get(node.port, target)
        assert.equal(first.text, 'old')
        replace(path, 'new')
        if (second(path) !== began) continue
        for (const condition of conditionsOf(first)) held.push([target, condition])
        await until(async () => (await get(node.port, target)).text === 'new', 'the change')
      }
      const check = async () => {
        for (const [target, condition] of held) {
          const again = await get(node.port, target, { lines: [condition] })
          assert.equal(again.status, 200, condition)
        }
      }
      await check()
      await until(async () => {
        const { headers } = await get(node.port, '/page5.html')
        return headers['last-modified'] && headers.etag
      }, 'all that can be told of it')
      await check()
    })

  for (const engine of ENGINES)
    test(`engine ${engine}: a date is told when its second is over, however long the ttl and from memory as well`, async (t) => {
      const node = await startNode(t, {
        config: { workers: 1, statCache: { engine, ttlMillis: LONG_TTL } },
      })
      const path = join(node.root, 'page.html')
      replace(path, 'new')
      const dated = await until(async () => {
        const answer = await get(node.port, '/page.html')
        assert.ok(answer.headers.etag || !answer.headers['last-modified'], 'no date without a tag')
        return answer.headers['last-modified'] && answer
      }, 'its date')
      assert.equal(Date.parse(dated.headers['last-modified']) / 1000, second(path))
      assert.ok(Date.parse(dated.headers.date) > Date.parse(dated.headers['last-modified']))
      for (const condition of conditionsOf(dated))
        assert.equal((await get(node.port, '/page.html', { lines: [condition] })).status, 304)
    })

  /* What builds set the times of all files to. */
  const BUILD_TIMES = {
    'zero (OSTree, reproducible images)': 0,
    'one (Nix, Guix, Jib)': 1,
    '1980 (zip)': 315_532_800,
    '1980 and a second (buildpacks)': 315_532_801,
    '1985 (npm)': 499_162_500,
    '2000 (Bazel)': 946_684_800,
  }

  for (const [name, time] of Object.entries(BUILD_TIMES))
    test(`two releases whose times are all ${name} are two`, async (t) => {
      const node = await startNode(t, { config: { workers: 1 } })
      const path = join(node.root, 'app.js')
      const publish = {
        'by rename': (content) => {
          writeFileSync(`${path}.new`, content)
          utimesSync(`${path}.new`, time, time)
          renameSync(`${path}.new`, path)
        },
        // Where the inode's number is likely to be given again.
        'after removal': (content) => {
          rmSync(path)
          writeFileSync(path, content)
          utimesSync(path, time, time)
        },
        'in place': (content) => {
          writeFileSync(path, content)
          utimesSync(path, time, time)
        },
      }
      publish['by rename']('release 0')
      await sleep(SETTLED_MS)
      let release = 0
      for (const [way, step] of Object.entries(publish)) {
        const first = await get(node.port, '/app.js')
        const { etag } = first.headers
        assert.equal(first.text, `release ${release}`)
        assert.ok(etag, 'it has a tag')
        assert.equal(first.headers['last-modified'], undefined)
        const lines = [`If-None-Match: ${etag}`]
        assert.equal((await get(node.port, '/app.js', { lines })).status, 304)
        step(`release ${++release}`)
        await sleep(SETTLED_MS)
        await until(
          async () => (await get(node.port, '/app.js')).text !== first.text,
          'the release',
        )
        const again = await get(node.port, '/app.js', { lines })
        assert.equal(again.status, 200, way)
        const date = new Date(time * 1000).toUTCString()
        for (const line of [`If-Range: ${etag}`, `If-Range: ${date}`]) {
          const spliced = await get(node.port, '/app.js', { lines: ['Range: bytes=5-', line] })
          assert.equal(spliced.status, 200, `${way}: ${line}`)
        }
        const since = await get(node.port, '/app.js', { lines: [`If-Modified-Since: ${date}`] })
        assert.equal(since.status, 200, way)
      }
    })

  test('a compressed copy that is being written has no tag, nor one made of nothing', async (t) => {
    // A busy machine may ask only when a copy has settled, and what is known then is kept for the ttl: another file, then.
    const names = Array.from({ length: 20 }, (_, i) => `${i}.js`)
    const node = await startNode(t, {
      files: Object.fromEntries(
        names.flatMap((name) => [
          [name, 'plain'],
          [`${name}.gz`, 'coded'],
        ]),
      ),
      config: { workers: 1, statCache: { ttlMillis: 60_000 } },
    })
    const lines = ['Accept-Encoding: gzip']
    const old = new Date(Date.now() - 60_000)
    for (const name of names) utimesSync(join(node.root, name), old, old)
    await sleep(SETTLED_MS)
    // The file is known, and that it has a copy; the copy itself is not yet.
    const rather = { lines: ['Accept-Encoding: identity, gzip;q=0.1'] }
    let untagged = 0
    for (const name of names) {
      assert.equal((await get(node.port, `/${name}`, rather)).text, 'plain')
      writeFileSync(join(node.root, `${name}.gz`), `coded ${name}`)
      const { status, text, headers } = await get(node.port, `/${name}`, { lines })
      assert.equal(status, 200)
      assert.equal(text, `coded ${name}`)
      assert.match(headers.etag ?? '"-gzip"', /^"[0-9a-f-]*-gzip"$/)
      untagged += headers.etag ? 0 : 1
    }
    assert.ok(untagged > 0)
  })
})
