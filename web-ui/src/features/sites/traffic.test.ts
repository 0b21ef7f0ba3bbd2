// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { countedSeconds, linesOf, trafficOf, type VersionTraffic } from './traffic.ts'

const version = (number: number, change: Partial<VersionTraffic>): VersionTraffic => ({
  ...{ version: number, isCountedAlone: true, responses2xx: [], responses3xx: [] },
  ...{ responses404: [], responsesOther4xx: [], responses5xx: [], aborted: [] },
  ...{ bytesSent: [], totalSeconds: [], ...change },
})
const steps = { times: [0, 60, 120], stepSeconds: 60 }
const OVER = 1_000
const seven = version(7, {
  responses2xx: [60, null, 30],
  responses404: [60, null, 0],
  totalSeconds: [12, null, 3],
  bytesSent: [600, null, 0],
  aborted: [1, null, 1],
})
const six = version(6, { responses2xx: [null, null, 90], responses404: [null, null, 0] })

test('a gap has neither requests nor time in a rate', () => {
  const { requests, requestsPerSecond, bytesPerSecond, shares, meanSeconds, aborted } = trafficOf(
    [seven],
    countedSeconds([seven], steps, OVER),
  )
  expect({ requests, requestsPerSecond, bytesPerSecond, meanSeconds, aborted }).toEqual({
    ...{ requests: 150, requestsPerSecond: 1.25, bytesPerSecond: 5, meanSeconds: 0.1, aborted: 2 },
  })
  expect(shares).toMatchObject({ responses2xx: 0.6, responses404: 0.4, responses5xx: 0 })
  const both = [seven, six]
  expect(countedSeconds(both, steps, OVER)).toBe(120)
  expect(trafficOf(both, 120).requestsPerSecond).toBe(2)
  expect(countedSeconds([], steps, OVER)).toBe(0)
  expect(trafficOf([], 0)).toMatchObject({ requests: 0, requestsPerSecond: null })
})

test('lines are of all versions together, one by one only beside each other', () => {
  const { status, mean, byVersion } = linesOf({ ...steps, versions: [seven, six] }, OVER)
  expect(status.map(({ name }) => name)).toEqual(['2xx', '3xx', 'other 4xx', '404', '5xx'])
  expect(status[0]?.values).toEqual([1, null, 2])
  expect(mean[0]?.values).toEqual([0.1, null, 3 / 120])
  expect(byVersion.map(({ name, values }) => [name, values])).toEqual([
    ['v7', [2, null, 0.5]],
    ['v6', [null, null, 1.5]],
  ])
})

test('a step that is not over is no dent, and of one that has just begun nothing is said', () => {
  const values = (nowSeconds: number) =>
    linesOf({ ...steps, versions: [seven] }, nowSeconds).status[0]?.values
  expect(values(120 + 15 + 30)).toEqual([1, null, 1])
  expect(values(120 + 15 + 29)).toEqual([1, null, null])
  expect(countedSeconds([seven], steps, 120 + 15 + 30)).toBe(90)
})
