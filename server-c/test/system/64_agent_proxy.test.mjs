// SPDX-License-Identifier: MIT
// A node behind an HTTP proxy: named by the environment or once for all by join, for both transports.
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { AgentNode, run } from '../support/agent-node.mjs'
import { FakeControlPlane } from '../support/fake-control-plane.mjs'
import { FakeProxy } from '../support/fake-proxy.mjs'

async function begin(t, isPlain) {
  const control = await new FakeControlPlane({ isPlain }).start()
  const proxy = await new FakeProxy().start()
  const node = new AgentNode(control)
  t.after(async () => {
    await node.dispose()
    await proxy.stop()
    await control.stop()
    assert.deepEqual(control.violations, [])
  })
  await node.furnish()
  const words = ['join', control.url, '--token', control.makeToken(), '--state', node.state]
  const joinWith = (env, ...more) =>
    run({ env }, ...words, ...(isPlain ? ['--insecure-http'] : []), ...more)
  return { control, proxy, node, joinWith }
}

async function serveOne(control, node, env = {}) {
  const { generation } = control.assign(node.config('v1'))
  node.start(env)
  await node.untilVersion('v1')
  await node.untilConfirmed(generation)
  await control.until('a report', () => control.of('report').length > 0)
}

for (const isPlain of [false, true]) {
  const name = isPlain ? 'http' : 'https'

  test(`${name}: the proxy of the environment is used`, async (t) => {
    const { control, proxy, node, joinWith } = await begin(t, isPlain)
    const env = { [`${name}_proxy`]: proxy.url }
    const joined = await joinWith(env)
    assert.equal(joined.code, 0, joined.stderr)
    await serveOne(control, node, env)
    const direct = control.said.length
    assert.ok(proxy.asked.length > 0 && direct > 0)
    const wanted = isPlain ? /^POST http:\/\/127/ : /^CONNECT 127\.0\.0\.1:\d+$/
    for (const line of proxy.asked) assert.match(line, wanted)
    for (const headers of proxy.headers) {
      if (!isPlain) assert.equal(headers.authorization, undefined, 'a tunnel is told nothing')
    }
  })

  test(`${name}: the proxy that join was given is kept, and no_proxy is not its business`, async (t) => {
    const { control, proxy, node, joinWith } = await begin(t, isPlain)
    proxy.account = 'farm:s3cret'
    const withAccount = proxy.url.replace('http://', 'http://farm:s3cret@')
    const joined = await joinWith({ no_proxy: '*' }, '--proxy', withAccount)
    assert.equal(joined.code, 0, joined.stderr)
    const identity = join(node.state, 'identity.json')
    assert.equal(JSON.parse(readFileSync(identity, 'utf8')).proxy, withAccount)
    assert.equal(statSync(identity).mode & 0o777, 0o600)
    const before = proxy.asked.length
    await serveOne(control, node, { no_proxy: '*' })
    assert.ok(proxy.asked.length > before)
    assert.ok(!node.log.includes('s3cret'))
  })

  test(`${name}: no_proxy keeps the proxy of the environment out`, async (t) => {
    const { control, proxy, node, joinWith } = await begin(t, isPlain)
    const env = { [`${name}_proxy`]: proxy.url, no_proxy: '127.0.0.1' }
    assert.equal((await joinWith(env)).code, 0)
    await serveOne(control, node, env)
    assert.deepEqual(proxy.asked, [])
  })
}

test('a proxy that refuses, is away or is no proxy has its sentence', async (t) => {
  const { control, proxy, joinWith } = await begin(t, false)
  proxy.account = 'farm:s3cret'
  const refused = await joinWith({}, '--proxy', proxy.url)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /no control plane at https:\S+: .*407/)
  const away = await joinWith({}, '--proxy', `http://127.0.0.1:${await freePort()}`)
  assert.equal(away.code, 1)
  assert.match(away.stderr, /no control plane at https:\S+: /)
  for (const wrong of ['socks5://127.0.0.1:1', 'proxy', '']) {
    const { code, stderr } = await joinWith({}, '--proxy', wrong)
    assert.equal(code, 2)
    assert.match(stderr, /--proxy takes the http:/)
  }
  assert.equal(control.said.length, 0)
})
