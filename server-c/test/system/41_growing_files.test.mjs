// SPDX-License-Identifier: MIT
// Files that get longer while they are asked for, as logs do.
import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '../support/node.mjs'
import { get, LOOPBACK, OUTSIDE } from '../support/raw.mjs'

/* A byte tells where in a file it stands. */
const GROWN = 5_000_000
const bytes = Buffer.from(Uint8Array.from({ length: GROWN }, (_, i) => (i * 7) % 251))
const stretch = (from, length) => bytes.subarray(from, from + length)

/** Asks for a file in every way there is while it gets longer, until `rounds` answers of each came. */
async function askWhileItGrows(node, path, size, rounds) {
  const asked = { answers: 0, failures: [] }
  let length = size
  let goesOn = true
  const grows = async () => {
    while (goesOn && length + 700 <= GROWN) {
      appendFileSync(path, stretch(length, 700))
      length += 700
      await sleep(1)
    }
  }
  const ask = async (name, options, check) => {
    for (let i = 0; i < rounds; i++) {
      const answer = await get(node.port, '/live.log', options).catch((error) => ({ error }))
      asked.answers++
      if (!check(answer)) asked.failures.push([name, answer.status, answer.error?.message])
    }
  }
  const from = (offset) => (answer) =>
    answer.complete && answer.body.equals(stretch(offset, answer.body.length))
  const isWhole = (answer) => answer.status === 200 && answer.body.length >= size && from(0)(answer)
  const isPart = (offset) => (answer) => answer.status === 206 && from(offset)(answer)
  const growing = grows()
  await Promise.all([
    ask('GET', {}, isWhole),
    ask('GET, outside', { from: OUTSIDE }, isWhole),
    ask('GET, local', { from: LOOPBACK }, isWhole),
    ask('HEAD', { method: 'HEAD' }, ({ status, headers }) =>
      Boolean(status === 200 && Number(headers['content-length']) >= size),
    ),
    ask('old bytes', { lines: ['Range: bytes=100-999'] }, isPart(100)),
    ask('the last bytes', { lines: [`Range: bytes=${size - 300}-`] }, isPart(size - 300)),
    ask(
      'two ranges',
      { lines: ['Range: bytes=0-99,1000-1099'] },
      ({ status, complete }) => status === 206 && complete,
    ),
  ])
  goesOn = false
  await growing
  return asked
}

// Each with a node and a file of its own.
suite('while it grows', { concurrency: 3 }, () => {
  for (const engine of ['ttl', 'inotify', 'off'])
    for (const size of [2000, 100_000, 3_000_000])
      test(`engine ${engine}: a file of ${size} bytes that gets longer all the while is had in every way`, async (t) => {
        const node = await startNode(t, { config: { workers: 1, statCache: { engine } } })
        const path = join(node.root, 'live.log')
        writeFileSync(path, stretch(0, size))
        const { answers, failures } = await askWhileItGrows(node, path, size, 8)
        assert.equal(answers, 7 * 8)
        assert.deepEqual(failures, [])
      })
})

test('what was appended to a large file is seen by the next request, as after any change', async (t) => {
  const node = await startNode(t, {
    files: { 'live.log': stretch(0, 3_000_000) },
    config: { workers: 1, statCache: { ttlMillis: 60_000 } },
  })
  const before = await get(node.port, '/live.log')
  appendFileSync(join(node.root, 'live.log'), stretch(3_000_000, 10))
  const after = await get(node.port, '/live.log')
  assert.equal(before.body.length, 3_000_000)
  assert.equal(after.body.length, 3_000_010)
  assert.notEqual(after.headers.etag, before.headers.etag)
})
