// SPDX-License-Identifier: MIT
// Who takes too little of an answer is let go, but not for being given little.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { RawClient, request } from '../support/raw.mjs'

const KB = 1000
const files = { 'big.bin': Buffer.alloc(32 << 20, 'x') }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// Each waits for seconds to pass, and costs next to nothing meanwhile.
describe('the least a client must take', { concurrency: true }, () => {
  const MIB = 1024 * 1024
  for (const [what, site, minBytesPerSecond, ends] of [
    ['', {}, 0, false],
    ['', {}, MIB, true],
    [', of a site with a high rate', { bytesPerSecond: 100_000 * KB }, MIB, true],
    [', of a connection with a high rate', { connectionBytesPerSecond: 100_000 * KB }, MIB, true],
  ]) {
    test(`a client that takes some bytes is held to limits.minBytesPerSecond ${minBytesPerSecond}${what}`, async (t) => {
      const limits = { writeSeconds: 2, minBytesPerSecond }
      const node = await startNode(t, { files, site, config: { limits } })
      const client = await RawClient.connect(node.port)
      client.send(request('/big.bin'))
      // 64 KiB now and then: far less than what makes the kernel call the socket writable again. The
      // client's kernel tells of room for more once a second, when its buffer has grown.
      client.socket.pause()
      const timer = setInterval(() => client.socket.read(65536), 200)
      t.after(() => clearInterval(timer))
      if (ends) await until(async () => (await node.counter('timeouts')) > 0, 'the end of its time')
      else await sleep(7000) // three times writeSeconds: nothing is to be seen
      assert.equal(await node.counter('timeouts'), ends ? 1 : 0)
      client.close()
    })
  }

  for (const [what, site, clients, bytes] of [
    ['the site', { bytesPerSecond: 40 * KB }, 8, 20 * KB],
    ['each of them', { connectionBytesPerSecond: 6 * KB }, 3, 40 * KB],
    ['both', { bytesPerSecond: 40 * KB, connectionBytesPerSecond: 6 * KB }, 3, 40 * KB],
  ]) {
    test(`who takes all that a low rate of ${what} gives is not let go`, async (t) => {
      const limits = { writeSeconds: 1, minBytesPerSecond: MIB }
      const node = await startNode(t, { files, site, config: { limits } })
      const all = await Promise.all(
        Array.from({ length: clients }, () => RawClient.connect(node.port)),
      )
      for (const client of all) client.send(request('/big.bin'))
      // At 5 or 6 KB/s, and beyond the burst: several times writeSeconds.
      await until(
        () => all.every((client) => client.ended || client.received > bytes),
        'some bytes',
      )
      assert.equal(await node.counter('timeouts'), 0)
      // Before the node stops: it would wait for them.
      for (const client of all) client.close()
    })
  }

  test('who takes nothing is let go before a low rate has filled its buffer', async (t) => {
    const limits = { writeSeconds: 1 }
    const site = { connectionBytesPerSecond: 50 * KB }
    const node = await startNode(t, { files, site, config: { limits } })
    const client = await RawClient.connect(node.port)
    client.socket.pause()
    client.send(request('/big.bin'))
    await until(async () => (await node.counter('timeouts')) > 0, 'the end of its time')
    client.close()
  })
})
