// SPDX-License-Identifier: MIT
// Tags of contents that take long to read: lists of checksums are believed while they can be right, and large
// files are hashed in turns with all others.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BUILD, release, sha256, start, tagged, tagOf } from '../support/content-tags.mjs'
import { until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const LISTED_BYTES = 4 << 20 // smaller files are always hashed
const line = (said, name) => `${sha256(said, 'hex')}  ${name}\n`
const large = (letter) => Buffer.alloc(LISTED_BYTES, letter)
const SETTLED_MS = 3000 // after so long a file is hashed when it is asked for
const HEAD = { method: 'HEAD' }

suite('contents that take long to read', { concurrency: 2 }, () => {
  // The lists are there before the node, just after their files: one that is still young when its file has settled is
  // taken for none.
  suite('lists of checksums', { concurrency: 3 }, () => {
    test('one beside a large file is believed if it is newer', async (t) => {
      const files = { 'a.iso': large('a'), 'b.iso': large('b'), 'small.txt': 'small' }
      const lists = Object.fromEntries(
        Object.keys(files).map((name) => [`${name}.sha256`, line('what somebody says', name)]),
      )
      const node = await start(t, { files: { ...files, ...lists } })
      utimesSync(join(node.root, 'b.iso.sha256'), BUILD, BUILD)
      await tagged(node, '/a.iso', tagOf('what somebody says'))
      await tagged(node, '/b.iso', tagOf(files['b.iso']))
      await tagged(node, '/small.txt', tagOf('small'))
    })

    test('a list of the whole site is read anew when it changes, and a stale line is not believed', async (t) => {
      const node = await start(t, {
        site: { checksums: 'SHA256SUMS' },
        files: {
          'iso/a.iso': large('a'),
          'iso/b.iso': large('b'),
          'small.txt': 'small',
          SHA256SUMS: line('said of a', './iso/a.iso') + line('said of small', 'small.txt'),
        },
        config: { statCache: { ttlMillis: 50 } },
      })
      const list = join(node.root, 'SHA256SUMS')
      await tagged(node, '/iso/a.iso', tagOf('said of a'))
      await tagged(node, '/iso/b.iso', tagOf(large('b'))) // no line
      await tagged(node, '/small.txt', tagOf('small'))

      release(join(node.root, 'iso/a.iso'), large('c')) // an older time than the list's
      await tagged(node, '/iso/a.iso', tagOf(large('c')))
      writeFileSync(join(node.root, 'iso/d.iso'), large('d'))
      await sleep(20) // in another tick of the clock of files
      writeFileSync(list, line('said of d', 'iso/d.iso'))
      await tagged(node, '/iso/d.iso', tagOf('said of d'))
      assert.deepEqual(readFileSync(list, 'latin1'), (await get(node.port, '/SHA256SUMS')).text)
    })

    test('a list that is too long is told of, and the files are hashed', async (t) => {
      const node = await start(t, {
        site: { checksums: 'SUMS' },
        files: { 'a.iso': large('a'), SUMS: Buffer.alloc((16 << 20) + 1, line('said', 'a.iso')) },
      })
      await tagged(node, '/a.iso', tagOf(large('a')))
      await node.logLine(/checksums: a list "SUMS" of "\/a.iso" is longer than 16 MiB/)
    })
  })

  suite('large files', { concurrency: 3 }, () => {
    test('do not keep small ones from their tags, nor the node from its stop', async (t) => {
      const node = await start(t, { files: { 'small.txt': 'small' } })
      const names = Array.from({ length: 6 }, (_, i) => `/${i}.img`)
      for (const name of names) {
        writeFileSync(join(node.root, name), '')
        truncateSync(join(node.root, name), 40e9)
      }
      await sleep(SETTLED_MS) // until they have had their times for long enough
      for (const name of names) await get(node.port, name, HEAD)
      await tagged(node, '/small.txt', tagOf('small'))
      for (const name of names)
        assert.equal((await get(node.port, name, HEAD)).headers.etag, undefined, name)
      const began = Date.now()
      await node.stop()
      assert.ok(Date.now() - began < 3000, `${Date.now() - began} ms`)
    })

    test('that change while they are hashed have no tag of what they were', async (t) => {
      const node = await start(t, { config: { statCache: { ttlMillis: 50 } } })
      const path = join(node.root, 'a.img')
      const SIZE = 200e6
      writeFileSync(path, '')
      truncateSync(path, SIZE)
      await sleep(SETTLED_MS)
      await get(node.port, '/a.img', HEAD)
      const file = openSync(path, 'r+')
      writeSync(file, 'changed', SIZE - 7) // it was read from the start on
      closeSync(file)
      const hash = createHash('sha256')
      const zeros = Buffer.alloc(1e6)
      for (let i = 1; i < SIZE / 1e6; i++) hash.update(zeros)
      const want = `"${hash.update(zeros.subarray(7)).update('changed').digest('hex').slice(0, 40)}"`
      const tags = new Set()
      await until(async () => {
        const { etag } = (await get(node.port, '/a.img', HEAD)).headers
        tags.add(etag)
        return etag === want
      }, 'the tag of the bytes')
      assert.deepEqual(tags, new Set([undefined, want]))
    })

    test('lists and folders of such a site are as ever', async (t) => {
      const node = await start(t, { site: { directoryListing: { enabled: true } } })
      mkdirSync(join(node.root, 'pub'))
      writeFileSync(join(node.root, 'pub/a.txt'), 'a')
      const { status, text } = await get(node.port, '/pub/')
      assert.equal(status, 200)
      assert.match(text, /a\.txt/)
      await tagged(node, '/pub/a.txt', tagOf('a'))
    })
  })
})
