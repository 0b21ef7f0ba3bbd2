// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import type { RequestSample } from '../../../lib/api-types.ts'
import { heightOf, placeOf, pointOf, SHOWN_SECONDS, slowest, withAnswer } from './rules.ts'

const NOW = Date.parse('2026-11-21T09:00:00.000Z')
const sample = (changes: Partial<RequestSample> = {}): RequestSample => ({
  startedAt: '2026-11-21T08:59:59.123456Z',
  generation: 1,
  status: 200,
  bytes: 1,
  protocol: 'HTTP/1.1',
  reason: null,
  path: '/a',
  stageSeconds: { total: 1 },
  ...changes,
})
const answer = (samples: RequestSample[], receivedAt = new Date(NOW).toISOString()) => ({
  nodeId: 'n',
  state: 'live' as const,
  next: 7,
  batches: [{ receivedAt, seen: 500, samples }],
})

describe('a point', () => {
  it.each([
    [{ total: 1, write: 0.6, read: 0.2 }, 'write'],
    [{ total: 1, write: 0.4, readWait: 0.3, read: 0.3 }, 'disk'],
    [{ total: 1, statWait: 0.5, stat: 0.2 }, 'lookUp'],
    [{ total: 1, write: 0.1 }, 'node'],
    [{ total: 0 }, 'node'],
  ])('of %o is mostly %s', (stageSeconds, part) => {
    expect(pointOf(sample({ stageSeconds })).part).toBe(part)
  })

  it('stands where it was and as high as it took, within the drawing', () => {
    expect(placeOf(pointOf(sample()), NOW).x).toBeCloseTo(1 - 0.877 / SHOWN_SECONDS, 6)
    expect([heightOf(1e-9), heightOf(1e-5), heightOf(1e9)]).toEqual([0, 0, 1])
    expect(heightOf(1) - heightOf(0.1)).toBeCloseTo(1 / 7)
  })
})

it('points are kept for two minutes of the control plane’s clock', () => {
  const first = withAnswer(undefined, answer([sample({ path: '/old' })]))
  expect(first).toMatchObject({ next: 7, seen: 500, nowMs: NOW })
  const later = new Date(NOW + 119_500).toISOString()
  const more = sample({ startedAt: later, path: '/new' })
  expect(withAnswer(first, answer([more], later)).points.map(({ path }) => path)).toEqual(['/new'])
  const nothing = { ...answer([]), batches: [] }
  expect(withAnswer(first, nothing)).toEqual(first)
})

it('the table has the slowest first', () => {
  const points = [0.1, 3, 2].map((total) => pointOf(sample({ stageSeconds: { total } })))
  expect(slowest(points).map(({ totalSeconds }) => totalSeconds)).toEqual([3, 2, 0.1])
})
