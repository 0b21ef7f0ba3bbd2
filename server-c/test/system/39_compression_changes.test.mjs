// SPDX-License-Identifier: MIT
// As 39_compression: files, and copies, that change meanwhile.
import assert from 'node:assert/strict'
import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { compressed, page, startCompressing, takes } from '../support/compressing.mjs'
import { until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

// They wait for most of their time, each for its own node.
suite('what changes meanwhile', { concurrency: 4 }, () => {
  for (const engine of ['ttl', 'inotify'])
    test(`a file that is replaced while it is compressed, its time and size kept: ${engine}`, async (t) => {
      const config = { statCache: { engine, ttlMillis: 100 }, workers: 2 }
      const node = await startCompressing(t, { files: { 'a.html': page('00') }, config })
      const long = new Date(Date.now() - 3_600_000)
      let version = 0
      const replace = () => {
        const next = join(node.root, '.next')
        writeFileSync(next, page(String(++version).padStart(2, '0')))
        utimesSync(next, long, long)
        renameSync(next, join(node.root, 'a.html'))
      }
      const end = Date.now() + 7000
      let copies = 0
      for (let i = 0; Date.now() < end; i++) {
        if (i % 60 === 0) replace()
        const since = version
        await sleep(i % 60 === 0 ? 250 : 40)
        const answer = await get(node.port, '/a.html', takes('br'))
        const isCopy = answer.headers['content-encoding'] === 'br'
        const text = (isCopy ? brotliDecompressSync(answer.body) : answer.body).toString()
        assert.equal(text, page(String(since).padStart(2, '0')))
        copies += isCopy
      }
      assert.ok(copies > 10, `${copies} answers from copies`)
    })

  test('a file that is rewritten in place all the time: whole versions only', async (t) => {
    const config = { statCache: { ttlMillis: 50 } }
    const node = await startCompressing(t, { files: { 'a.txt': page('0000', 3000) }, config })
    let version = 0
    let copies = 0
    for (let turn = 0; turn < 3 || (copies === 0 && turn < 12); turn++) {
      await sleep(2600)
      for (let i = 0; i < 12; i++) {
        const asked = Array.from({ length: 4 }, () =>
          get(node.port, '/a.txt', takes('gzip')).catch(() => null),
        )
        if (i === 2)
          writeFileSync(join(node.root, 'a.txt'), page(String(++version).padStart(4, '0'), 3000))
        for (const answer of await Promise.all(asked)) {
          if (answer?.status !== 200 || !answer.complete) continue
          if (answer.headers['content-encoding'] !== 'gzip') continue
          const text = gunzipSync(answer.body).toString()
          const title = /<title>(\d+)/.exec(text)[1]
          assert.equal(text, page(title, 3000))
          copies++
        }
        await sleep(20)
      }
    }
    assert.ok(copies > 0)
  })

  test('a copy that somebody cuts short fails no request for the file', async (t) => {
    const text = page('cut')
    const node = await startCompressing(t, {
      files: { 'a.html': text },
      config: { fileCache: { maxBytes: 0 }, statCache: { ttlMillis: 50 } },
    })
    await compressed(node, '/a.html')
    const [name] = readdirSync(node.copies)
    writeFileSync(join(node.copies, name), '') // which is how a copy says that it is not worth it
    await until(async () => {
      const answer = await get(node.port, '/a.html', takes('br'))
      return answer.text === text
    }, 'the file itself')
    assert.equal(statSync(join(node.copies, name)).size, 0)
  })
})
