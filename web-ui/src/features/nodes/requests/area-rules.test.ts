// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import {
  areaBetween,
  boxOf,
  clockOf,
  durationOf,
  everything,
  isEverything,
  isWithin,
  momentOf,
  typedDuration,
} from './area-rules.ts'
import { pointOf } from './rules.ts'

const NOW = Date.parse('2026-11-21T09:00:00.000Z')
const point = (secondsAgo: number, total: number) =>
  pointOf({
    ...{ startedAt: new Date(NOW - secondsAgo * 1000).toISOString(), generation: 1, status: 200 },
    ...{ bytes: 1, protocol: 'HTTP/1.1', reason: null, path: '/', stageSeconds: { total } },
  })

describe('an area', () => {
  // The last 60 to 30 seconds; from 0.1 to 10 seconds long, which are four and six sevenths up.
  const area = areaBetween({ x: 0.75, y: 4 / 7 }, { x: 0.5, y: 6 / 7 }, NOW)

  test('is between two corners, whichever was first', () => {
    expect(area).toEqual({
      fromMs: NOW - 60_000,
      toMs: NOW - 30_000,
      leastSeconds: expect.closeTo(0.1, 9),
      mostSeconds: expect.closeTo(10, 6),
    })
    expect(areaBetween({ x: 0.5, y: 6 / 7 }, { x: 0.75, y: 4 / 7 }, NOW)).toEqual(area)
  })

  test('has the requests that are drawn in it', () => {
    const cases = [point(45, 1), point(61, 1), point(29, 1), point(45, 0.09), point(45, 11)]
    expect(cases.map((one) => isWithin(one, area))).toEqual([true, false, false, false, false])
    expect(cases.every((one) => isWithin(one, everything))).toBe(true)
  })

  test('is open at the edges, where all that is beyond them is drawn', () => {
    const whole = areaBetween({ x: -0.1, y: 1.2 }, { x: 1.3, y: 0 }, NOW)
    expect(whole).toEqual(everything)
    expect(isEverything(whole)).toBe(true)
    expect(isEverything(area)).toBe(false)
  })

  test('goes left with its requests, and out of the picture', () => {
    expect(boxOf(area, NOW)).toEqual({
      ...{ left: 0.5, right: 0.75 },
      ...{ low: expect.closeTo(4 / 7, 9), high: expect.closeTo(6 / 7, 9) },
    })
    expect(boxOf(area, NOW + 75_000)).toMatchObject({ left: 0, right: 0.125 })
    expect(boxOf(area, NOW + 90_000)).toBeNull()
    expect(boxOf(everything, NOW)).toEqual({ left: 0, right: 1, low: 0, high: 1 })
  })
})

describe('fields', () => {
  test('of time are clocks of here, nearest to now', () => {
    const at = new Date(2026, 10, 21, 0, 0, 10).getTime()
    expect(momentOf('23:59:30', at)).toBe(at - 40_000)
    expect(momentOf('00:00', at)).toBe(at - 10_000)
    expect(clockOf(at - 40_000)).toBe('23:59:30')
    expect([momentOf('', at), clockOf(null)]).toEqual([null, ''])
  })

  test('of durations are milliseconds, and open when there is no number', () => {
    expect(['12.5', '0', '', ' ', 'x', '-1'].map(durationOf)).toEqual([
      ...[0.0125, 0, null, null, null, null],
    ])
    expect([typedDuration(0.012345), typedDuration(null)]).toEqual(['12.3', ''])
  })
})
