// SPDX-License-Identifier: MIT
// Requests are counted by site, each once, whatever happens meanwhile: a config takes the place of another under load, and
// sites change their places with it.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connectHttp2 } from '../conformance/http2.mjs'
import { digestOf } from '../support/fake-control-plane.mjs'
import { ask } from '../support/http2-ask.mjs'
import { joinNodeFor } from '../support/joined-node.mjs'

const OTHERS = 256

const site = (node, host) => ({ hosts: [host], root: node.root })

function get(node, agent, host, path) {
  return new Promise((resolve, reject) => {
    const request = http.get(
      { host: '127.0.0.1', port: node.port, path, agent, headers: { host } },
      (answer) => {
        let bytes = 0
        answer.on('data', (some) => (bytes += some.length))
        answer.on('end', () => resolve({ status: answer.statusCode, bytes }))
      },
    )
    request.on('error', reject)
  })
}

/** By digest and place: the eight numbers, over all windows that were taken. */
function countsOf(control) {
  const sums = new Map()
  for (const { window } of control.windows) {
    for (const { sites } of window.series) {
      for (const [place, ...numbers] of sites?.counts ?? []) {
        const key = `${sites.digest} ${place}`
        const sum = sums.get(key) ?? numbers.map(() => 0)
        for (const [i, number] of numbers.entries()) sum[i] += number
        sums.set(key, sum)
      }
    }
  }
  const of = (config, place) => {
    const [ok, moved, missing, refused, failed, aborted, bytes, micros] = sums.get(
      `${digestOf(config)} ${place}`,
    ) ?? [0, 0, 0, 0, 0, 0, 0, 0]
    return { ok, moved, missing, refused, failed, aborted, bytes, micros }
  }
  const requests = [...sums.values()].reduce(
    (all, numbers) => all + numbers.slice(0, 5).reduce((sum, number) => sum + number, 0),
    0,
  )
  return { of, requests }
}

describe('requests by site', { concurrency: 3 }, () => {
  test('nothing is lost or counted twice while sites change places under load', async (t) => {
    const { control, node } = await joinNodeFor(t)
    writeFileSync(join(node.root, 'a.txt'), 'a'.repeat(5000))
    const hosts = ['one.test', 'two.test']
    const configs = [1, 2, 3, 4, 5].map((version) =>
      node.config('', {
        workers: 2,
        sites: (version % 2 ? hosts : hosts.toReversed()).map((host) => ({
          ...site(node, host),
          headers: [{ action: 'set', name: 'X-Version', value: `v${version}` }],
        })),
      }),
    )
    control.assign(configs[0])
    node.start()
    await node.untilConfirmed(1)
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
    t.after(() => agent.destroy())
    const asked = new Map(hosts.map((host) => [host, { ok: 0, missing: 0 }]))
    let isOver = false
    const clients = Array.from({ length: 8 }, async (_, number) => {
      for (let i = number; !isOver; i++) {
        const host = hosts[i % 3 === 0 ? 0 : 1]
        const path = i % 5 === 0 ? '/missing' : '/a.txt'
        const { status } = await get(node, agent, host, path)
        assert.equal(status, path === '/a.txt' ? 200 : 404)
        asked.get(host)[status === 200 ? 'ok' : 'missing']++
      }
    })
    for (const [i, config] of configs.entries()) {
      if (i > 0) control.assign(config)
      await node.untilConfirmed(i + 1)
    }
    isOver = true
    await Promise.all(clients)
    const wanted = [...asked.values()].reduce((sum, { ok, missing }) => sum + ok + missing, 0)
    await control.until('all requests', () => countsOf(control).requests >= wanted)
    const counts = countsOf(control)
    assert.equal(counts.requests, wanted)
    for (const host of hosts) {
      const sum = { ok: 0, missing: 0 }
      for (const config of configs) {
        const place = config.sites.findIndex((one) => one.hosts[0] === host)
        const counted = counts.of(config, place)
        sum.ok += counted.ok
        sum.missing += counted.missing
        assert.ok(counted.bytes >= 5000 * counted.ok)
        assert.equal(counted.micros > 0, counted.ok + counted.missing > 0)
      }
      assert.deepEqual(sum, asked.get(host))
    }
  })

  test('sites from the 257th on, and hosts without a site, are counted together', async (t) => {
    const { control, node } = await joinNodeFor(t)
    const sites = Array.from({ length: 300 }, (_, i) => site(node, `s${i}.test`))
    const config = node.config('', { sites })
    control.assign(config)
    node.start()
    await node.untilConfirmed(1)
    for (const host of ['s0.test', 's255.test', 's256.test', 's299.test', 'nobody.test'])
      await get(node, undefined, host, '/')
    await control.until('all requests', () => countsOf(control).requests >= 5)
    const { of } = countsOf(control)
    assert.equal(of(config, 0).ok, 1)
    assert.equal(of(config, 255).ok, 1)
    const { ok, moved, missing, refused, failed } = of(config, OTHERS)
    assert.equal(ok + moved + missing + refused + failed, 3)
    assert.equal(ok, 2)
  })

  test('requests of HTTP/2 are counted for the site of each', async (t) => {
    const { control, node } = await joinNodeFor(t)
    const config = node.config('', { sites: [site(node, 'one.test'), site(node, 'two.test')] })
    control.assign(config)
    node.start()
    await node.untilConfirmed(1)
    const session = connectHttp2(node.port)
    t.after(() => session.destroy())
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        ask(node, '/', { ':authority': i % 3 ? 'one.test' : 'two.test' }, session),
      ),
    )
    await control.until('all requests', () => countsOf(control).requests >= 30)
    const { of } = countsOf(control)
    assert.equal(of(config, 0).ok, 20)
    assert.equal(of(config, 1).ok, 10)
  })
})
