// SPDX-License-Identifier: MIT
// Two nodes of a farm: the one gets a release from the other, compares it, and has the control plane's when that fails.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keySha256 } from '../support/fake-neighbours.mjs'
import { gauge, neighbourFarm, saidGiving } from '../support/neighbour-farm.mjs'
import { read } from '../support/released-farm.mjs'

const contentsOf = (releases) => releases.asked.filter(({ what }) => what === 'contents')
const identityOf = (node) => JSON.parse(readFileSync(join(node.state, 'identity.json'), 'utf8'))

/** Kept alike at both control planes; the giver serves it, and says so. */
async function givenFarm(t, files, overrides = {}) {
  const farm = await neighbourFarm(t)
  const { giver, taker, neighbours, address } = farm
  const [www, same] = [giver, taker].map(({ releases }) => releases.keep('www', files))
  assert.deepEqual(www, same)
  await giver.serve(www, 'r', overrides)
  await giver.control.until('it says what it gives', () => saidGiving(giver.control)?.holds.length)
  const named = { address, keySha256: keySha256(identityOf(giver.node).certificate) }
  neighbours.answer = () => ({ waitMs: 0, neighbours: [named] })
  return { ...farm, www, named }
}

describe('a release from a neighbour', { concurrency: 3 }, () => {
  test('comes from it alone, and is served', async (t) => {
    const large = randomBytes(3 << 20).toString('hex')
    const files = {
      'index.html': 'one',
      'large.bin': large,
      'a b/ü.txt': 'name',
      link: { link: 'a b' },
    }
    for (let i = 0; i < 700; i++) files[`f/${i}.html`] = `file ${i}`
    const { giver, taker, neighbours, www, address } = await givenFarm(t, files)
    assert.ok(giver.control.of('hello')[0].body.capabilities.includes('neighbours'))
    assert.deepEqual(saidGiving(giver.control), { address, holds: [www.manifestSha256] })
    await taker.serve(www)
    assert.equal((await read(taker.node, '/')).text, 'one')
    assert.equal((await read(taker.node, '/large.bin')).text, large)
    assert.equal((await read(taker.node, '/link/%C3%BC.txt')).text, 'name')
    assert.deepEqual(contentsOf(taker.releases), [])
    const key = keySha256(identityOf(taker.node).certificate)
    const states = neighbours.asked.filter((asked) => asked.key === key).map(({ state }) => state)
    // On a busy machine it may take too long once, and is named again.
    assert.deepEqual([...new Set(states)], ['wanted', 'held'])
    await taker.control.until(
      'it counts',
      () => gauge(taker.control, 'neighbourTakenBytes') > large.length,
    )
    await giver.control.until(
      'it counts',
      () => gauge(giver.control, 'neighbourGivenBytes') > large.length,
    )
    assert.equal(gauge(giver.control, 'neighbourRefusals'), 0)
  })

  test('goes on where the giver was killed, by the control plane', async (t) => {
    const large = randomBytes(8 << 20).toString('hex')
    const { giver, taker, neighbours, www, named } = await givenFarm(t, { 'index.html': large })
    neighbours.bounds.maxBytesPerSecond = 4 << 20
    await giver.control.rulesTaken()
    let isKilled = false
    neighbours.answer = () => ({ waitMs: 0, neighbours: isKilled ? [] : [named] })
    const generation = taker.assign(www)
    await taker.control.until(
      'some has come',
      () => (taker.control.of('report').at(-1)?.body.fetching?.bytesDone ?? 0) > 2 << 20,
    )
    isKilled = true
    await giver.node.stop('SIGKILL')
    await taker.node.untilConfirmed(generation)
    assert.equal((await read(taker.node, '/')).text, large)
    const [asked, ...others] = contentsOf(taker.releases)
    // What is said to be done counts the manifest's bytes, too.
    assert.ok(asked.from > 1 << 20, `from ${asked.from}`)
    assert.deepEqual(others, [])
    const { failed } = neighbours.asked.findLast(({ state }) => state === 'wanted')
    assert.deepEqual(failed, [{ keySha256: named.keySha256, why: 'unreached' }])
  })

  test('goes on where it was, with the giver that is back', async (t) => {
    const large = randomBytes(8 << 20).toString('hex')
    const { giver, taker, neighbours, www, named } = await givenFarm(t, { 'index.html': large })
    neighbours.bounds.maxBytesPerSecond = 4 << 20
    await giver.control.rulesTaken()
    let hellos = 0
    neighbours.answer = () => {
      const isBack = giver.control.of('hello').length > hellos
      return isBack ? { waitMs: 0, neighbours: [named] } : { waitMs: 200, neighbours: [] }
    }
    const generation = taker.assign(www)
    await taker.control.until(
      'some has come',
      () => (taker.control.of('report').at(-1)?.body.fetching?.bytesDone ?? 0) > 2 << 20,
    )
    hellos = giver.control.of('hello').length
    await giver.node.stop('SIGKILL')
    giver.node.start()
    await taker.node.untilConfirmed(generation)
    assert.equal((await read(taker.node, '/')).text, large)
    assert.deepEqual(contentsOf(taker.releases), [])
    const given = () => gauge(giver.control, 'neighbourGivenBytes')
    await giver.control.until('it counts', () => given() > 0)
    assert.ok(given() < large.length, `${given()} bytes, of ${large.length}`)
  })

  test('is waited for as the control plane says, and given after a restart of the giver', async (t) => {
    const { giver, taker, neighbours, www, named } = await givenFarm(t, { 'index.html': 'waited' })
    await giver.node.stop()
    let questions = 0
    neighbours.answer = () => {
      questions++
      if (questions === 3) giver.node.start()
      const isBack = questions > 3 && saidGiving(giver.control) !== undefined
      return isBack && giver.node.log.split('other nodes may get releases').length > 2
        ? { waitMs: 0, neighbours: [named] }
        : { waitMs: 100, neighbours: [] }
    }
    await taker.serve(www)
    assert.equal((await read(taker.node, '/')).text, 'waited')
    assert.ok(questions > 3, `${questions} questions`)
    assert.deepEqual(contentsOf(taker.releases), [])
  })

  test('without what is marked there: the rest comes from the control plane', async (t) => {
    const { giver, taker, neighbours, www, named } = await givenFarm(t, { 'index.html': 'marked' })
    // Else the giver would mend it before it is asked for.
    giver.releases.fault = ({ what }) => (what === 'contents' ? { status: 500 } : {})
    const file = join(giver.node.state, 'releases/trees', www.manifestSha256, 'index.html')
    chmodSync(file, statSync(file).mode | 0o1000)
    const isMissing = ({ why }) => why === 'missing'
    // Named until it has said so: on a busy machine it may take too long once.
    neighbours.answer = ({ failed }) => ({
      waitMs: 0,
      neighbours: failed?.some(isMissing) ? [] : [named],
    })
    await taker.serve(www)
    assert.equal((await read(taker.node, '/')).text, 'marked')
    assert.equal(contentsOf(taker.releases).length, 1)
    assert.deepEqual(neighbours.asked.findLast(({ state }) => state === 'wanted').failed, [
      { keySha256: named.keySha256, why: 'missing' },
    ])
  })

  test('that is held ahead comes the same way', async (t) => {
    const { taker, neighbours, www, named } = await givenFarm(t, { 'index.html': 'ahead' })
    neighbours.answer = ({ manifestSha256 }) => ({
      waitMs: 0,
      neighbours: manifestSha256 === www.manifestSha256 ? [named] : [],
    })
    const first = taker.releases.keep('www', { 'index.html': 'first' })
    await taker.serve(first)
    taker.releases.asked = []
    taker.control.hold(www)
    await taker.control.until(
      'held',
      () => taker.control.heldAhead()[www.manifestSha256] === 'held',
    )
    assert.deepEqual(contentsOf(taker.releases), [])
  })

  test('ends when the farm turns it off, and comes again', async (t) => {
    const { giver, taker, neighbours, www, named } = await givenFarm(t, { 'index.html': 'off' })
    const { bounds } = neighbours
    neighbours.bounds = null
    giver.control.tellRules()
    await giver.control.until('it gives no more', () => saidGiving(giver.control).address === null)
    neighbours.bounds = bounds // the taker does not know yet
    neighbours.answer = ({ failed }) => ({ waitMs: 0, neighbours: failed ? [] : [named] })
    await taker.serve(www)
    assert.equal(contentsOf(taker.releases).length, 1)
    giver.control.tellRules()
    await giver.control.until('it gives again', () => saidGiving(giver.control).address !== null)
  })

  test('is not asked for by who was told of no neighbours', async (t) => {
    const { taker, neighbours, www } = await givenFarm(t, { 'index.html': 'alone' })
    const questions = neighbours.asked.length
    neighbours.bounds = null
    await taker.serve(www)
    assert.equal(neighbours.asked.length, questions)
    assert.equal(contentsOf(taker.releases).length, 1)
  })

  test('comes with the certificate that has been renewed on both sides', async (t) => {
    const farm = await neighbourFarm(t)
    const { giver, taker, neighbours, address } = farm
    giver.control.identities.renewAfterMs = 300
    const [www] = [giver, taker].map(({ releases }) =>
      releases.keep('www', { 'index.html': 'new' }),
    )
    await giver.serve(www)
    const before = keySha256(identityOf(giver.node).certificate)
    const key = () => keySha256(identityOf(giver.node).certificate)
    await giver.control.until('a new key', () => key() !== before)
    giver.control.identities.renewAfterMs = 86_400_000
    await giver.control.until('it is used', () => giver.control.of('renew').length > 0)
    neighbours.answer = ({ failed }) => ({
      waitMs: failed ? 100 : 0,
      neighbours: failed ? [] : [{ address, keySha256: key() }],
    })
    await taker.serve(www)
    assert.equal((await read(taker.node, '/')).text, 'new')
    assert.deepEqual(contentsOf(taker.releases), [])
    assert.ok(readdirSync(join(taker.node.state, 'releases/trees')).length > 0)
  })
})
