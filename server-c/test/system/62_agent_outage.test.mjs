// SPDX-License-Identifier: MIT
// The control plane is away, refuses, or talks nonsense: the node serves on and loses no measurement.
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

describe('a control plane that is away, refuses or talks nonsense', { concurrency: 5 }, () => {
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

  test('a revoked identity changes nothing on the node', async (t) => {
    const { control, node } = await farm(t)
    control.revokeAll()
    await control.until('401', () => control.said.some((one) => one.status === 401))
    const heard = control.said.length
    for (let i = 0; i < 10; i++) {
      assert.equal(await node.version(), 'v1')
      await sleep(100)
    }
    assert.ok(control.said.length - heard <= 4, `asked ${control.said.length - heard} times more`)
    assert.match(node.log, /identity was revoked.*serving on.*--rejoin/)
    assert.equal(await node.stop(), 0)
  })

  test('a clone is told so once, serves on and takes back what is not confirmed', async (t) => {
    const { control, node } = await farm(t)
    control.confirming = 'no'
    control.confirmWithinMs = 1500
    const { generation } = control.assign(node.config('v2'))
    await node.untilVersion('v2')
    await control.until('confirm', () => control.of('confirm', generation).length > 0)
    const clone = () => ({ status: 409, code: 'clone_detected' })
    for (const message of ['hello', 'desired', 'confirm', 'report']) control.faults[message] = clone
    await control.until('409', () => control.said.some(({ status }) => status === 409))
    // Said is not heard: an assignment that overtakes it is one like any other.
    await control.until('heard', () => /with a copy of this node's state folder/.test(node.log))
    const next = control.assign(node.config('v3'))
    await node.untilVersion('v1')
    const heard = control.of('hello').length
    await sleep(1000)
    assert.ok(control.of('hello').length - heard <= 1, 'asks every 30 s')
    assert.equal(await node.version(), 'v1')
    assert.deepEqual(control.of('ack', next.generation), [])
    assert.equal(node.log.match(/with a copy of this node's state folder/g).length, 1)
  })

  test('an assignment that overtakes the answer to confirm waits for it', async (t) => {
    const { control, node } = await farm(t)
    // Confirmed at the control plane, then the next one is given, then the node hears of both.
    let confirms = 0
    control.faults.confirm = () => (confirms++ === 0 ? { answerLateMs: 700 } : undefined)
    const second = control.assign(node.config('v2'))
    await control.until('confirm', () => control.of('confirm', second.generation).length > 0)
    control.confirmWithinMs = 500
    const third = control.assign(node.config('v3'))
    control.confirming = 'no'
    await control.until('taken back', () =>
      control.of('result', third.generation).some(({ body }) => body.outcome === 'reverted'),
    )
    assert.equal(await node.version(), 'v2')
    assert.match(node.log, /generation 2 is confirmed/)
  })

  test('an upgrade that is needed changes nothing on the node', async (t) => {
    const { control, node } = await farm(t)
    control.faults.desired = () => ({ status: 426, code: 'needs_upgrade' })
    await control.stop()
    await control.start()
    await control.until('426', () => control.said.some((one) => one.status === 426))
    const heard = control.said.length
    await sleep(800)
    assert.equal(await node.version(), 'v1')
    assert.ok(control.said.length - heard <= 2)
    assert.match(node.log, /needs a newer farmstead-node/)
  })

  test('say_hello is answered with a hello, and the rest goes on', async (t) => {
    const { control } = await farm(t)
    const hellos = control.of('hello').length
    let once = true
    control.faults.report = () => {
      if (!once) return undefined
      once = false
      return { status: 409, code: 'say_hello' }
    }
    await control.until('hello', () => control.of('hello').length > hellos)
    const windows = control.windows.length
    await control.until('windows', () => control.windows.length > windows)
  })

  test('nonsense for an answer is backed off from and harms nothing', async (t) => {
    const { control, node } = await farm(t)
    const nonsense = ['', '<html>', '[]', '{"assignment": {"generation": "1"}}', '{"assignment":']
    let asked = 0
    control.faults.desired = () => ({ raw: nonsense[asked++ % nonsense.length] })
    control.faults.report = () => ({ raw: '{"acknowledgedSeq": -1}' })
    await control.stop()
    await control.start()
    await control.until('a refused answer', () => asked >= 3)
    assert.equal(await node.version(), 'v1')
    assert.match(node.log, /answer to desired: /)
    control.faults = {}
    control.assign(node.config('v2'))
    await node.untilVersion('v2')
  })

  test('a control plane that answers nothing at once is not asked in a tight loop', async (t) => {
    const { control } = await farm(t)
    control.faults.desired = () => ({ raw: '{"assignment":null}' })
    await control.stop()
    await control.start()
    await control.until('polls', () => control.wishes().length >= 2)
    const before = control.wishes().length
    await sleep(1500)
    assert.ok(control.wishes().length - before < 12)
  })

  test('a control plane that is another one than was joined is not obeyed', async (t) => {
    const { control, node } = await farm(t)
    await control.stop()
    control.controlPlaneId = 'cp_another'
    control.assign(node.config('evil'))
    await control.start()
    const [hellos, polls] = [control.of('hello').length, control.wishes().length]
    await control.until('hello', () => control.of('hello').length > hellos)
    await sleep(500)
    const obeyed = control
      .wishes()
      .slice(polls)
      .filter((one) => one.status === 200)
    assert.deepEqual(obeyed, [], 'nothing is asked of it in earnest')
    assert.equal(await node.version(), 'v1')
    assert.match(node.log, /another control plane than the one this node joined/)
  })

  test('a slow report holds up no push', async (t) => {
    const { control, node } = await farm(t)
    control.faults.report = () => 'hold'
    await control.until('a report that is held', () => control.of('report').length > 0)
    await sleep(300)
    control.assign(node.config('v2'))
    await node.untilVersion('v2', 3000)
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

  test('no key and no line of one is in the log', async (t) => {
    const { control, node } = await farm(t)
    const { privateKey } = JSON.parse(readFileSync(`${node.state}/identity.json`, 'utf8'))
    const [, line] = privateKey.split('\n')
    assert.ok(line.length > 40)
    await control.stop()
    await control.start()
    control.revokeAll()
    await control.until('401', () => control.said.some((one) => one.status === 401))
    assert.ok(!node.log.includes(line) && !node.log.includes('PRIVATE'))
  })
})
