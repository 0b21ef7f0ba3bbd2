// SPDX-License-Identifier: MIT
// The control plane is away or slow: the node serves on and loses no measurement.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinNodeFor } from '../support/joined-node.mjs'

/** A node that serves "v1", confirmed. */
async function farm(t) {
  const { control, node } = await joinNodeFor(t)
  control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await node.untilConfirmed(1)
  const requestsTaken = () =>
    control.windows.reduce(
      (sum, { window }) =>
        sum + window.series.reduce((all, { counters }) => all + (counters.requests ?? 0), 0),
      0,
    )
  return { control, node, requestsTaken }
}

describe('a control plane that is away or slow', { concurrency: 5 }, () => {
  test('every request is reported, in windows with stages, under the generation that served it', async (t) => {
    const { control, node, requestsTaken } = await farm(t)
    for (let i = 0; i < 5; i++) assert.equal(await node.version(), 'v1')
    await control.until('the requests', () => requestsTaken() >= 6)
    const series = control.windows.flatMap(({ window }) => window.series)
    assert.ok(series.every(({ generation }) => generation === 1))
    const total = series.reduce((sum, { stages }) => sum + (stages.total?.count ?? 0), 0)
    const counted = series.reduce((sum, { counters }) => sum + (counters.requests ?? 0), 0)
    assert.equal(total, counted)
    for (const { stages } of series) {
      for (const histogram of Object.values(stages)) {
        const inBuckets = histogram.counts.reduce((sum, count) => sum + count, 0)
        assert.equal(histogram.count, histogram.zeroCount + inBuckets)
        assert.notEqual(histogram.counts[0], 0)
        assert.notEqual(histogram.counts.at(-1), 0)
        assert.ok(histogram.count > 0)
      }
    }
    // A stage that was passed took time; but a look-up that the loop makes by itself waits for nobody, and in a window
    // there may be only such.
    for (const { stages } of series)
      for (const [name, { maxSeconds, sumSeconds }] of Object.entries(stages)) {
        assert.ok(maxSeconds <= sumSeconds, `${name}: ${maxSeconds}, ${sumSeconds}`)
        if (name !== 'statWait') assert.ok(maxSeconds > 0, `${name}: ${maxSeconds}`)
      }
    assert.ok(series.some(({ stages }) => stages.statWait?.sumSeconds > 0))
    const { gauges } = control.of('report').at(-1).body
    assert.equal(typeof gauges.openConnections, 'number')
  })

  test('a report tells how the machine and the process are', async (t) => {
    const { control, node } = await farm(t)
    const seen = ({ body }) => body.host?.roots[0]?.totalBytes > 0
    const { host } = (await control.until('facts', () => control.of('report').find(seen))).body
    assert.ok(host.cpuCount >= 1 && host.cpuBusySeconds > 0)
    assert.ok(host.memoryTotalBytes > host.memoryAvailableBytes)
    assert.ok(host.residentBytes > 1_000_000 && host.openDescriptors > 5)
    assert.deepEqual(
      host.roots.map(({ path }) => path),
      [node.root],
    )
    const { freeBytes, totalBytes } = host.roots[0]
    assert.ok(freeBytes > 0 && freeBytes < totalBytes)
  })

  test('windows of an outage are sent afterwards, in order, each taken once', async (t) => {
    const { control, node, requestsTaken } = await farm(t)
    await control.until('windows', () => control.windows.length >= 3)
    const already = requestsTaken()
    await control.stop()
    const before = control.windows.length
    let asked = 0
    for (let i = 0; i < 5; i++) {
      assert.equal(await node.version(), 'v1')
      asked++
      await sleep(250)
    }
    await control.start()
    await control.until('the windows of the outage', () => requestsTaken() >= already + asked)
    await control.until('more windows', () => control.windows.length > before + 6)
    const seqs = control.windows.map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => i + 1),
      'from 1, in order, without a gap and each once',
    )
    const bootIds = new Set(control.windows.map(({ bootId }) => bootId))
    assert.equal(bootIds.size, 1)
    assert.ok(control.of('hello').length >= 2, 'says hello after an outage')
    assert.equal(control.of('report').at(-1).body.lostWindows, 0)
    let end = 0
    for (const { window } of control.windows) {
      assert.equal(window.startedMs, end, 'a window begins where the last ended')
      end = window.startedMs + window.durationMs
    }
  })

  test('a report whose answer was lost is sent again and counted once', async (t) => {
    const { control } = await farm(t)
    await control.until('windows', () => control.windows.length >= 1)
    let lost = 0
    control.faults.report = (body) => (body.windows.length > 0 && lost++ < 2 ? 'drop' : undefined)
    const before = control.windows.length
    await control.until('more windows', () => control.windows.length > before + 3)
    const seqs = control.windows.map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => i + 1),
    )
    assert.ok(lost >= 2)
  })

  test('a control plane that cannot keep up gets longer windows, none of them lost, until it can', async (t) => {
    const { control, node, requestsTaken } = await farm(t)
    const lasts = ({ window }) => window.durationMs
    control.reportSlowerMs = 1_500
    await control.until('a long window', () => control.windows.some((one) => lasts(one) >= 1_500))
    const already = requestsTaken()
    for (let i = 0; i < 5; i++) assert.equal(await node.version(), 'v1')
    await control.until('the requests', () => requestsTaken() >= already + 5)
    control.reportSlowerMs = null
    const before = control.windows.length
    const isShort = (one) => lasts(one) < 1_000
    await control.until('short windows', () => control.windows.slice(before).some(isShort))
    const seqs = control.windows.map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => i + 1),
    )
    let end = 0
    for (const { window } of control.windows) {
      assert.equal(window.startedMs, end, 'a window begins where the last ended')
      end = window.startedMs + window.durationMs
    }
    assert.equal(control.of('report').at(-1).body.lostWindows, 0)
  })

  test('an idle agent uses next to no processor time', async (t) => {
    const { node } = await farm(t)
    const ticks = () => {
      const fields = readFileSync(`/proc/${node.servingPid}/stat`, 'utf8').split(') ')[1].split(' ')
      return Number(fields[11]) + Number(fields[12])
    }
    const before = ticks()
    await sleep(3000)
    // 100 ticks are a second; 15 reports were sent in these 3 s, 25 times as many as by default.
    assert.ok(ticks() - before <= 15, `${ticks() - before} ticks in 3 s`)
  })
})
