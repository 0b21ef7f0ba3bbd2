// SPDX-License-Identifier: MIT
// A disk that does not answer: who waits is told so in time, everybody else is served, a stop ends.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hungDisk } from '../support/hung-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, LOOPBACK, RawClient, request } from '../support/raw.mjs'

const files = {
  'a.txt': 'alpha',
  'b.txt': 'beta',
  'hang-open.txt': 'late',
  'hang-read.txt': 'late',
  'hang-read.bin': Buffer.alloc(8 << 20, 'x'), // too large for memory: sent from its descriptor
  'hang-late.bin': Buffer.alloc(8 << 20, 'x'),
}
const config = { io: { timeoutSeconds: 1, statThreads: 4, readThreads: 4 } }

// They wait for most of their time, each for its own node.
describe('a disk that hangs', { concurrency: 3 }, () => {
  for (const path of ['/hang-open.txt', '/hang-read.txt', '/hang-read.bin']) {
    test(`${path}: 503 in time, others are served, and the file when the disk is back`, async (t) => {
      const { wrap, release } = hungDisk(t)
      const node = await startNode(t, { files, config, wrap })
      const client = await RawClient.connect(node.port)
      const start = Date.now()
      client.send(request(path) + request('/a.txt'))
      assert.equal((await get(node.port, '/b.txt')).text, 'beta')
      const { status, headers } = await client.response()
      assert.equal(status, 503)
      assert.notEqual(headers.connection, 'close')
      const waited = Date.now() - start
      assert.ok(waited >= 900 && waited < 4000, `${waited} ms`)
      assert.equal((await client.response()).text, 'alpha')
      assert.equal((await get(node.port, path)).status, 503)
      await release()
      await until(async () => (await get(node.port, path)).status === 200, 'the file')
      client.close()
    })
  }

  for (const [what, options] of [
    ['copied to a client on this host', { from: LOOPBACK }],
    ['one range', { lines: ['Range: bytes=5000000-5000099'] }],
    ['several ranges', { lines: ['Range: bytes=0-99, 5000000-5000099'] }],
  ]) {
    test(`a large file, ${what}: 503 in time, as nothing was sent yet`, async (t) => {
      const { wrap, release } = hungDisk(t)
      const node = await startNode(t, { files, config, wrap })
      assert.equal((await get(node.port, '/hang-read.bin', options)).status, 503)
      await node.untilCounter('timeouts', 1)
      await release()
      const { status, complete } = await get(node.port, '/hang-read.bin', options)
      assert.deepEqual([status, complete], [options.lines ? 206 : 200, true])
    })
  }

  test("a large file that is a site's error page: the short page of ours in its place", async (t) => {
    const { wrap, release } = hungDisk(t)
    const errorPages = { 404: '/hang-read.bin' }
    const node = await startNode(t, { files, config, site: { errorPages }, wrap })
    const { status, text } = await get(node.port, '/none')
    assert.equal(status, 404)
    assert.match(text, /404/)
    await release()
  })

  test('files in use are served though each look-up of another hangs', async (t) => {
    const { wrap, release } = hungDisk(t)
    const hung = Array.from({ length: 12 }, (_, i) => `/hang-open-${i}.txt`)
    // Each loop has its own cache: one is enough to know the file.
    const node = await startNode(t, { files, config: { ...config, workers: 1 }, wrap })
    assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
    const refused = Promise.all(hung.map(async (path) => (await get(node.port, path)).status))
    // Longer than statCache.ttlMillis: it is looked up again meanwhile, on the thread that is kept.
    for (const start = Date.now(); Date.now() - start < 3000; await sleep(100))
      assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
    assert.deepEqual(await refused, hung.fill(503))
    await release()
  })

  test('a response that has begun is cut off', async (t) => {
    const { wrap, release } = hungDisk(t)
    const node = await startNode(t, { files, config, wrap })
    const client = await RawClient.connect(node.port)
    const start = Date.now()
    client.send(request('/hang-late.bin'))
    const { status, complete } = await client.response()
    assert.deepEqual([status, complete], [200, false])
    assert.ok(Date.now() - start < 5000)
    await node.untilCounter('timeouts', 1)
    await node.untilEnds('disk', 1)
    assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
    await release()
    assert.equal((await get(node.port, '/hang-late.bin')).body.length, 8 << 20)
  })
})
