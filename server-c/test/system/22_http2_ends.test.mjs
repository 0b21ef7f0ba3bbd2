// SPDX-License-Identifier: MIT
// HTTP/2 with prior knowledge: rates, reloads, and how connections end.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectHttp2 } from '../conformance/http2.mjs'
import { ask, files } from '../support/http2-ask.mjs'
import * as h2 from '../support/http2-raw.mjs'
import { startNode, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const KB = 1024
const REFUSED_STREAM = 7

describe('connections', { concurrency: 2 }, () => {
  test('rates hold for all streams of a connection together, and for a site', async (t) => {
    for (const site of [{ connectionBytesPerSecond: 400 * KB }, { bytesPerSecond: 400 * KB }]) {
      const node = await startNode(t, { files, site })
      const session = connectHttp2(node.port)
      const begin = Date.now()
      // 600 KiB, of which half a second's worth may come at once.
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(node, '/small.css', {}, session)),
      )
      const seconds = (Date.now() - begin) / 1000
      assert.ok(answers.every(({ body }) => body.length === 30 * KB))
      assert.ok(seconds > 0.7 && seconds < 4, `${seconds} s`)
      session.destroy()
      await node.stop()
    }
  })

  test('at the stop clients are told twice, and what is under way is answered', async (t) => {
    const node = await startNode(t, { files })
    const client = await h2.Http2Raw.connect(node.port)
    client.send(h2.get(1, '/big.bin')) // more than the first window
    await client.frame(({ type }) => type === h2.DATA)
    const stopped = node.stop()
    const first = await client.frame(({ type }) => type === h2.GOAWAY, 'a notice')
    assert.equal(first.payload.readUInt32BE(0), 0x7fffffff)
    client.send(h2.get(3, '/a.txt')) // sent before the notice was read
    const ping = await client.frame(({ type, flags }) => type === h2.PING && flags === 0, 'a ping')
    client.send(h2.frame(h2.PING, h2.ACK, 0, ping.payload))
    await client.frame(({ type, id }) => type === h2.HEADERS && id === 3, 'its answer')
    const last = await client.frame(
      ({ type, payload }) => type === h2.GOAWAY && payload.readUInt32BE(0) !== 0x7fffffff,
      'the last word',
    )
    assert.equal(last.payload.readUInt32BE(0), 3)
    client.send(
      h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(10_000_000)),
      h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.number32(10_000_000)),
    )
    await client.end(1)
    assert.equal(await client.goodbye(), h2.NO_ERROR)
    client.close()
    assert.equal(await stopped, 0)
  })

  test('no request is lost while listeners change under load', async (t) => {
    const node = await startNode(t, { files })
    const failures = []
    let answered = 0
    let isOver = false
    async function load() {
      let session = null
      while (!isOver) {
        if (!session || session.closed || session.destroyed) session = connectHttp2(node.port)
        const answers = await Promise.all(
          Array.from({ length: 10 }, () =>
            ask(node, '/a.txt', {}, session).catch((error) => error),
          ),
        )
        for (const one of answers) {
          // What the client itself did not send any more, having read GOAWAY, it may ask for again.
          const isUnsent =
            one.code === 'ERR_HTTP2_GOAWAY_SESSION' || (!one.status && one.reset === REFUSED_STREAM)
          if (isUnsent) continue
          if (one.status !== 200) failures.push(one)
          else answered++
        }
      }
      session.destroy()
    }
    const clients = Promise.all(Array.from({ length: 8 }, load))
    const [listen] = node.config.listen
    for (let i = 0; i < 5; i++) {
      const more = i % 2 ? [] : [{ address: '127.0.0.2', port: 0 }]
      assert.ok(await node.reload({ ...node.config, listen: [listen, ...more] }))
      const before = answered
      await until(() => answered >= before + 50 || failures.length > 0, 'they go on asking')
    }
    isOver = true
    await clients
    assert.deepEqual(failures, [])
    assert.ok((await node.ends('stopping')) > 0, 'connections were asked to leave')
  })

  test('keepAliveRequests, keepAliveIdleSeconds and headerSeconds have their meaning', async (t) => {
    const node = await startNode(t, {
      files,
      config: { limits: { keepAliveRequests: 3, keepAliveIdleSeconds: 1, headerSeconds: 1 } },
    })
    const busy = await h2.Http2Raw.connect(node.port)
    for (const id of [1, 3, 5]) busy.send(h2.get(id, '/a.txt'))
    await busy.end(5)
    assert.equal(await busy.goodbye(), h2.NO_ERROR)
    await node.untilEnds('requestLimit', 1)
    const idle = await h2.Http2Raw.connect(node.port)
    const begin = Date.now()
    const pings = setInterval(() => idle.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8))), 100)
    assert.equal(await idle.goodbye(), h2.NO_ERROR) // pings are no requests
    clearInterval(pings)
    assert.ok(Date.now() - begin >= 900)
    await node.untilEnds('idle', 1)
  })

  test('idle connections make room for others', async (t) => {
    const node = await startNode(t, { files, config: { limits: { connections: 4 }, workers: 1 } })
    const clients = []
    for (let i = 0; i < 4; i++) {
      clients.push(await h2.Http2Raw.connect(node.port))
      clients[i].send(h2.get(1, '/a.txt'))
      await clients[i].end(1)
    }
    assert.equal((await get(node.port, '/a.txt')).status, 200)
    await clients[0].goodbye()
    await node.untilEnds('madeRoom', 1)
    for (const client of clients) client.close()
  })

  test('who goes on asking after GOAWAY is not answered for ever', async (t) => {
    const node = await startNode(t, { files, config: { limits: { keepAliveRequests: 3 } } })
    const client = await h2.Http2Raw.connect(node.port)
    let id = -1
    for (const begin = Date.now(); !client.ended; await sleep(20)) {
      id += 2
      client.send(h2.get(id, '/a.txt')) // and never a word about the ping
      assert.ok(Date.now() - begin < 10_000, 'it still goes on')
    }
    const last = client.frames.filter(({ type }) => type === h2.GOAWAY).at(-1)
    const answered = client.frames.filter(({ type }) => type === h2.HEADERS).map((one) => one.id)
    assert.equal(Math.max(...answered), last.payload.readUInt32BE(0))
  })
})
