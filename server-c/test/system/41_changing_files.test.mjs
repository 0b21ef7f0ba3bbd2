// SPDX-License-Identifier: MIT
// Files that change while they are looked up, and while they are sent: whoever gets a whole answer
// got the bytes of one version, and one ETag never stands for two. Only what is written in place into
// pages that wait in a socket's queue cannot be noticed any more.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode, until } from '../support/node.mjs'
import { get, LOOPBACK, OUTSIDE, RawClient, request } from '../support/raw.mjs'

const SETTLING_MS = 50
const SIZE = 16 << 20 // more than the sockets' buffers take
const BEFORE = Buffer.alloc(SIZE, 'x')

const overwrite = (path, position, bytes) => {
  const fd = openSync(path, 'r+')
  writeSync(fd, bytes, 0, bytes.length, position)
  closeSync(fd)
}

const changes = {
  truncated: (path) => truncateSync(path, 1000),
  'truncated and extended to its size': (path) => {
    const fd = openSync(path, 'r+')
    ftruncateSync(fd, 0)
    ftruncateSync(fd, SIZE)
    closeSync(fd)
  },
  'written anew with its size': (path) => writeFileSync(path, Buffer.alloc(SIZE, 'y')),
  'overwritten in its last byte': (path) => overwrite(path, SIZE - 1, Buffer.from('y')),
  replaced: (path) => {
    writeFileSync(`${path}.new`, Buffer.alloc(SIZE, 'y'))
    renameSync(`${path}.new`, path)
  },
  removed: (path) => rmSync(path),
  'appended to': (path) => appendFileSync(path, Buffer.alloc(100_000, 'y')),
}
// A name that leads elsewhere by now, or nowhere, takes nothing from the file that is being sent; nor do
// bytes behind those that its head promised.
const keepsBytes = ['replaced', 'removed', 'appended to']

/** Asks for the file, lets `change` happen when the answer is under way, and takes the answer. */
async function sendWhile(node, path, from, change) {
  const client = await RawClient.connect(node.port, { from })
  client.socket.once('data', () => client.socket.pause())
  client.send(request('/file.bin'))
  await until(() => client.received > 0, 'the first bytes')
  await sleep(100)
  change(path)
  client.socket.resume()
  const response = await client.response().catch(() => null)
  client.close()
  return response
}

// A file system that cannot say what is in memory: its bytes are copied by the read lane.
const cannotSay = [
  ...['env', 'ASAN_OPTIONS=detect_leaks=0', 'strace', '-D', '-f', '-qq', '-o', '/dev/null'],
  ...['-e', 'trace=preadv2', '-e', 'inject=preadv2:error=EOPNOTSUPP'],
]
const canTrace = spawnSync(cannotSay[0], [...cannotSay.slice(1), 'true']).status === 0

const noTrace = !canTrace && 'strace cannot trace here'
const noOutside = OUTSIDE === LOOPBACK && 'this machine has no address but loopback'

// Each waits for the most part, with a node and a file of its own.
suite('while it is sent', { concurrency: 3 }, () => {
  for (const [way, maxFileBytes, from, wrap, skip] of [
    ['from memory', SIZE, OUTSIDE, [], false],
    ['by sendfile', 65_536, OUTSIDE, [], noOutside],
    ['copied by the loop', 65_536, LOOPBACK, [], false],
    ['copied by the lane', 65_536, OUTSIDE, cannotSay, noTrace],
  ])
    for (const [name, change] of Object.entries(changes))
      test(`sent ${way}, a file that is ${name} is whole or ends early`, { skip }, async (t) => {
        const node = await startNode(t, {
          config: { workers: 1, fileCache: { maxFileBytes } },
          wrap,
        })
        const path = join(node.root, 'file.bin')
        writeFileSync(path, BEFORE)
        await sleep(2 * SETTLING_MS)
        // What is kept in memory is kept from the second request on.
        if (way === 'from memory') await get(node.port, '/file.bin')
        const response = await sendWhile(node, path, from, change)
        const whole = response?.complete ?? false
        if (way === 'from memory' || keepsBytes.includes(name)) assert.ok(whole, 'it is all there')
        else assert.ok(!whole, 'the connection has ended before')
        // What sendfile put in the socket's queue are the page cache's own pages: an answer that ends
        // early may have bytes of the other version at its end.
        if (whole || way !== 'by sendfile')
          assert.ok(
            response?.body.equals(BEFORE.subarray(0, response.body.length)) ?? true,
            'all of one version',
          )
      })
})

suite('while it settles', { concurrency: 4 }, () => {
  for (const engine of ['ttl', 'inotify', 'off'])
    test(`engine ${engine}: what is rewritten at its size right after an answer is seen, however long the ttl`, async (t) => {
      const node = await startNode(t, { config: { statCache: { engine, ttlMillis: 60_000 } } })
      let seen = 0
      for (let i = 0; i < 40; i++) {
        const path = join(node.root, `${i}.txt`)
        writeFileSync(path, 'old')
        const first = await get(node.port, `/${i}.txt`)
        if (first.headers.etag) continue // a busy machine: it had settled, and is kept for the ttl
        overwrite(path, 0, Buffer.from('new'))
        const second = await get(node.port, `/${i}.txt`)
        assert.equal(first.text, 'old')
        assert.equal(second.text, 'new')
        seen++
      }
      assert.ok(seen > 0)
    })

  test('a file has its ETag when it has settled, and one tag never stands for two contents', async (t) => {
    const node = await startNode(t, { config: { statCache: { engine: 'off' } } })
    const path = join(node.root, 'a.txt')
    const contents = new Map()
    for (let i = 0; i < 60; i++) {
      const content = `${100 + i}`
      if (i === 0) writeFileSync(path, content)
      else overwrite(path, 0, Buffer.from(content))
      for (let round = 0; round < 3; round++) {
        const { text, headers } = await get(node.port, '/a.txt')
        assert.equal(text, content)
        if (headers.etag) assert.equal(contents.get(headers.etag) ?? content, content)
        if (headers.etag) contents.set(headers.etag, content)
      }
      if (i % 10 === 9) await sleep(2 * SETTLING_MS)
      const { headers } = await get(node.port, '/a.txt')
      if (i % 10 === 9) assert.ok(headers.etag, 'it has settled')
    }
  })
})
