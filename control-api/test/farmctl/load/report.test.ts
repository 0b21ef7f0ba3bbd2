// SPDX-License-Identifier: MIT
// What is said of a run: objectives, doubts, and a page of one file.
import { describe, expect, test } from 'vitest'
import { type Counted, STAGES, type Times } from '../../../src/farmctl/load/heart.ts'
import {
  durationText,
  percentText,
  readWishes,
  secondsOf,
} from '../../../src/farmctl/load/objectives.ts'
import type { LoadPlan } from '../../../src/farmctl/load/plan.ts'
import { bytesText, doubtsOf, type LoadReport } from '../../../src/farmctl/load/report.ts'
import { reportPage } from '../../../src/farmctl/load/report-html.ts'
import { reportLines } from '../../../src/farmctl/load/report-text.ts'

const NONE: Times = { count: 0, zeroCount: 0, sumNs: 0, maxNs: 0, buckets: [] }
const times = (ms: number, count = 1000): Times => ({
  count,
  zeroCount: 0,
  sumNs: count * ms * 1e6,
  maxNs: 2 * ms * 1e6,
  ...{ p50Seconds: ms / 1e3, p90Seconds: ms / 1e3, p95Seconds: ms / 1e3 },
  ...{ p99Seconds: ms / 1e3, p999Seconds: ms / 1e3 },
  buckets: [
    [-60, count - 1],
    [-52, 1],
  ],
})

function counted(more: Partial<Counted> = {}): Counted {
  const none = { requests: 0, bytes: 0, failed: 0 }
  const stages = Object.fromEntries(STAGES.map((stage) => [stage, NONE]))
  return {
    elapsedSeconds: 2,
    processorSeconds: 0.2,
    requests: 1000,
    good: 990,
    socketFaults: 1,
    bodyBytes: 4_096_000,
    connections: 4,
    sentAgain: 0,
    mostUnderWay: 4,
    faults: { timeout: 1, status: 9, reset: 0 },
    statuses: { 200: 990, 404: 9 },
    slow: none,
    aborting: none,
    stages: { ...stages, latency: times(5), lag: times(0.01) } as Counted['stages'],
    slots: [
      [0, 500, 0, 4],
      [1000, 500, 10, 10],
    ],
    samples: [[12, 5, 0, 0, 0, 4, 1, 5, 0, 200, 'none']],
    ...more,
  }
}

const plan = {
  mode: 'open',
  ratePerSecond: 500,
  clients: 4,
  keepAlive: true,
  timeoutMs: 10_000,
  streams: 0,
  slowClients: 0,
  abortingClients: 0,
  targets: [{ name: 'a<b>.test', address: '127.0.0.1', port: 80, tls: false, confirmed: false }],
} as unknown as LoadPlan
const report: LoadReport = {
  startedAt: '2026-11-26T22:00:00.000Z',
  plan,
  counted: counted(),
  objectives: [],
  doubts: [],
}

describe('objectives', () => {
  test.each([
    [{ p99: '5ms' }, true],
    [{ p99: '4.9ms' }, false],
    [{ p50: '1s' }, true],
    [{ max: '10ms' }, true],
    [{ max: '9ms' }, false],
    [{ availability: '99.9' }, true],
    [{ availability: '99.91%' }, false],
    [{ good: '99' }, true],
    [{ good: '99.01' }, false],
  ])('%j is met: %s', (wishes, met) => {
    expect(readWishes(wishes).map((judge) => judge(counted()).met)).toEqual([met])
  })

  // owncloud/cdperf#69: green with 97 % refused, whose latencies nobody counts
  test('of latencies are missed where too many have none', () => {
    const judge = (requests: number, wishes: Parameters<typeof readWishes>[0]) =>
      readWishes(wishes).map((one) => one(counted({ requests })))
    expect(judge(1010, { p99: '5ms' })).toMatchObject([{ met: true, got: '5 ms' }])
    expect(judge(1011, { p99: '5ms', p95: '5ms', max: '1s' })).toMatchObject([
      { met: true, name: 'p95' },
      { met: false, name: 'p99', got: '5 ms, and no answer to 1.088 %' },
      { met: false, name: 'max' },
    ])
  })

  test('of a run without answers are missed', () => {
    const nothing = counted({ requests: 0, good: 0, socketFaults: 0 })
    nothing.stages.latency = NONE
    const judged = readWishes({ p99: '1s', availability: '0' }).map((judge) => judge(nothing))
    expect(judged.map(({ met, got }) => [met, got])).toEqual([
      [false, 'no answers'],
      [false, 'no requests'],
    ])
  })

  test.each([
    { p99: '20' },
    { p99: '0ms' },
    { max: '-1s' },
    { availability: '101' },
    { good: 'x' },
  ])('%j is refused before the run', (wishes) => {
    expect(() => readWishes(wishes)).toThrow(/is a (time|share)/)
  })
})

test('figures are never nicer than they were', () => {
  expect(percentText(999_999, 1_000_000)).toBe('99.9999 %')
  expect(percentText(99_999_999, 100_000_000)).toBe('99.9999 %')
  expect(percentText(5, 5)).toBe('100 %')
  expect([durationText(0.0000125), durationText(0.02), durationText(61.4)]).toEqual([
    '12.5 µs',
    '20 ms',
    '61.4 s',
  ])
  expect([bytesText(999), bytesText(4_096_000), bytesText(1e16)]).toEqual([
    '999 B',
    '4.1 MB',
    '10000 TB',
  ])
  expect([secondsOf('--x', '1.5s'), secondsOf('--x', '250us')]).toEqual([1.5, 0.00025])
})

describe('doubts', () => {
  test('there are none of a run whose tool was idle and in time', () => {
    expect(doubtsOf(counted())).toEqual([])
  })
  test('a tool that was busy, late or out of ports says so', () => {
    const late = counted({ processorSeconds: 1.9, faults: { connect: 3 } })
    late.stages.lag = times(2)
    expect(doubtsOf(late)).toEqual([
      expect.stringContaining('95 % of a processor'),
      expect.stringContaining('2 ms or more after it could have been'),
      expect.stringContaining('ports'),
    ])
  })
  // hatoo/oha#212, locustio/locust#1363
  test('refusals that are quick make no good latencies', () => {
    const statuses = { 200: 500, 404: 480, 429: 10, 503: 1 }
    expect(doubtsOf(counted({ statuses }))).toEqual([
      expect.stringContaining('1.1 % of the answers are 429 or 5xx'),
    ])
    expect(doubtsOf(counted({ statuses: { ...statuses, 503: 0 } }))).toEqual([])
  })
  test('lateness that is nothing beside the latencies is none', () => {
    const slow = counted()
    slow.stages.lag = times(2)
    slow.stages.latency = times(100)
    expect(doubtsOf(slow)).toEqual([])
  })
})

test('the text has what counts', () => {
  const objectives = readWishes({ p99: '1ms' }).map((judge) => judge(report.counted))
  const text = reportLines({ ...report, objectives, doubts: ['It was late.'] }).join('\n')
  expect(text).toContain('500 requests a second from at most 4 clients (open loop)')
  expect(text).toMatch(/^Good +99 % \(990\)$/m)
  expect(text).toMatch(/^Availability +99\.9 %, as siege counts it$/m)
  expect(text).toMatch(/^Latency, from when it was due +5 ms/m)
  expect(text).toMatch(/timed out +1$/m)
  expect(text).not.toContain('connection reset')
  expect(text).toMatch(/p99 at most 1 ms +5 ms: MISSED$/m)
  expect(text).toMatch(/Not to be believed as it is\nIt was late\.$/)
})

test('the page is one file, with pictures, and takes no names for markup', () => {
  const page = reportPage(report)
  expect(page).toContain('a&lt;b&gt;.test')
  expect(page).not.toContain('<b>')
  expect(page).not.toMatch(/<(script|link|img)\b|https?:\/\/(?!a&lt;)/)
  expect(page.match(/<svg[^>]* role="img" aria-label="/g)).toHaveLength(6)
  expect(page).not.toMatch(/NaN|Infinity|undefined/)
  const empty = counted({ requests: 0, good: 0, slots: [], samples: [] })
  empty.stages.latency = NONE
  expect(reportPage({ ...report, counted: empty })).not.toMatch(/NaN|Infinity|undefined|<svg/)
})
