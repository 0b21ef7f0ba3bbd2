// SPDX-License-Identifier: MIT
// Neighbours that lie, are slow, break off or are somebody else: a node passes them over, says so, and gets the release.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { FakeCa } from '../support/fake-ca.mjs'
import { FakeControlPlane } from '../support/fake-control-plane.mjs'
import { FakeGiver, FakeNeighbours } from '../support/fake-neighbours.mjs'
import { FakeProxy } from '../support/fake-proxy.mjs'
import { gauge } from '../support/neighbour-farm.mjs'
import { read, releasedFarm } from '../support/released-farm.mjs'

const contentsOf = (releases) => releases.asked.filter(({ what }) => what === 'contents')

/** A node that takes, and neighbours in small. */
async function takingFarm(t) {
  const control = new FakeControlPlane()
  control.neighbours = new FakeNeighbours()
  const farm = await releasedFarm(t, control)
  const { neighbours, identities } = control
  const [ca] = identities.authorities
  const givers = []
  const giver = async (fault, pair) => {
    const identity = pair ?? (await ca.serverOfANode())
    const one = await new FakeGiver(farm.releases, identity, ca.pem).start()
    if (fault) one.fault = fault
    givers.push(one)
    return one
  }
  t.after(() => Promise.all(givers.map((one) => one.stop())))
  /** These once, then the control plane. */
  const name = (...named) => {
    neighbours.answer = ({ failed }) => ({ waitMs: 0, neighbours: failed ? [] : named })
  }
  const failures = () =>
    neighbours.asked.flatMap(({ failed }) => failed ?? []).map(({ why }) => why)
  const text = async (path = '/') => (await read(farm.node, path)).text
  return { ...farm, neighbours, ca, giver, name, failures, text }
}

describe('a neighbour', { concurrency: 3 }, () => {
  test('that lies is told of, and the next one asked', async (t) => {
    const { control, releases, serve, giver, neighbours, text } = await takingFarm(t)
    const liar = await giver(() => ({ bytes: (all) => Buffer.alloc(all.length, 'x') }))
    const honest = await giver()
    neighbours.answer = () => ({ waitMs: 0, neighbours: [liar.name, honest.name] })
    const files = { 'index.html': 'right', 'a/b': 'also', large: randomBytes(2 << 20) }
    await serve(releases.keep('www', files))
    assert.equal(await text(), 'right')
    assert.equal(await text('/a/b'), 'also')
    assert.deepEqual(contentsOf(releases), [])
    const told = neighbours.asked.flatMap(({ failed }) => failed ?? [])
    assert.ok(told.some((one) => one.keySha256 === liar.keySha256 && one.why === 'wrongBytes'))
    assert.ok(!told.some((one) => one.keySha256 === honest.keySha256 && one.why === 'wrongBytes'))
    assert.ok(honest.asked.length >= 1)
    await control.until('it counts', () => gauge(control, 'neighbourWrongBytes') > 0)
  })

  test('that lies about one large content only costs that one', async (t) => {
    const { releases, serve, giver, name, failures, node } = await takingFarm(t)
    const large = randomBytes(20 << 20)
    const liar = await giver((paths) =>
      paths[0] === 'large' ? { bytes: () => randomBytes(20 << 20) } : undefined,
    )
    name(liar.name)
    await serve(releases.keep('www', { large, 'index.html': 'small' }))
    assert.deepEqual(failures(), ['wrongBytes'])
    const got = Buffer.from(
      await (await fetch(`http://127.0.0.1:${node.port}/large`)).arrayBuffer(),
    )
    assert.ok(got.equals(large))
    assert.deepEqual(
      contentsOf(releases).map(({ from }) => from),
      [0],
    )
  })

  test('that cuts in the middle is gone on from, and nobody is blamed for both', async (t) => {
    const { releases, serve, giver, name, failures, node } = await takingFarm(t)
    const large = randomBytes(4 << 20)
    const wrongBegin = (all) => Buffer.concat([Buffer.alloc(1 << 20), all.subarray(1 << 20)])
    const cutter = await giver(() => ({ bytes: wrongBegin, cutAfterBytes: 2 << 20 }))
    const honest = await giver()
    name(cutter.name, honest.name)
    await serve(releases.keep('www', { large }))
    const got = Buffer.from(
      await (await fetch(`http://127.0.0.1:${node.port}/large`)).arrayBuffer(),
    )
    assert.ok(got.equals(large))
    assert.ok(!failures().includes('wrongBytes'), `${failures()}`)
    assert.ok(honest.asked[0].from > 0)
    assert.equal(contentsOf(releases)[0].from, 0)
  })

  test('that gives less, or more, or refuses, or has it not, is passed over', async (t) => {
    const { releases, serve, giver, name, failures, text } = await takingFarm(t)
    const all = [
      await giver(() => ({ bytes: (whole) => whole.subarray(0, whole.length - 1) })),
      await giver(() => ({ status: 403 })),
      await giver(() => ({ status: 404 })),
      await giver(() => ({ status: 503 })),
    ]
    name(...all.map((one) => one.name))
    await serve(releases.keep('www', { 'index.html': 'right', other: 'too' }))
    assert.equal(await text(), 'right')
    assert.deepEqual(failures().slice(1), ['refused', 'missing', 'busy'])
    assert.equal(contentsOf(releases).length, 1)
    const generous = await giver(() => ({
      bytes: (whole) => Buffer.concat([whole, Buffer.from('more')]),
    }))
    name(generous.name)
    await serve(releases.keep('www', { 'index.html': 'next', third: 'x' }))
    assert.equal(await text(), 'next')
    assert.equal(failures().at(-1), 'wrongBytes')
  })

  test('that is slow, or says nothing, is passed over in time', async (t) => {
    const { releases, serve, giver, name, failures, text } = await takingFarm(t)
    const deaf = createServer(() => {}).listen(0, '127.0.0.1')
    t.after(() => deaf.close())
    await once(deaf, 'listening')
    const silent = await giver(() => ({ waitMs: 120_000 }))
    const slow = await giver(() => ({ perSecond: 64 << 10 }))
    const none = { address: `127.0.0.1:${deaf.address().port}`, keySha256: 'ab'.repeat(32) }
    name(none, silent.name, slow.name)
    const began = performance.now()
    await serve(releases.keep('www', { 'index.html': 'right', large: randomBytes(16 << 20) }))
    assert.equal(await text(), 'right')
    assert.deepEqual(failures().slice(0, 2), ['unreached', 'unreached'])
    assert.ok(performance.now() - began < 100_000)
  })

  test('is who was named, with a node’s certificate of the farm', async (t) => {
    const { releases, serve, giver, name, failures, ca, control, text } = await takingFarm(t)
    const theirs = await FakeCa.make('Theirs')
    const stranger = await giver(undefined, await theirs.serverOfANode())
    const planes = await giver(undefined, control.identities.server)
    const other = await giver()
    const old = await giver(
      undefined,
      await ca.server({ usage: '1.3.6.1.5.5.7.3.2', from: -3, until: -1 }),
    )
    name(stranger.name, planes.name, { ...other.name, keySha256: 'ab'.repeat(32) }, old.name)
    await serve(releases.keep('www', { 'index.html': 'right' }))
    assert.equal(await text(), 'right')
    assert.deepEqual(failures(), Array(4).fill('unreached'))
    for (const one of [stranger, planes, other, old]) assert.deepEqual(one.asked, [])
    assert.equal(contentsOf(releases).length, 1)
  })

  test('that is not there, and answers that are of no use, leave the control plane', async (t) => {
    const { control, releases, serve, name, neighbours, text } = await takingFarm(t)
    name({ address: `127.0.0.1:${await freePort()}`, keySha256: 'ab'.repeat(32) })
    await serve(releases.keep('www', { 'index.html': 'one' }))
    assert.equal(await text(), 'one')
    control.answersBadly = true
    const wrong = [
      () => ({
        waitMs: 0,
        neighbours: [{ address: '127.0.0.1:1/../x', keySha256: 'ab'.repeat(32) }],
      }),
      () => ({ waitMs: -1, neighbours: [] }),
      () => ({
        waitMs: 0,
        neighbours: Array(5).fill({ address: '127.0.0.1:1', keySha256: 'ab'.repeat(32) }),
      }),
      () => ({ neighbours: [] }),
    ]
    for (const [i, answer] of wrong.entries()) {
      neighbours.answer = answer
      await serve(releases.keep('www', { 'index.html': `wrong ${i}` }))
      assert.equal(await text(), `wrong ${i}`)
    }
    assert.equal(contentsOf(releases).length, 5)
  })

  test('that is named again and again and never gives, is given up', async (t) => {
    const { releases, serve, giver, neighbours, text } = await takingFarm(t)
    const lie = { bytes: (all) => Buffer.alloc(all.length, 'x') }
    for (const [i, fault] of [{ status: 404 }, lie].entries()) {
      const poor = await giver(() => fault)
      neighbours.answer = () => ({ waitMs: 0, neighbours: [poor.name] })
      await serve(releases.keep('www', { 'index.html': `right ${i}` }))
      assert.equal(await text(), `right ${i}`)
      assert.ok(poor.asked.length < 5, `${poor.asked.length} times`)
    }
    assert.equal(contentsOf(releases).length, 2)
  })

  test('is reached straight, whatever proxy leads to the control plane', async (t) => {
    const proxy = await new FakeProxy().start()
    t.after(() => proxy.stop())
    const { node, releases, serve, giver, name } = await takingFarm(t)
    const honest = await giver()
    name(honest.name)
    node.start({ https_proxy: proxy.url })
    await serve(releases.keep('www', { 'index.html': 'straight' }))
    assert.equal(honest.asked.length, 1)
    assert.ok(proxy.asked.length > 0)
    assert.ok(!proxy.asked.some((line) => line.includes(honest.address)), `${proxy.asked}`)
  })

  test('is not waited for when something newer is assigned', async (t) => {
    const { control, releases, assign, serve, neighbours, text } = await takingFarm(t)
    neighbours.answer = () => ({ waitMs: 20_000, neighbours: [] })
    assign(releases.keep('www', { 'index.html': 'first' }))
    await control.until('it waits', () => neighbours.asked.length > 0)
    neighbours.answer = () => ({ waitMs: 0, neighbours: [] })
    await serve(releases.keep('www', { 'index.html': 'second' }))
    assert.equal(await text(), 'second')
  })

  test('never gets a path with a line feed, which the control plane gives', async (t) => {
    const { releases, serve, giver, name } = await takingFarm(t)
    const honest = await giver()
    name(honest.name)
    await serve(releases.keep('www', { 'a\nb': 'odd' }))
    assert.equal(contentsOf(releases).length, 1)
    assert.deepEqual(honest.asked, [])
  })
})
