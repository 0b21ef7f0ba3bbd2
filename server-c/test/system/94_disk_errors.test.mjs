// SPDX-License-Identifier: MIT
// A disk that fails or stands still: who asks for what it holds is told so, the others are served.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badDisk } from '../support/bad-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

const BIG_BYTES = 8 << 20
const TTL_MS = 100
const SLOW_FILES = 5
const big = Buffer.alloc(BIG_BYTES, 'x')
const files = {
  'a.txt': 'alpha',
  'eio-open.txt': 'small',
  'eio-stat.txt': 'small',
  'eio-read.txt': 'small',
  'eio-read.bin': big,
  'eio-late.bin': big,
  'eio-open/index.html': 'folder',
  'eio-read-list/a.txt': 'listed',
  'errors/eio-read.html': 'a page',
  ...Object.fromEntries(
    Array.from({ length: SLOW_FILES }, (_, i) => [`slow-open-${i}.txt`, 'slow']),
  ),
}
const config = { statCache: { ttlMillis: TTL_MS } }
const site = { directoryListing: { enabled: true }, errorPages: { 404: '/errors/eio-read.html' } }
const broken = [
  '/eio-open.txt',
  '/eio-stat.txt',
  '/eio-read.txt',
  '/eio-read.bin',
  '/eio-open/',
  '/eio-read-list/',
]

/** The answer, or null when the connection was closed without a byte of it. */
async function ask(port, target) {
  const client = await RawClient.connect(port)
  client.send(request(target))
  try {
    return await client.response()
  } catch (error) {
    assert.equal(client.received, 0, 'half a head')
    return error.message.includes('closed without an answer') ? null : Promise.reject(error)
  } finally {
    client.close()
  }
}

test('a file the disk cannot give is an error, never a short or an empty answer', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const witness = await Witness.start(node.port)
  for (let round = 0; round < 3; round++)
    for (const target of broken) {
      const answer = await ask(node.port, target)
      assert.ok([500, 503].includes(answer?.status), `${target} ${answer?.status}`)
    }
  for (const target of ['/eio-read.txt', '/eio-read.bin'])
    for (const ranges of ['0-1', '0-0,2-2', '0-0,2-2,4-4']) {
      const { status } = await get(node.port, target, { lines: [`Range: bytes=${ranges}`] })
      assert.equal(status, 500, `${target} ${ranges}`)
    }
  await witness.stop(t)
})

test('a file that somebody keeps writing to can be asked for again, one that is broken is an error', async (t) => {
  const node = await startNode(t, {
    files: { ...files, 'ever-new.txt': 'small', 'ever-new.bin': big },
    config,
    wrap: badDisk(),
  })
  for (const target of ['/ever-new.txt', '/ever-new.bin']) {
    const { status, headers } = await get(node.port, target)
    assert.deepEqual([status, headers['retry-after']], [503, '1'], target)
  }
  for (const target of ['/eio-read.txt', '/eio-read.bin'])
    assert.equal((await get(node.port, target)).status, 500, target)
})

test('an error page the disk cannot give does not hide the error', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const { status, complete, text } = await get(node.port, '/none.txt')
  assert.equal(status, 404)
  assert.ok(complete)
  assert.doesNotMatch(text, /a page/)
})

test('a disk that fails in the middle of a file ends the connection there', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const witness = await Witness.start(node.port)
  for (let round = 0; round < 3; round++) {
    const client = await RawClient.connect(node.port)
    client.send(`${request('/eio-late.bin')}${request('/a.txt')}`)
    const { status, headers, body, complete } = await client.response()
    assert.equal(status, 200)
    assert.equal(headers['content-length'], `${BIG_BYTES}`)
    assert.ok(!complete)
    assert.ok(body.length < BIG_BYTES && body.equals(big.subarray(0, body.length)))
    client.close()
  }
  await node.untilCounter('aborted', 3)
  await node.untilEnds('file', 3)
  await witness.stop(t)
})

test('100 clients that ask for broken files leave nothing behind', async (t) => {
  const node = await startNode(t, { files, site, config, wrap: badDisk() })
  const witness = await Witness.start(node.port)
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => ask(node.port, broken[i % broken.length])),
  )
  await witness.stop(t)
  await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
  assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
})

test('while the disk is slow, files in memory are served as ever', async (t) => {
  const node = await startNode(t, {
    files,
    config: { workers: 1, statCache: { ttlMillis: 60_000 }, io: { statThreads: 1 } },
    wrap: badDisk(),
  })
  const witness = await Witness.start(node.port)
  const answers = await Promise.all(
    Array.from({ length: SLOW_FILES }, (_, i) => get(node.port, `/slow-open-${i}.txt`)),
  )
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, 'slow'])
  assert.ok(witness.slowestMs < 1000, 'it waits for the slow disk')
  await witness.stop(t, 20)
})
