// SPDX-License-Identifier: MIT
// A million requests of every kind with a reload now and then, and memory stays what it was after
// the first quarter:
//   node test/long/memory.mjs [--requests N] [--preset release|asan]
// With asan, memory is not measured: LeakSanitizer says at the end what nobody holds any more.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { rssBytes } from '../support/process.mjs'
import { get, RawClient } from '../support/raw.mjs'
import { ending, kept, makeSite } from './kinds.mjs'

const CLIENTS = 24
const BATCH = 20 // requests in one piece
const ENDING_EVERY = 5 // batches, then one request that ends the connection
const SAMPLES = 200
const RELOADS = 20
const WARM_UP = 0.25 // of the samples
const GROWTH_MAX_BYTES = 2 << 20

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    preset: { type: 'string', default: 'release' },
  },
})
process.env.FARMSTEAD_NODE ??= new URL(
  `../../build/${values.preset}/farmstead-node`,
  import.meta.url,
).pathname
const { startNode, tempFolder, until } = await import('../support/node.mjs')
const REQUESTS = Number(values.requests)
const isMeasured = values.preset === 'release'

/** Each as often as its share, in an order that looks like none and is always the same. */
function chooser(kinds, seed) {
  const total = kinds.reduce((sum, { share }) => sum + share, 0)
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    let left = (state / 2 ** 32) * total
    for (const kind of kinds) {
      left -= kind.share
      if (left < 0) return kind
    }
    return kinds[0]
  }
}

const tally = new Map()
let done = 0
function count({ status }) {
  tally.set(status, (tally.get(status) ?? 0) + 1)
  done++
}

async function sendBatch(client, known, choose) {
  const batch = Array.from({ length: BATCH }, choose).map((kind) => [kind, kind.bytes(known)])
  client.send(batch.map(([, bytes]) => bytes).join(''))
  for (const [kind, bytes] of batch) {
    const answer = await client.response(kind)
    assert.equal(answer.status, kind.status, `${bytes}\n${answer.head}`)
    assert.ok(answer.complete, bytes)
    count(answer)
  }
}

async function sendEnding(port, kind) {
  const client = await RawClient.connect(port)
  client.send(kind.bytes())
  if (kind.status !== null) {
    const answer = await client.response()
    assert.ok([kind.status].flat().includes(answer.status), `${kind.bytes()}\n${answer.head}`)
    count(answer)
  } else {
    if (kind.waits) await until(() => client.received > 0, 'the first bytes')
    count({ status: kind.reset ? 'reset' : 'left' })
    if (kind.reset) client.socket.resetAndDestroy()
  }
  client.close()
}

/** A connection is kept for a hundred requests or so, then there is another one. */
async function work(port, known, seed) {
  const chooseKept = chooser(kept, seed)
  const chooseEnding = chooser(ending, seed + 1)
  while (done < REQUESTS) {
    const client = await RawClient.connect(port)
    for (let i = 0; i < ENDING_EVERY; i++) await sendBatch(client, known, chooseKept)
    client.close()
    await sendEnding(port, chooseEnding())
  }
}

/** The line through the samples: bytes more at its end than at its start. */
function growth(samples) {
  const middle = (samples.length - 1) / 2
  const mean = samples.reduce((sum, one) => sum + one, 0) / samples.length
  let over = 0
  let under = 0
  for (const [i, one] of samples.entries()) {
    over += (i - middle) * (one - mean)
    under += (i - middle) ** 2
  }
  return (over / under) * (samples.length - 1)
}

async function sample(node) {
  const samples = []
  while (done < REQUESTS) {
    if (done >= (samples.length * REQUESTS) / SAMPLES) samples.push(rssBytes(node.child.pid))
    if (done >= (node.reloads * REQUESTS) / RELOADS) {
      node.reloads++
      assert.ok(await node.reload(node.config))
    }
    await sleep(20)
  }
  return samples
}

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`

function judge(samples) {
  const after = samples.slice(Math.ceil(samples.length * WARM_UP))
  const grown = growth(after)
  const every = Math.ceil(samples.length / 10)
  console.log(
    `memory: ${samples
      .filter((_, i) => i % every === 0)
      .map(mib)
      .join(', ')}`,
  )
  console.log(`after the first quarter: ${mib(Math.min(...after))} to ${mib(Math.max(...after))}`)
  console.log(`grown by ${mib(grown)} from there to the end`)
  assert.ok(grown < GROWTH_MAX_BYTES, 'memory grows')
}

const afterwards = []
const t = { after: (step) => afterwards.unshift(step) }
try {
  const node = await startNode(t, { config: makeSite(tempFolder(t)) })
  node.reloads = 1
  const { headers } = await until(async () => {
    const answer = await get(node.port, '/a.txt')
    return answer.headers['last-modified'] && answer
  }, 'the date of a file that was written just now')
  const known = { etag: headers.etag, modified: headers['last-modified'] }
  const startedAt = performance.now()
  const clients = Array.from({ length: CLIENTS }, (_, i) => work(node.port, known, 1000 * i))
  const [samples] = await Promise.all([sample(node), ...clients])
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`${done} requests in ${seconds | 0} s: ${JSON.stringify(Object.fromEntries(tally))}`)
  await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
  if (isMeasured) judge(samples)
  assert.equal(await node.stop(), 0, node.log)
} finally {
  for (const step of afterwards) await step()
}
