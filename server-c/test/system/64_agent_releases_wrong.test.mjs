// SPDX-License-Identifier: MIT
// What a disk changes in a release: it is found, not served from then on, and got anew.
import assert from 'node:assert/strict'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { sha256 } from '../support/fake-releases.mjs'
import { until } from '../support/node.mjs'
import { servingFarm } from '../support/serving-farm.mjs'
import { onSmallDisk, whyNoSmallDisk } from '../support/small-disk.mjs'

const PAGE = 'the right page'
const WRONG = 'the wr0ng page'

/** A site of a release whose files the loops trust for an hour, and which is compared all the time. */
async function comparedFarm(t, { wrap } = {}) {
  const { control, node, serving } = await servingFarm(t)
  if (wrap) {
    await serving('before')
    await node.stop()
    node.start({}, { wrap: wrap(node) })
    await node.untilVersion('before')
  }
  const { releases } = control
  const www = releases.keep('www', {
    'index.html': PAGE,
    'copy/of.html': PAGE,
    'other.html': 'other',
    'large.bin': Buffer.alloc(3 << 20, 'large'),
  })
  const config = node.config('r', {
    releases: { scrubEverySeconds: 1, scrubBytesPerSecond: 1 << 30 },
    statCache: { ttlMillis: 3_600_000 },
  })
  const { root: _, ...site } = config.sites[0]
  config.sites[0] = { ...site, release: 'www' }
  const { generation } = control.assign(config, {}, undefined, [www])
  if (!node.pid) node.start()
  await node.untilConfirmed(generation)

  const state = () => (wrap ? join(`/proc/${node.servingPid}/root`, node.state) : node.state)
  const contentOf = (text) =>
    join(state(), 'releases/contents', sha256(text).slice(0, 2), sha256(text))
  const read = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${node.port}${path}`)
    const retryAfter = answer.headers.get('retry-after')
    return { status: answer.status, text: await answer.text(), retryAfter }
  }
  /** Nobody writes there but a broken disk: the bytes are others, the file is the same. */
  const damage = (text = PAGE, other = WRONG) => {
    chmodSync(contentOf(text), 0o644)
    writeFileSync(contentOf(text), other)
    chmodSync(contentOf(text), 0o444)
  }
  /** Asks till the answer has this status; no question is left open when it has. */
  const untilStatus = async (path, status) => {
    const seen = []
    await until(async () => {
      seen.push(await read(path))
      return seen.at(-1).status === status
    }, `${status} of ${path}`)
    return seen
  }
  const gauges = () => control.of('report').at(-1)?.body.gauges ?? {}
  const untilGauges = (badContents, mendedContents) =>
    control.until(
      `${badContents} wrong, ${mendedContents} mended`,
      () => gauges().badContents === badContents && gauges().mendedContents === mendedContents,
    )
  return { control, node, releases, contentOf, read, damage, untilStatus, gauges, untilGauges }
}

const lacksContents = ({ what }) => (what === 'contents' ? { status: 404 } : undefined)

describe('a release with wrong bytes on the disk', { concurrency: 3 }, () => {
  test('is not served once it is known, under no name, and is mended', async (t) => {
    const farm = await comparedFarm(t)
    const { control, node, releases, read, untilStatus, untilGauges } = farm
    await read('/')
    releases.fault = lacksContents
    farm.damage()
    const [{ retryAfter }] = (await untilStatus('/', 503)).slice(-1)
    assert.ok(Number(retryAfter) > 0, `Retry-After: ${retryAfter}`)
    for (const path of ['/', '/index.html', '/copy/of.html']) {
      assert.equal((await read(path)).status, 503, path)
    }
    assert.equal((await read('/other.html')).text, 'other')
    await untilGauges(1, 0)
    await control.until('it says why', () => /cannot be got anew.*has it not/.test(node.log))

    // The next process knows it from its first answer on.
    await node.stop('SIGKILL')
    node.start()
    await node.untilVersion('r')
    assert.equal((await read('/copy/of.html')).status, 503)

    releases.fault = () => undefined
    const seen = await untilStatus('/', 200)
    for (const { status, text } of seen) assert.ok(status === 503 || text === PAGE, text)
    assert.equal((await read('/copy/of.html')).text, PAGE)
    await untilGauges(0, 1)
    assert.equal(readFileSync(farm.contentOf(PAGE), 'utf8'), PAGE)
    assert.equal(statSync(farm.contentOf(PAGE)).nlink, 3)
    assert.match(node.log, new RegExp(`${sha256(PAGE)}.*has other bytes on the disk than it had`))
    assert.match(node.log, new RegExp(`${sha256(PAGE)}.*has come anew`))
    await control.until(
      'it says what it has compared',
      () => farm.gauges().scrubbedContents > 0 && farm.gauges().scrubbedBytes > 0,
    )
  })

  test('waits for a control plane that is away', async (t) => {
    const { control, read, damage, untilStatus, untilGauges } = await comparedFarm(t)
    await read('/')
    await control.stop()
    damage()
    await untilStatus('/', 503)
    assert.equal((await read('/other.html')).status, 200)
    await control.start()
    const seen = await untilStatus('/', 200)
    assert.ok(seen.every(({ status, text }) => status !== 200 || text === PAGE))
    await untilGauges(0, 1)
  })

  test('is brought by the next release, too', async (t) => {
    const { control, node, releases, read, damage, untilStatus } = await comparedFarm(t)
    let lacks = true
    releases.fault = (asked) =>
      lacks && asked.digests.length === 1 ? lacksContents(asked) : undefined
    damage()
    await untilStatus('/', 503)
    lacks = false
    const next = releases.keep('www', { 'index.html': PAGE, new: 'new', newer: 'newer' })
    const last = control.said.findLast(({ message }) => message === 'confirm')
    assert.ok(last)
    const config = node.config('next')
    const { root: _, ...site } = config.sites[0]
    config.sites[0] = { ...site, release: 'www' }
    const { generation } = control.assign(config, {}, undefined, [next])
    await node.untilConfirmed(generation)
    assert.equal((await read('/')).text, PAGE)
  })

  test('stays unserved while the disk is full', { skip: whyNoSmallDisk }, async (t) => {
    // 64 MiB of any disk are left free.
    const wrap = (node) => onSmallDisk(join(node.state, 'releases'), 75)
    const farm = await comparedFarm(t, { wrap })
    const { control, node, read, untilStatus, untilGauges } = farm
    const large = Buffer.alloc(3 << 20, 'large')
    const filling = join(farm.contentOf(large), '../../../filling')
    writeFileSync(filling, Buffer.alloc(6 << 20))
    farm.damage(large, Buffer.alloc(3 << 20, 'other'))
    await untilStatus('/large.bin', 503)
    await control.until('it says why', () =>
      /cannot be got anew.*3\.0 MiB more do not fit: the state folder's disk/.test(node.log),
    )
    assert.equal((await read('/')).text, PAGE)
    rmSync(filling)
    await untilStatus('/large.bin', 200)
    assert.equal((await read('/large.bin')).text, `${large}`)
    await untilGauges(0, 1)
  })
})
