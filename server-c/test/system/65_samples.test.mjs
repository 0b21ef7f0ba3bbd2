// SPDX-License-Identifier: MIT
// Requests that are kept one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode, until } from '../support/node.mjs'
import { exchange, get, RawClient, request } from '../support/raw.mjs'

const SLOW_MS = 50
const LARGE = 30_000_000 // more than any socket takes at once
const STAGES = [
  ...['statWait', 'stat', 'readWait', 'read', 'firstByte', 'total'],
  ...['write', 'writeClient', 'writeBuffer', 'writeNetwork', 'roundTrip'],
]

const samplesOf = async (node, query = '') => (await node.admin(`/samples${query}`)).json()
/** A sample is taken when the socket has the last byte: who asked may be a little before it. */
const samplesWhen = (node, wanted) =>
  until(async () => {
    const answer = await samplesOf(node)
    return answer.matched >= wanted && answer
  }, `${wanted} samples`)
// None is slow by chance, on however busy a machine.
const startSampling = (t, samples, files = { 'a.txt': 'alpha' }) =>
  startNode(t, { files, config: { samples: { slowerThanMillis: 0, ...samples } } })

/** Asks for the large file and takes nothing of it for longer than is slow. */
async function askSlowly(node) {
  const client = await RawClient.connect(node.port)
  client.socket.pause()
  client.send(request('/large'))
  await sleep(2 * SLOW_MS)
  return client
}

test('each request can be kept, with its stages and nothing of who asked for what', async (t) => {
  const node = await startSampling(t, { everyRequests: 1 })
  const before = Date.now()
  const client = await RawClient.connect(node.port)
  for (const target of ['/a.txt?secret=1', '/nope', '/a.txt']) {
    client.send(request(target, { lines: ['User-Agent: someone'] }))
    await client.response()
  }
  client.close()
  await samplesWhen(node, 3)
  const text = await (await node.admin('/samples')).text()
  assert.doesNotMatch(text, /a\.txt|nope|secret|someone|127\.0\.0\.1/)
  const { bootId, matched, samples } = JSON.parse(text)
  assert.equal(bootId, (await node.status()).bootId)
  assert.equal(matched, 3)
  // The newest first: from the cache, not there, looked up.
  assert.deepEqual(
    samples.map((sample) => [sample.status, Object.keys(sample.stageSeconds)]),
    [
      [200, ['write', 'firstByte', 'total']],
      [404, ['statWait', 'stat', 'write', 'firstByte', 'total']],
      [200, ['statWait', 'stat', 'write', 'firstByte', 'total']],
    ],
  )
  for (const sample of samples) {
    const { stageSeconds, start, ...rest } = sample
    const { write, firstByte, total } = stageSeconds
    assert.ok(Math.abs(write + firstByte - total) < 1e-9)
    assert.match(start, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    assert.ok(Date.parse(start) >= before - 1 && Date.parse(start) <= Date.now(), start)
    assert.ok(sample.bytes > 0)
    assert.deepEqual(Object.keys(rest), [
      'loop',
      'generation',
      'status',
      'bytes',
      'regular',
      'slow',
      'aborted',
    ])
    assert.equal(rest.generation, 1)
    assert.deepEqual([rest.regular, rest.slow, rest.aborted], [true, false, false])
  }
})

test('slow requests are kept, and those that were given up', async (t) => {
  const node = await startSampling(
    t,
    { everyRequests: 0, slowerThanMillis: SLOW_MS },
    { 'a.txt': 'alpha', large: Buffer.alloc(LARGE) },
  )
  assert.match(await (await node.admin('/')).text(), /None so far: no request has taken 50/)
  await get(node.port, '/a.txt')
  const patient = await askSlowly(node)
  patient.socket.resume()
  assert.equal((await patient.response()).body.length, LARGE)
  patient.close()
  const impatient = await askSlowly(node)
  impatient.close()
  const { samples } = await until(async () => {
    const answer = await samplesOf(node, '?kind=slow')
    return answer.matched === 2 && answer
  }, 'two slow requests')
  assert.deepEqual(
    samples.map(({ status, regular, slow, aborted }) => [status, regular, slow, aborted]),
    [
      [200, false, true, true],
      [200, false, true, false],
    ],
  )
  assert.deepEqual(
    samples.map(({ reason }) => reason),
    ['clientGone', undefined],
  )
  await node.untilEnds('clientGone', 1)
  assert.ok(samples[0].bytes < LARGE && samples[1].bytes > LARGE)
  for (const { stageSeconds } of samples) {
    assert.ok(stageSeconds.total >= SLOW_MS / 1000 && stageSeconds.write >= SLOW_MS / 1000)
    for (const stage of Object.keys(stageSeconds)) assert.ok(STAGES.includes(stage), stage)
  }
  assert.equal((await samplesOf(node, '?kind=regular')).matched, 0)
  const page = await (await node.admin('/')).text()
  assert.match(page, /The newest slow requests/)
  assert.match(page, />aborted: clientGone</)
  assert.match(page, /2 are kept, each slower than 50/)
})

test('who asks on with "next" gets each sample once', async (t) => {
  const node = await startSampling(t, { everyRequests: 1, keep: 10_000 })
  const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(node.port)))
  const perClient = 150
  let busy = clients.length
  const asking = clients.map(async (client) => {
    for (let i = 0; i < perClient; i++) {
      client.send(request('/a.txt'))
      await client.response()
    }
    client.close()
    busy--
  })
  let next = 0
  let seen = 0
  let newest = ''
  const look = async () => {
    const answer = await samplesOf(node, `?since=${next}&limit=10000`)
    assert.equal(answer.samples.length, answer.matched)
    assert.ok(answer.next >= next)
    next = answer.next
    seen += answer.matched
    newest = answer.samples[0]?.start ?? newest
  }
  while (busy > 0) await look()
  await Promise.all(asking)
  await until(async () => {
    await look()
    return seen >= clients.length * perClient
  }, 'each sample')
  assert.equal(seen, clients.length * perClient)
  assert.ok(newest)
  assert.equal((await samplesOf(node, `?since=${next}`)).matched, 0)
  assert.equal((await samplesOf(node, '?limit=7')).samples.length, 7)
})

test('samples are bounded, of all loops together', async (t) => {
  const node = await startSampling(t, { everyRequests: 1, keep: 16 })
  const clients = await Promise.all(Array.from({ length: 12 }, () => RawClient.connect(node.port)))
  for (const client of clients) {
    client.send(request('/a.txt').repeat(100))
    for (let i = 0; i < 100; i++) await client.response()
    client.close()
  }
  const samples = await until(async () => {
    const { samples } = await node.status()
    return samples.taken.regular >= 1200 && samples
  }, 'the last sample')
  const { matched } = await samplesOf(node, '?limit=10000')
  assert.ok(matched > 0 && matched <= 16, `${matched}`)
  assert.deepEqual(samples, {
    everyRequests: 1,
    slowerThanMillis: 0,
    keep: 16,
    kept: { regular: matched, slow: 0 },
    taken: { regular: 1200, slow: 0 },
  })
})

test('what is sampled changes live', async (t) => {
  const node = await startSampling(t, { everyRequests: 1, keep: 100 })
  const ask = async (times) => {
    for (let i = 0; i < times; i++) await get(node.port, '/a.txt')
  }
  await ask(20)
  assert.equal((await samplesWhen(node, 20)).matched, 20)
  assert.ok(
    await node.reload({
      ...node.config,
      samples: { everyRequests: 0, slowerThanMillis: 0, keep: 100 },
    }),
  )
  await ask(5)
  assert.equal((await samplesOf(node)).matched, 20)
  assert.ok(
    await node.reload({
      ...node.config,
      samples: { everyRequests: 1, slowerThanMillis: 0, keep: 200 },
    }),
  )
  await ask(5)
  const { matched, samples } = await samplesWhen(node, 25)
  assert.equal(matched, 25)
  assert.deepEqual(
    samples.map(({ generation }) => generation),
    [...Array(5).fill(3), ...Array(20).fill(1)],
  )
})

test('a query that is not understood is refused', async (t) => {
  const node = await startSampling(t, { everyRequests: 1 })
  for (const [query, words] of [
    ['limit=0', /limit is a whole number from 1 to 10000/],
    ['limit=10001', /limit is/],
    ['limit=5&limit=6', /each once/],
    ['limits=5', /There are limit, since and kind/],
    ['since=yesterday', /since is a whole number/],
    ['since=9999999999999', /since is still to come/],
    ['kind=fast', /kind is regular or slow/],
    ['&', /There are/],
  ]) {
    const response = await exchange(
      node.adminPort,
      `GET /samples?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    )
    assert.equal(response.status, 400, query)
    assert.match(response.text, words)
  }
  const head = await exchange(node.adminPort, 'HEAD /samples HTTP/1.1\r\nHost: localhost\r\n\r\n', {
    isHead: true,
  })
  assert.equal(head.status, 200)
})
