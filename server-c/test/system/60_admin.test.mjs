// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { exchange, get, RawClient, request } from '../support/raw.mjs'

describe('the admin listener', { concurrency: 2 }, () => {
  test('/status tells what really runs, counts and times', async (t) => {
    const node = await startNode(t, { files: { 'a.txt': 'alpha' } })
    const client = await RawClient.connect(node.port)
    for (const target of ['/a.txt', '/a.txt', '/nope']) {
      client.send(request(target))
      await client.response()
    }
    client.send(request('/a.txt', { lines: ['If-None-Match: *'] }))
    await client.response()
    await node.untilCounter('requests', 4)
    const response = await node.admin('/status')
    assert.equal(response.headers.get('content-type'), 'application/json')
    const status = await response.json()
    assert.match(status.bootId, /^[0-9a-f]{32}$/)
    assert.match(status.effective.digest, /^sha256:[0-9a-f]{64}$/)
    assert.equal(status.effective.generation, 1)
    assert.equal(status.serving, true)
    assert.equal(status.gauges.workers, 2)
    assert.equal(status.gauges.openConnections, 1)
    assert.ok(status.gauges.statThreads >= 1)
    const [series] = status.series
    assert.equal(series.counters.requests, 4)
    assert.equal(series.counters.responses2xx, 2)
    assert.equal(series.counters.responses304, 1)
    assert.equal(series.counters.responses404, 1)
    assert.equal(series.counters.connections, 1)
    for (const stage of ['total', 'firstByte', 'write']) assert.equal(series.stages[stage].count, 4)
    assert.equal(series.stages.stat.count, 2)
    assert.equal(series.stages.statWait.count, 2)
    const { p50Seconds, p99Seconds, p999Seconds, maxSeconds } = series.stages.total
    assert.ok(
      0 < p50Seconds &&
        p50Seconds <= p99Seconds &&
        p99Seconds <= p999Seconds &&
        p999Seconds <= maxSeconds,
    )
    client.close()
  })

  test('a look-up takes time however fast it is', async (t) => {
    const node = await startNode(t)
    const names = Array.from({ length: 4000 }, (_, i) => `/missing-${i}`)
    const client = await RawClient.connect(node.port)
    client.send(names.map((name) => request(name, { method: 'HEAD' })).join(''))
    for (const _ of names) assert.equal((await client.response({ isHead: true })).status, 404)
    client.close()
    await node.untilCounter('requests', names.length)
    const text = await (await node.admin('/metrics')).text()
    const stage = 'farmstead_stage_seconds_COUNT{generation="1",stage="stat"'
    assert.ok(text.includes(`${stage.replace('COUNT', 'count')}} ${names.length}\n`))
    // Opening the root, then the file in it, and closing again takes more than a microsecond.
    const [, fast] = /_bucket\{generation="1",stage="stat",le="9.5367431640625e-07"\} (\d+)/.exec(
      text,
    )
    assert.equal(fast, '0')
  })

  test('/metrics is Prometheus text with cumulative buckets', async (t) => {
    const node = await startNode(t, { files: { 'a.txt': 'alpha' } })
    for (let i = 0; i < 10; i++) await get(node.port, '/a.txt')
    await node.untilCounter('requests', 10)
    const response = await node.admin('/metrics')
    assert.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    for (const line of text.trimEnd().split('\n'))
      assert.match(
        line,
        /^(# (HELP|TYPE) farmstead_\w+ .+|farmstead_\w+(\{(\w+="[^"]*",?)+\})? [0-9.e+-]+)$/,
      )
    assert.match(text, /^farmstead_requests_total\{generation="1"\} 10$/m)
    const buckets = [
      ...text.matchAll(/stage_seconds_bucket\{generation="1",stage="total",le="([^"]+)"\} (\d+)/g),
    ]
    let before = 0
    for (const [, , count] of buckets) {
      assert.ok(Number(count) >= before)
      before = Number(count)
    }
    assert.equal(before, 10)
    assert.equal(buckets.at(-1)[1], '+Inf')
  })

  test('the admin listener is strict and small', async (t) => {
    const node = await startNode(t)
    assert.equal((await node.admin('/none')).status, 404)
    assert.equal(
      (await fetch(`http://127.0.0.1:${node.adminPort}/status`, { method: 'POST' })).status,
      405,
    )
    assert.equal(
      (await fetch(`http://127.0.0.1:${node.adminPort}/status`, { method: 'HEAD' })).status,
      200,
    )
    assert.equal((await exchange(node.adminPort, 'GET /status HTTP/1.1\n\n')).status, 400)
    assert.equal(
      (
        await exchange(
          node.adminPort,
          `GET /status HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(9000)}\r\n\r\n`,
        )
      ).status,
      431,
    )
  })

  test('a silent client of the admin listener is sent away after a short while', async (t) => {
    const node = await startNode(t)
    const silent = await RawClient.connect(node.adminPort)
    silent.send('GET /sta')
    assert.equal((await node.admin('/status')).status, 200)
    await silent.closed()
  })

  test('many silent clients keep nobody waiting for long, and memory stays bounded', async (t) => {
    const node = await startNode(t)
    const silent = await Promise.all(
      Array.from({ length: 60 }, () => RawClient.connect(node.adminPort)),
    )
    for (const client of silent) client.send('GET /sta')
    const start = Date.now()
    assert.equal((await node.admin('/status')).status, 200)
    assert.ok(Date.now() - start < 15_000)
    await Promise.all(silent.map((client) => client.closed()))
    // A few of them are not even noticed.
    const few = await Promise.all(
      Array.from({ length: 10 }, () => RawClient.connect(node.adminPort)),
    )
    assert.equal((await node.admin('/status')).status, 200)
    const sentAway = few.filter(({ ended }) => ended)
    assert.deepEqual(sentAway, [], 'it did not wait until one of them was sent away')
    for (const client of few) client.close()
  })

  test('a slow reader of the admin listener gets its answer while others are served', async (t) => {
    const node = await startNode(t)
    const slow = await RawClient.connect(node.adminPort)
    slow.socket.pause()
    slow.send('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.equal((await node.admin('/metrics')).status, 200)
    slow.socket.resume()
    assert.equal((await slow.response()).status, 200)
  })

  test('the admin listener answers to no name that a page elsewhere can have', async (t) => {
    const node = await startNode(t)
    const ask = async (host) =>
      (await exchange(node.adminPort, `GET /status HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status
    const { port } = new URL(`http://127.0.0.1:${node.adminPort}`)
    const own = [`127.0.0.1:${port}`, '192.0.2.1', '[::1]:1', 'localhost', 'LocalHost.', hostname()]
    for (const host of own) assert.equal(await ask(host), 200, host)
    const foreign = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'localhos']
    for (const host of foreign) assert.equal(await ask(host), 421, host)
    assert.equal((await exchange(node.adminPort, 'GET /status HTTP/1.0\r\n\r\n')).status, 200)
  })

  test('the admin listener answers to the names that its config lists, from the next reload on', async (t) => {
    const admin = {
      address: '127.0.0.1',
      port: 0,
      hosts: ['node1', '*.web.svc', '[::ffff:1.2.3.4]'],
    }
    const node = await startNode(t, { config: { admin } })
    const ask = async (host) =>
      (await exchange(node.adminPort, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status
    const named = [
      'node1',
      'NODE1:8081',
      'node1.',
      'pod-7.web.svc:8081',
      'a.b.web.svc',
      'localhost',
    ]
    for (const host of named) assert.equal(await ask(host), 200, host)
    const foreign = [
      'node2',
      'node1.evil.example',
      'web.svc',
      '.web.svc',
      'xweb.svc',
      'evil.example',
    ]
    for (const host of foreign) assert.notEqual(await ask(host), 200, host)
    const config = JSON.parse(readFileSync(node.configPath, 'utf8'))
    config.admin.hosts = ['node2']
    assert.ok(await node.reload(config))
    assert.equal(await ask('node2:1'), 200)
    assert.equal(await ask('node1'), 421)
  })

  test('the status page is whole, escaped and without scripts', async (t) => {
    const node = await startNode(t, { files: { 'a.txt': 'alpha' } })
    await get(node.port, '/a.txt')
    const response = await node.admin('/')
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(response.headers.get('content-security-policy'), /default-src 'none'/)
    const text = await response.text()
    assert.match(text, /^<!doctype html>/)
    assert.match(text, /<\/html>\n$/)
    assert.doesNotMatch(text, /<script|javascript:| on\w+=/)
    const { effective, gauges, series } = await node.status()
    assert.ok(text.includes(effective.digest))
    for (const name of [
      ...Object.keys(gauges),
      ...Object.keys(series[0].counters),
      ...Object.keys(series[0].stages),
    ])
      assert.ok(text.includes(`<th scope="row">${name}</th>`), name)
    // Elements end in the order they begin.
    const open = []
    for (const [, end, name] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (name === 'meta') continue
      if (end) assert.equal(open.pop(), name)
      else open.push(name)
    }
    assert.deepEqual(open, [])
    assert.equal((await node.admin('/')).status, 200)
  })

  test('without admin.address there is no admin listener', async (t) => {
    const node = await startNode(t, {
      files: { 'a.txt': 'a' },
      config: { admin: { address: '', port: 0 } },
    })
    assert.equal((await get(node.port, '/a.txt')).text, 'a')
    assert.doesNotMatch(node.log, /admin listening/)
  })
})
