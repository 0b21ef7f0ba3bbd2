// SPDX-License-Identifier: MIT
// A release of very many files, and one with a file of more than 2 GiB, on a real node: each comes whole, in memory that grows with
// neither, and the next version costs what is other in it.
//   node test/long/releases.mjs
// FARMSTEAD_RELEASE_FILES and FARMSTEAD_RELEASE_FILE_MIB say how many and how large; FARMSTEAD_NODE which node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostRssBytes } from '../support/process.mjs'
import { read, releasedFarm } from '../support/released-farm.mjs'

const FILES = Number(process.env.FARMSTEAD_RELEASE_FILES ?? 100_000)
const LARGE_BYTES = Number(process.env.FARMSTEAD_RELEASE_FILE_MIB ?? 2100) * 2 ** 20
const CHANGED_EVERY = 100
/** A batch of contents, a piece of a manifest, the lines of a batch, and the program. */
const MOST_RSS_BYTES = 96 * 2 ** 20
const WITHIN_MS = 1_800_000

const mib = (bytes) => (bytes / 2 ** 20).toFixed(1)

/** Without a site's own 60 s: it takes as long as it takes. */
async function timed(what, { node, assign, releases }, release) {
  releases.asked = []
  const beganMs = performance.now()
  await node.untilConfirmed(assign(release), WITHIN_MS)
  const seconds = (performance.now() - beganMs) / 1000
  const most = mostRssBytes(node.servingPid)
  console.log(
    `${what}: ${seconds.toFixed(1)} s, ${releases.asked.length} requests, node at most ${mib(most)} MiB`,
  )
  assert.ok(most < MOST_RSS_BYTES, `${mib(most)} MiB`)
}

test(`${FILES} files come, then those that are other, and back`, async (t) => {
  const farm = await releasedFarm(t)
  const { control, node, releases } = farm
  control.confirmWithinMs = WITHIN_MS
  const path = (at) => `d${Math.floor(at / 500)}/page-${at}.html`
  const filesOf = (version) =>
    Object.fromEntries(
      Array.from({ length: FILES }, (_, at) => [
        path(at),
        `page ${at}${version > 1 && at % CHANGED_EVERY === 0 ? ' changed' : ''}`,
      ]),
    )
  const [first, second] = [releases.keep('www', filesOf(1)), releases.keep('www', filesOf(2))]
  await timed('all of them', farm, first)
  assert.ok(releases.asked.length < FILES / 512 + 10)
  assert.equal(releases.travelled.length, FILES)
  for (const at of [0, 1, FILES >> 1, FILES - 1])
    assert.equal((await read(node, `/${path(at)}`)).text, `page ${at}`)

  await timed('those that are other', farm, second)
  assert.equal(releases.travelled.length, FILES / CHANGED_EVERY)
  const kinds = releases.asked.map(({ what }) => what).filter((what) => what !== 'contents')
  assert.deepEqual(kinds, ['deltas'])
  assert.equal((await read(node, `/${path(CHANGED_EVERY)}`)).text, `page ${CHANGED_EVERY} changed`)
  assert.equal((await read(node, `/${path(1)}`)).text, 'page 1')

  await timed('back', farm, first)
  assert.deepEqual(releases.asked, [])
  assert.equal((await read(node, `/${path(CHANGED_EVERY)}`)).text, `page ${CHANGED_EVERY}`)
  assert.deepEqual(control.of('nack'), [])
})

test(`a file of ${mib(LARGE_BYTES)} MiB comes, goes on in its middle, and is served`, async (t) => {
  const farm = await releasedFarm(t)
  const { control, node, releases } = farm
  control.confirmWithinMs = WITHIN_MS
  const bytes = Buffer.alloc(LARGE_BYTES, 'x')
  for (let at = 0; at + 16 < LARGE_BYTES; at += 65_536) bytes.write(`${at} `, at)
  const cutAfterBytes = Math.floor(LARGE_BYTES / 2) + 12_345
  let cuts = 0
  releases.fault = ({ what }) => (what === 'contents' && cuts++ === 0 ? { cutAfterBytes } : {})
  await timed('the file', farm, releases.keep('www', { 'large.bin': bytes, small: 'small' }))
  const parts = releases.asked.filter(({ what, digests }) => what === 'contents' && digests[0])
  const again = parts.map(({ from }) => from).filter((from) => from > 0)
  assert.ok(again.length >= 1 && again[0] > cutAfterBytes / 2, `went on at ${again}`)
  const head = await fetch(`http://127.0.0.1:${node.port}/large.bin`, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), `${LARGE_BYTES}`)
  for (const from of [0, 65_530, LARGE_BYTES - 70_000]) {
    const range = `bytes=${from}-${from + 65_599}`
    const part = await fetch(`http://127.0.0.1:${node.port}/large.bin`, { headers: { range } })
    assert.equal(part.status, 206)
    assert.ok(
      Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, from + 65_600)),
      range,
    )
  }
  assert.deepEqual(control.of('nack'), [])
})
