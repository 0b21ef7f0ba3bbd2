// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { MAX_POINTS, planQuery } from '../../src/metrics-store/rings.ts'
import { placeWindows } from '../../src/metrics-store/windows.ts'

const NOW = 1_800_000_000
const HOUR = 3600
const DAY = 24 * HOUR
const last = (seconds: number) => ({ fromSeconds: NOW - seconds, toSeconds: NOW })

describe('which ring answers', () => {
  it.each([
    ['15 minutes', last(15 * 60), null, 10, 10],
    ['6 hours: the minutes, from their own ring', last(6 * HOUR - 60), null, 120, 60],
    ['a day', last(DAY), null, 300, 60],
    ['a month', last(30 * DAY), null, 6 * HOUR, 900],
    ['a year', last(365 * DAY), null, 172_800, 900],
    ['an hour in minutes', last(HOUR), 60, 60, 60],
    ['a step no ring divides, rounded up', last(HOUR), 15, 20, 10],
    ['a finer step than is kept that long', last(2 * DAY), 10, 120, 60],
    ['more points than an answer has', last(6 * HOUR), 5, 20, 10],
    [
      'times older than all rings',
      { fromSeconds: NOW - 500 * DAY, toSeconds: NOW - 499 * DAY },
      10,
      900,
      900,
    ],
  ])('%s', (_, range, asked, stepSeconds, resolutionSeconds) => {
    expect(planQuery(range, asked, NOW)).toMatchObject({ stepSeconds, resolutionSeconds })
  })

  it('always answers whole steps that the ring divides, in bounds', () => {
    for (let span = 1; span < 400 * DAY; span = Math.ceil(span * 1.7)) {
      for (const asked of [null, 5, 10, 47, 60, 900, 86_400]) {
        const plan = planQuery({ fromSeconds: NOW - span - 3, toSeconds: NOW - 3 }, asked, NOW)
        const points = (plan.toSeconds - plan.fromSeconds) / plan.stepSeconds
        expect(Number.isInteger(points)).toBe(true)
        expect(points).toBeGreaterThanOrEqual(1)
        expect(points).toBeLessThanOrEqual(MAX_POINTS)
        expect(plan.stepSeconds % plan.resolutionSeconds).toBe(0)
        expect(plan.fromSeconds % plan.stepSeconds).toBe(0)
        expect(plan.fromSeconds).toBeLessThanOrEqual(NOW - span - 3)
        if (asked === null) expect(points).toBeLessThanOrEqual(302)
      }
    }
  })
})

describe('a window on our clock', () => {
  const report = (uptimeMs: number, startedMs: number) => ({
    bootId: 'b',
    uptimeMs,
    windows: [{ seq: 1, startedMs, durationMs: 5_000, series: [] }],
  })

  it('ended as long before the report came as the node’s own clock says', () => {
    expect(placeWindows(report(65_000, 50_000), 1_000_000)).toMatchObject([{ endedAtMs: 990_000 }])
  })

  it('cannot end in the future, nor longer ago than a node keeps windows', () => {
    expect(placeWindows(report(10_000, 50_000), 1_000_000)).toMatchObject([
      { endedAtMs: 1_000_000 },
    ])
    expect(placeWindows(report(9e12, 0), 10_000_000)).toMatchObject([{ endedAtMs: 8_800_000 }])
  })
})
