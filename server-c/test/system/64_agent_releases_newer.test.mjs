// SPDX-License-Identifier: MIT
// A release may take hours to come: the node answers whatever else it is asked meanwhile, and takes what is newer.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { servingFarm } from '../support/serving-farm.mjs'

/** Longer than any test waits for something. */
const LONG_MS = 120_000
const LARGE = Buffer.alloc(24 << 20, 'large')

async function fetchingFarm(t, maxBytesPerSecond, often = {}) {
  const { control, node, serving } = await servingFarm(t)
  Object.assign(control, often)
  await serving('before')
  const www = control.releases.keep('www', { 'large.bin': LARGE })
  const assign = (version) => {
    const config = node.config(version, { releases: { maxBytesPerSecond } })
    const { root: _, ...site } = config.sites[0]
    config.sites[0] = { ...site, release: 'www' }
    return control.assign(config, {}, undefined, [www]).generation
  }
  const untilFetched = (bytes) =>
    control.until(
      `${bytes} bytes`,
      () => (control.of('report').at(-1)?.body.fetching?.bytesDone ?? 0) >= bytes,
    )
  return { control, node, assign, untilFetched }
}

describe('while a release comes', { concurrency: 2 }, () => {
  test('the node answers, and a newer assignment takes its place', async (t) => {
    const { control, node, assign, untilFetched } = await fetchingFarm(t, 65_536)
    const slow = assign('slow')
    await untilFetched(1)
    const requestId = control.askForLog(5)
    await control.until('its log', () =>
      control.of('logs').some(({ body }) => body.requestId === requestId),
    )
    const { generation } = control.assign(node.config('newer'))
    await node.untilConfirmed(generation)
    assert.equal(await node.version(), 'newer')
    assert.deepEqual([...control.of('ack', slow), ...control.of('nack', slow)], [])
    assert.match(node.log, new RegExp(`generation ${slow} is not fetched any further`))
  })

  test('who is assigned it anew goes on where it was', async (t) => {
    const { control, node, assign, untilFetched } = await fetchingFarm(t, 8 << 20)
    assign('first')
    await untilFetched(2 << 20)
    const generation = assign('second')
    await node.untilConfirmed(generation)
    const parts = control.releases.asked.filter(({ what }) => what === 'contents')
    assert.equal(parts.length, 2)
    assert.ok(parts[1].from >= 1 << 20, `from ${parts[1].from}`)
  })

  test('that it is here is told at once, however seldom the node reports', async (t) => {
    const seldom = { reportEveryMs: LONG_MS, desiredWaitMs: LONG_MS, holdsReports: true }
    const { control, node, assign } = await fetchingFarm(t, 0, seldom)
    await node.untilConfirmed(assign('new'))
    assert.equal(await node.version(), 'new')
    assign('aside')
    await control.until('aside', () => control.of('confirm').length === 3)
    // Its tree stands.
    await node.untilConfirmed(assign('back'))
    assert.equal(control.connections, 1)
  })

  test('the longer it takes, the longer are the polls', async (t) => {
    const seldom = { reportEveryMs: LONG_MS, desiredWaitMs: LONG_MS, holdsReports: true }
    const { control, node, assign } = await fetchingFarm(t, 8 << 20, seldom)
    const polls = () => control.of('desired').map(({ body }) => body.waitMs)
    const before = polls().length
    await node.untilConfirmed(assign('slow'))
    const waits = polls().slice(before)
    const short = waits.filter((ms) => ms < 200)
    assert.ok(
      waits.some((ms) => ms > 400 && ms < LONG_MS),
      `${waits}`,
    )
    assert.ok(short.length < 8, `${waits}`)
  })
})
