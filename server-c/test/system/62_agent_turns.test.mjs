// SPDX-License-Identifier: MIT
// One connection is enough: the answer to a report waits for orders, so that there are no polls while reports flow, and
// what is slow holds nobody up for longer than a turn. With an older control plane reports and polls take turns.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinNodeFor } from '../support/joined-node.mjs'

const LONG_MS = 30_000
/** AGENT_TURN_MS of src/agent/agent_turns.h */
const TURN_MS = 1000

/** A node that serves "v1", confirmed; what is said from then on is told by since(). */
async function farm(t, { reportEveryMs, holdsReports = true }) {
  const { control, node } = await joinNodeFor(t)
  Object.assign(control, { reportEveryMs, desiredWaitMs: LONG_MS, holdsReports })
  control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await node.untilConfirmed(1)
  await control.until('a report', () => control.windows.length > 0)
  const said = control.said.length
  control.mostAtOnce = 0
  const since = (message) =>
    control.said.slice(said).filter((one) => !message || one.message === message)
  return { control, node, since }
}

const portsOf = (said) => new Set(said.map(({ port }) => port)).size

describe('one connection', { concurrency: 6 }, () => {
  test('reports, polls and a whole assignment share one connection, one at a time', async (t) => {
    const { control, node, since } = await farm(t, { reportEveryMs: 200 })
    await control.until('reports', () => since('report').length >= 5)
    control.assign(node.config('v2'))
    await node.untilConfirmed(2)
    control.askForLog(10)
    await control.until('lines', () => since('logs').length > 0)
    control.askForCheck(node.config('v3'))
    await control.until('a check', () => since('check').length > 0)
    await control.until('more reports', () => since('report').length >= 12)
    assert.equal(portsOf(since()), 1)
    assert.equal(control.connections, 1)
    assert.equal(control.mostAtOnce, 1)
  })

  test('a report asks to be answered when the next is due, and nothing is polled', async (t) => {
    const { control, since } = await farm(t, { reportEveryMs: 800 })
    await control.until('reports', () => since('report').length >= 4)
    const first = since('report')[0]
    const waits = since('report').map(({ body }) => body.desired.waitMs)
    assert.ok(
      waits.every((ms) => ms <= 800),
      `${waits}`,
    )
    assert.ok(
      waits.some((ms) => ms > 400),
      `${waits}`,
    )
    // A node that had no processor for a while says several windows at once: each once, and none is left out.
    const said = since('report').map(({ body }) => body.windows.map(({ seq }) => seq))
    assert.ok(said.every((seqs) => seqs.length > 0))
    const seqs = said.flat()
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => seqs[0] + i),
    )
    assert.deepEqual(
      since('desired').filter(({ at }) => at > first.at),
      [],
    )
    assert.equal(control.mostAtOnce, 1)
    assert.equal(portsOf(since()), 1)
  })

  test('what an answer that was lost had taken is sent again, and taken once', async (t) => {
    const { control, node, since } = await farm(t, { reportEveryMs: 400 })
    let lost = 0
    control.faults.report = () => (lost++ < 2 ? 'lose' : undefined)
    await control.until('both lost', () => lost > 2)
    await control.until('windows', () => control.windows.length >= 6)
    assert.ok(control.resentWindows > 0)
    const taken = control.windows.map(({ seq }) => seq)
    assert.deepEqual(
      taken,
      taken.map((_, i) => taken[0] + i),
    )
    assert.equal(since('report').at(-1).body.lostWindows, 0)
    control.assign(node.config('v2'))
    await node.untilConfirmed(2)
  })

  test('a slower pace is kept from the answer that says so', async (t) => {
    const { control, since } = await farm(t, { reportEveryMs: 300 })
    control.reportSlowerMs = 1200
    // A window alone may be as long on a busy machine.
    const isSlow = ({ body }) =>
      body.windows.some(({ durationMs }) => durationMs > 1000) && body.desired.waitMs > 300
    await control.until('a long window', () => since('report').find(isSlow))
    control.reportSlowerMs = null
    const slow = control.said.length
    await control.until('short ones again', () =>
      control.said
        .slice(slow)
        .some((one) => one.message === 'report' && one.body.windows[0]?.durationMs < 600),
    )
  })

  test('a poll asks an older control plane to be answered when the next report is due', async (t) => {
    const { control, since } = await farm(t, { reportEveryMs: 800, holdsReports: false })
    // Not those of a node that had no processor for a while: did polls hold up reports, none would have a single window.
    const ofOneWindow = () => since('report').filter(({ body }) => body.windows.length === 1)
    await control.until('reports in their time', () => ofOneWindow().length >= 4)
    for (const { body } of since('desired')) assert.ok(body.waitMs <= 800, `${body.waitMs}`)
    assert.ok(since('desired').some(({ body }) => body.waitMs > 400))
    const polls = since('desired').length
    assert.ok(polls <= since('report').length + 2, `${polls} polls`)
    assert.equal(control.mostAtOnce, 1)
  })

  test('an order is the answer to the report that waits for it', async (t) => {
    const { control, node, since } = await farm(t, { reportEveryMs: 5000 })
    const waits = ({ message, status }) => message === 'report' && status === 0
    let carried = 0
    for (let i = 2; carried < 3; i++) {
      const report = await control.until('a report', () => control.said.find(waits))
      const { generation } = control.assign(node.config(`v${i}`))
      await control.until('ack', () => control.of('ack', generation).length > 0)
      await node.untilConfirmed(generation)
      // Unless its time was over just then, and the order came with the next.
      const [next] = control.said.slice(control.said.indexOf(report) + 1)
      if (report.status === 200 && next.message === 'ack') carried++
      assert.ok(i < 40, `of ${i - 1} orders ${carried} came with the answer to the report`)
    }
    assert.equal(portsOf(since()), 1)
  })

  test('a report without an answer holds up no order, and takes its connection with it', async (t) => {
    const { control, node, since } = await farm(t, { reportEveryMs: 300 })
    let held = 0
    const { promise: until, resolve: answer } = Promise.withResolvers()
    control.faults.report = () => (held++ === 0 ? { until } : undefined)
    await control.until('a report that is held', () => held > 0)
    const { at, port } = since('report').at(-1)
    const poll = await control.until('a poll beside it', () =>
      since('desired').find((one) => one.at > at),
    )
    assert.notEqual(poll.port, port)
    control.assign(node.config('v2'))
    await node.untilConfirmed(2)
    await control.until('both', () => control.connections === 2)
    answer()
    await control.until('one connection', () => control.connections === 1)
    await control.until('reports', () => since('report').length >= 4)
    assert.equal(control.connections, 1)
  })

  test('a poll that is not answered in its time holds up no report', async (t) => {
    const { control, since } = await farm(t, { reportEveryMs: 300 })
    let held = 0
    control.faults.desired = () => (held++ === 0 ? { answerLateMs: 5 * TURN_MS } : undefined)
    await control.until('a poll that is held', () => held > 0)
    const { at } = since('desired').at(-1)
    await control.until('reports', () => since('report').filter((one) => one.at > at).length >= 3)
    await control.until('a later poll', () => held >= 3)
    await control.until('one connection', () => control.connections === 1)
  })

  test('a control plane that ends polls early is asked again at once', async (t) => {
    const { control, since } = await farm(t, { reportEveryMs: 1000, holdsReports: false })
    // As one does that spreads the ends of polls.
    control.faults.desired = ({ waitMs }) =>
      waitMs > 500 ? { delayMs: 0.8 * waitMs, raw: '{"assignment":null}' } : undefined
    const words = () => since().map(({ message }) => message)
    const again = () => words().filter((word, i) => word === 'desired' && words()[i - 1] === word)
    await control.until('polls after polls', () => again().length >= 4)
    assert.equal(portsOf(since()), 1)
  })

  test('slow reports to an older control plane and polls alternate', async (t) => {
    const { control, since } = await farm(t, { reportEveryMs: 100, holdsReports: false })
    control.faults.report = () => ({ delayMs: 300 })
    await control.until('reports', () => since('report').length >= 8)
    const words = since().map(({ message }) => message)
    const first = words.lastIndexOf('report', words.length - 8)
    for (let i = first + 1; i < words.length; i++) {
      assert.ok(!(words[i] === 'report' && words[i - 1] === 'report'), words.join(' '))
    }
    assert.equal(control.mostAtOnce, 1)
  })

  test('one connection again after the control plane was away', async (t) => {
    const { control, node, since } = await farm(t, { reportEveryMs: 200 })
    for (let i = 2; i <= 4; i++) {
      await control.stop()
      const polls = control.of('desired').length
      assert.equal(await node.version(), `v${i - 1}`)
      control.assign(node.config(`v${i}`))
      await control.start()
      // First of all it asks what to serve: the windows of the outage have time.
      await control.until('a poll', () => control.of('desired').length > polls)
      const words = control.said.slice(
        control.said.findLastIndex(({ message }) => message === 'hello'),
      )
      assert.equal(words[1].message, 'desired')
      await node.untilConfirmed(control.assignment.generation)
      assert.equal(control.connections, 1)
    }
    assert.ok(portsOf(since()) >= 3)
    const said = control.said.length
    await control.until('reports', () => control.said.length > said + 10)
    assert.equal(portsOf(control.said.slice(said)), 1)
  })
})
