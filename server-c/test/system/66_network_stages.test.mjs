// SPDX-License-Identifier: MIT
// What a response's write waited for, by the kernel's count: its client, the send buffer, the network. In a network of
// its own, which can be made as slow and as bad as it has to be.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { start as startOverTls } from '../support/example-over-tls.mjs'
import { frame, get, Http2Raw, number32, settings, WINDOW_UPDATE } from '../support/http2-raw.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import {
  delayTo,
  isInOwnNetwork,
  lose,
  loseNothing,
  noOwnNetwork,
  runInOwnNetwork,
  setSegmentBytes,
  setSendBuffer,
  slowDown,
  speedUp,
} from '../support/own-network.mjs'
import { LOOPBACK, RawClient, request } from '../support/raw.mjs'
import { tlsClient } from '../support/tls-node.mjs'

const files = {
  'small.txt': 'alpha',
  'middle.bin': Buffer.alloc(2_000_000, 'm'),
  'large.bin': Buffer.alloc(16_000_000, 'l'), // more than any socket takes at once
}
const config = { workers: 1, samples: { everyRequests: 1, slowerThanMillis: 0 } }
const REST_MS = 300
const PARTS = ['writeClient', 'writeBuffer', 'writeNetwork']

const start = (t, options) => startNode(t, { files, config, ...options })
const connect = (node) => RawClient.connect(node.port, { from: LOOPBACK })

/** The stages of the newest `count` of `taken` requests, when all of them are over; none has more parts than a whole. */
async function stagesOf(node, taken, count = 1) {
  const { samples } = await until(async () => {
    const answer = await (await node.admin('/samples')).json()
    return answer.matched === taken && answer
  }, `${taken} samples`)
  const all = samples.map(({ stageSeconds }) => stageSeconds)
  for (const one of all) {
    const parts = PARTS.reduce((sum, part) => sum + (one[part] ?? 0), 0)
    assert.ok(parts <= one.write + 1e-9, JSON.stringify(one))
  }
  return all.slice(0, count)
}

function assertMost(stages, part) {
  const others = PARTS.filter((one) => one !== part).reduce((sum, one) => sum + stages[one], 0)
  assert.ok(stages[part] > others, `${part}: ${JSON.stringify(stages)}`)
}

async function fetchOne(client, path) {
  client.send(request(path))
  const { status, body } = await client.response()
  assert.equal(status, 200)
  return body.length
}

/** Asks, takes nothing for a while, then all. */
async function restBetween(client, path) {
  client.socket.pause()
  client.send(request(path))
  await sleep(REST_MS)
  client.socket.resume()
  await client.response()
}

/** Windows of HTTP/2 as a client opens them: of each stream, and of the connection. */
const INITIAL = 65_535
const MOST = 0x7fffffff
async function askWithWindows(node, ofStream, ofConnection) {
  const client = await Http2Raw.connect(node.port, { first: settings([4, ofStream]) })
  if (ofConnection > INITIAL)
    client.send(frame(WINDOW_UPDATE, 0, 0, number32(ofConnection - INITIAL)))
  return client
}

if (!isInOwnNetwork)
  test('in a network of its own', { skip: noOwnNetwork }, async () => {
    const { code, said } = await runInOwnNetwork(import.meta.url)
    assert.equal(code, 0, said)
  })
else {
  test('a slow network that loses packets is the network', async (t) => {
    const node = await start(t)
    setSegmentBytes(1500)
    const client = await connect(node)
    slowDown('20mbit')
    lose(node.port, 40)
    await fetchOne(client, '/middle.bin').finally(() => {
      loseNothing()
      speedUp()
      setSegmentBytes(65_536)
    })
    client.close()
    const [stages] = await stagesOf(node, 1)
    assertMost(stages, 'writeNetwork')
    assert.ok(stages.roundTrip > 0.001, JSON.stringify(stages))
    const segments = await node.counter('retransmittedSegments')
    const bytes = await node.counter('retransmittedBytes')
    assert.ok(segments > 0 && bytes >= segments, `${segments} segments, ${bytes} bytes`)
  })

  test('a buffer too small for a long way is seen', async (t) => {
    setSendBuffer(262_144)
    const node = await start(t)
    delayTo(node.port, '50kbit')
    t.after(() => {
      speedUp()
      setSendBuffer(4_194_304)
    })
    // The kernel counts it while it would have sent more, which is not all the time.
    for (let i = 0; i < 4; i++) {
      const client = await connect(node)
      await fetchOne(client, '/middle.bin')
      client.close()
    }
    const all = await stagesOf(node, 4, 4)
    const ofBuffer = all.reduce((sum, stages) => sum + stages.writeBuffer, 0)
    assert.ok(ofBuffer > 0.01, JSON.stringify(all))
  })

  suite('on a good network', { concurrency: 3 }, () => {
    test('who reads nothing for a while is the client; whose socket took all at once waited for nobody', async (t) => {
      const node = await start(t)
      const client = await connect(node)
      await fetchOne(client, '/small.txt')
      const [quick] = await stagesOf(node, 1)
      assert.ok(!('writeClient' in quick) && !('roundTrip' in quick), JSON.stringify(quick))
      await restBetween(client, '/large.bin')
      const [slow] = await stagesOf(node, 2)
      assertMost(slow, 'writeClient')
      assert.ok(slow.writeClient > REST_MS / 2000 && slow.roundTrip > 0, JSON.stringify(slow))
      // On the same connection: what the one before waited for is not its.
      await fetchOne(client, '/small.txt')
      const [next] = await stagesOf(node, 3)
      assert.ok(!('writeClient' in next), JSON.stringify(next))
      // One that goes away in the middle is in no histogram, but its sample says why.
      client.socket.pause()
      client.send(request('/large.bin'))
      await sleep(REST_MS)
      client.close()
      assertMost((await stagesOf(node, 4))[0], 'writeClient')
      const { stages } = (await node.status()).series[0]
      assert.deepEqual(
        [...PARTS, 'roundTrip', 'write'].map((stage) => stages[stage].count),
        [1, 1, 1, 1, 3],
      )
    })

    test('over TLS it is the same', async (t) => {
      const { node, ca } = await startOverTls(t, { files, config })
      const client = await tlsClient(node.tlsPort, { ca })
      await restBetween(client, '/large.bin')
      client.close()
      assertMost((await stagesOf(node, 1))[0], 'writeClient')
    })

    test('streams of HTTP/2 each waited for the socket that they share', async (t) => {
      const node = await start(t)
      const client = await askWithWindows(node, MOST, MOST)
      client.socket.pause()
      client.send(get(1, '/large.bin'), get(3, '/large.bin'))
      await sleep(REST_MS)
      client.socket.resume()
      await Promise.all([client.end(1), client.end(3)])
      for (const stages of await stagesOf(node, 2, 2)) assertMost(stages, 'writeClient')
      // When nobody waits any more.
      client.send(get(5, '/small.txt'))
      await client.end(5)
      const [next] = await stagesOf(node, 3)
      assert.ok(!('writeClient' in next), JSON.stringify(next))
      client.close()
    })

    for (const [what, id, ofStream, ofConnection] of [
      ['its stream', 1, INITIAL, MOST],
      ['the connection', 0, MOST, INITIAL],
    ])
      test(`a window of HTTP/2 that is closed is the client, too: of ${what}`, async (t) => {
        const node = await start(t)
        const client = await askWithWindows(node, ofStream, ofConnection)
        client.send(get(1, '/middle.bin'))
        await until(() => client.received > INITIAL, 'a window full')
        await sleep(REST_MS)
        client.send(frame(WINDOW_UPDATE, 0, id, number32(MOST - INITIAL)))
        await client.end(1)
        const [stages] = await stagesOf(node, 1)
        assertMost(stages, 'writeClient')
        assert.ok(stages.writeClient > REST_MS / 2000, JSON.stringify(stages))
        // The time between is nobody's.
        await sleep(REST_MS)
        client.send(get(3, '/small.txt'))
        await client.end(3)
        const [next] = await stagesOf(node, 2)
        assert.ok(!('writeClient' in next), JSON.stringify(next))
        client.close()
      })

    test('what a rate of the node holds back is neither the client nor the network', async (t) => {
      const node = await start(t, { site: { connectionBytesPerSecond: 1_500_000 } })
      const client = await connect(node)
      await fetchOne(client, '/middle.bin')
      client.close()
      const [stages] = await stagesOf(node, 1)
      const parts = PARTS.reduce((sum, part) => sum + (stages[part] ?? 0), 0)
      assert.ok(stages.write > 0.2 && parts < stages.write / 2, JSON.stringify(stages))
    })

    test('of a Unix socket nothing is known, and nothing said', async (t) => {
      const path = join(tempFolder(t), 'node.socket')
      const node = await start(t, {
        config: { ...config, listen: [{ address: LOOPBACK, port: 0 }, { socket: path }] },
      })
      const socket = net.connect({ path })
      await once(socket, 'connect')
      const client = new RawClient(socket)
      await restBetween(client, '/large.bin')
      client.close()
      const [stages] = await stagesOf(node, 1)
      assert.ok(stages.write > REST_MS / 2000)
      for (const stage of [...PARTS, 'roundTrip']) assert.ok(!(stage in stages), stage)
    })
  })
}
