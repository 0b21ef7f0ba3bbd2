// SPDX-License-Identifier: MIT
// Versions that a node is to hold before they are assigned: their files are there for pages of other nodes, and the
// assignment needs no transfer.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { read, releasedFarm } from '../support/released-farm.mjs'
import { onSmallDisk, whyNoSmallDisk } from '../support/small-disk.mjs'

const withFallback = (releases = {}) => ({
  releases,
  sites: [{ hosts: ['*'], release: 'www', releaseFallback: ['/assets/**'] }],
})

async function holdingFarm(t, settings, overrides = {}) {
  const farm = await releasedFarm(t)
  const { control, node, releases } = farm
  const config = { ...withFallback(settings), ...overrides }
  const serve = (www, other = config) => farm.serve(www, 'r', other)
  const first = releases.keep('www', { 'index.html': 'one', 'assets/1.js': 'one' })
  await serve(first)
  releases.asked = []
  const untilSaid = (www, state) =>
    control.until(`${www.number} is ${state}`, () => {
      const said = control.heldAhead()[www.manifestSha256]
      return said === state || said?.code === state
    })
  const hasTree = (www) => existsSync(join(node.state, 'releases/trees', www.manifestSha256))
  const text = async (path) => (await read(node, path)).text
  return { ...farm, serve, first, untilSaid, hasTree, text }
}

describe('versions ahead', { concurrency: 3 }, () => {
  test('are got, serve their files, are assigned without a request, and go', async (t) => {
    const farm = await holdingFarm(t, { keep: 0 })
    const { control, releases, serve, first, untilSaid, hasTree, text } = farm
    const next = releases.keep('www', { 'index.html': 'two', 'assets/2.js': 'two' })
    assert.ok(control.of('hello')[0].body.capabilities.includes('releasesAhead'))
    assert.deepEqual(control.wishes()[0].body.ahead, [])
    assert.equal((await read(farm.node, '/assets/2.js')).status, 404)
    control.hold(next)
    await untilSaid(next, 'held')
    assert.equal(await text('/assets/2.js'), 'two')
    assert.deepEqual([await text('/'), await text('/assets/1.js')], ['one', 'one'])
    await control.until('both are reported', () => {
      const kept = control.of('report').at(-1)?.body.keptReleases
      return kept?.length === 1 && kept[0].number === 2 && kept[0].requests === 1
    })
    releases.asked = []
    await serve(next)
    assert.deepEqual(releases.asked, [])
    assert.equal(await text('/'), 'two')
    await control.until('the first has gone', () => !hasTree(first))

    // What the list drops goes, unless it is served.
    const third = releases.keep('www', { 'assets/3.js': 'three' })
    control.hold(next, third)
    await untilSaid(third, 'held')
    control.hold()
    await control.until('the third has gone', () => !hasTree(third))
    assert.equal((await read(farm.node, '/assets/3.js')).status, 404)
    assert.ok(hasTree(next))
    await control.until('none is said', () => Object.keys(control.heldAhead()).length === 0)
    // What was told before is held at once, and asked for anew where it went.
    control.hold(next)
    await untilSaid(next, 'held')
  })

  test('and kept ones leave no page without its files, whatever is switched when', async (t) => {
    const farm = await holdingFarm(t, { keep: 5 }, { workers: 2 })
    const { control, node, releases, serve, first, untilSaid } = farm
    const versions = [first]
    const wrong = []
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    let isOver = false
    let count = 0
    const ask = (number) =>
      new Promise((resolve) => {
        const path = `/assets/${number}.js`
        get({ port: node.port, host: '127.0.0.1', path, agent }, (answer) => {
          let text = ''
          answer.setEncoding('latin1').on('data', (part) => (text += part))
          answer.on('end', () => resolve(`${answer.statusCode} ${text}`))
        }).on('error', (error) => resolve(error.message))
      })
    const client = async () => {
      while (!isOver) {
        const { number } = versions[Math.floor(Math.random() * versions.length)]
        const said = await ask(number)
        if (said !== `200 ${number === 1 ? 'one' : number}`) wrong.push(`${number}: ${said}`)
        count++
      }
    }
    const clients = [client(), client(), client(), client()]
    for (let number = 2; number <= 6; number++) {
      const next = releases.keep('www', {
        'index.html': `${number}`,
        [`assets/${number}.js`]: `${number}`,
      })
      control.hold(next)
      await untilSaid(next, 'held')
      versions.push(next)
      await serve(next)
    }
    await serve(versions[3])
    isOver = true
    await Promise.all(clients)
    agent.destroy()
    assert.deepEqual(wrong.slice(0, 5), [])
    assert.ok(count > 200, `${count} requests`)
  })

  test('that find no room, or are wrong, are refused with the reason, and tried again', async (t) => {
    const farm = await holdingFarm(t, { storeMaxBytes: 1 << 20, keep: 1 })
    const { control, node, releases, serve, first, untilSaid, hasTree, text } = farm
    const large = releases.keep('www', { 'assets/large.bin': randomBytes(2 << 20) })
    const wrong = releases.keep('www', { 'assets/wrong.js': 'right' })
    const right = releases.keep('www', { 'assets/right.js': 'right, too' })
    for (const [digest, bytes] of releases.contents) {
      if (`${bytes}` === 'right') releases.contents.set(digest, Buffer.from('wrong'))
    }
    control.hold(large, wrong, right)
    await untilSaid(right, 'held')
    await untilSaid(large, 'resource_limit')
    await untilSaid(wrong, 'release_content')
    assert.match(control.heldAhead()[large.manifestSha256].message, /storeMaxBytes/)
    assert.match(control.heldAhead()[wrong.manifestSha256].message, /assets\/wrong\.js/)
    assert.ok(!hasTree(large) && !hasTree(wrong))
    assert.equal(await text('/assets/right.js'), 'right, too')
    assert.deepEqual(control.of('nack'), [])
    // There is more room with the next config.
    const roomy = withFallback({ storeMaxBytes: 8 << 20 })
    await serve(first, roomy)
    await untilSaid(large, 'held')
    assert.equal((await read(node, '/assets/large.bin')).status, 200)
  })

  test('wait for an assignment, and go on after it', async (t) => {
    const farm = await holdingFarm(t, { maxBytesPerSecond: 4 << 20 })
    const { control, releases, serve, untilSaid, text } = farm
    const files = { 'assets/a.js': 'a', 'assets/large.bin': randomBytes(20 << 20) }
    for (let i = 0; i < 20; i++) files[`assets/${i}.bin`] = randomBytes(1000)
    const ahead = releases.keep('www', files)
    control.hold(ahead)
    await control.until(
      'it comes',
      () => (control.of('report').at(-1)?.body.fetching?.bytesDone ?? 0) > 2 << 20,
    )
    assert.deepEqual(Object.values(control.heldAhead()), ['fetching'])
    const urgent = releases.keep('www', { 'index.html': 'urgent' })
    await serve(urgent)
    assert.equal(await text('/'), 'urgent')
    assert.deepEqual(Object.values(control.heldAhead()), ['fetching'])
    await untilSaid(ahead, 'held')
    assert.equal((await read(farm.node, '/assets/large.bin')).status, 200)
    // What had come was not asked for again.
    const [small, large, urgents, rest, ...others] = releases.asked.filter(
      ({ what }) => what === 'contents',
    )
    assert.deepEqual([small.digests.length, large.from, urgents.digests.length], [21, 0, 1])
    assert.ok(rest.from > 1 << 19, `from ${rest.from}`)
    assert.deepEqual(others, [])
  })

  test('give their room to an assignment that finds none', async (t) => {
    const storeMaxBytes = 1 << 20
    const farm = await holdingFarm(t, { storeMaxBytes, keep: 0 })
    const { control, releases, serve, untilSaid, text } = farm
    const files = {}
    for (let i = 0; i < 10; i++) files[`assets/${i}.bin`] = randomBytes(75_000)
    const ahead = releases.keep('www', files)
    // Six of them come, and no more for now.
    let asked = 0
    releases.fault = ({ what, digests }) => {
      if (what !== 'contents' || digests.length < 4) return undefined
      return asked++ === 0 ? { cutAfterBytes: 460_000 } : { status: 503 }
    }
    control.hold(ahead)
    await control.until('the rest is asked for', () => asked > 1)
    const large = releases.keep('www', {
      'index.html': 'two',
      'assets/b.bin': randomBytes(800_000),
    })
    await serve(large, withFallback({ storeMaxBytes, keep: 0 }))
    assert.equal(await text('/'), 'two')
    releases.fault = () => undefined
    await untilSaid(ahead, 'resource_limit')
    assert.deepEqual(control.of('nack'), [])
  })

  test('that the disk has no room for are refused', { skip: whyNoSmallDisk }, async (t) => {
    const farm = await holdingFarm(t)
    const { control, node, releases, serve, untilSaid, hasTree, text } = farm
    await node.stop()
    // 64 MiB of any disk are left free.
    node.start({}, { wrap: onSmallDisk(join(node.state, 'releases'), 72) })
    await control.until('it says hello', () => control.of('hello').length === 2)
    await serve(releases.keep('www', { 'index.html': 'small' }))
    const large = releases.keep('www', { 'assets/large.bin': randomBytes(9 << 20) })
    const fits = releases.keep('www', { 'assets/fits.js': 'fits' })
    control.hold(large, fits)
    await untilSaid(fits, 'held')
    await untilSaid(large, 'resource_limit')
    assert.match(control.heldAhead()[large.manifestSha256].message, /64 MiB stay free/)
    assert.ok(!hasTree(large))
    assert.deepEqual([await text('/'), await text('/assets/fits.js')], ['small', 'fits'])
  })

  test('that were coming when the process was killed are whole afterwards', async (t) => {
    const farm = await holdingFarm(t, { maxBytesPerSecond: 1 << 20 })
    const { control, node, releases, untilSaid, hasTree, text } = farm
    const files = { 'assets/large.bin': randomBytes(2 << 20) }
    for (let i = 0; i < 300; i++) files[`assets/f${i}.js`] = `file ${i}`.padEnd(2000, '.')
    const ahead = releases.keep('www', files)
    control.hold(ahead)
    for (let round = 0; round < 3; round++) {
      await control.until('it comes', () => releases.asked.length > round)
      await sleep(200 + 300 * round)
      assert.ok(!hasTree(ahead))
      await node.stop('SIGKILL')
      node.start()
      await control.until('it says hello', () => control.of('hello').length === round + 2)
    }
    await untilSaid(ahead, 'held')
    assert.equal(await text('/assets/f299.js'), files['assets/f299.js'])
    const large = await fetch(`http://127.0.0.1:${node.port}/assets/large.bin`)
    assert.ok(Buffer.from(await large.arrayBuffer()).equals(files['assets/large.bin']))
    const left = readdirSync(join(node.state, 'releases/trees'))
    assert.deepEqual(
      left.filter((name) => /\.(new|old)$/.test(name)),
      [],
    )
  })
})
