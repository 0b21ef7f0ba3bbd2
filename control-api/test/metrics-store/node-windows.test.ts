// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { NodeWindows } from '../../src/metrics-store/node-windows.ts'
import { watchedCounter, watchOf } from '../../src/metrics-store/watched-paths.ts'
import type { PlacedWindow } from '../../src/metrics-store/windows.ts'

const always = { sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER }
const windowOf = (endedAtMs: number, counters: Record<string, number>): PlacedWindow => ({
  ...{ seq: endedAtMs, endedAtMs, durationMs: 5_000 },
  series: [{ generation: 3, counters, stages: {} }],
})

describe('the windows of a node as bytes', () => {
  it('keep counters by name, whichever of them a window has', () => {
    const node = new NodeWindows()
    const told: Record<string, number>[] = [
      { requests: 5, responses5xx: 1 },
      { responses404: 2, requests: 7 },
      { requests: Number.MAX_SAFE_INTEGER, constructor: 4 },
    ]
    for (const [i, counters] of told.entries()) node.add([windowOf(i + 1, counters)], always)
    expect(node.series(always).map(({ counters }) => counters)).toEqual(told)
    expect(node.totals(always).map(({ errors, notFound }) => [errors, notFound])).toEqual([
      [1, 0],
      [0, 2],
      [0, 0],
    ])
  })

  it('keep 256 names of one that invents them, those it said first', () => {
    const node = new NodeWindows()
    for (let i = 0; i < 100; i++) {
      const invented = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`x${i}n${k}`, 1]))
      node.add([windowOf(i + 1, { requests: i, ...invented })], always)
    }
    const kept = node.series(always)
    expect(kept.map(({ counters }) => counters.requests)).toEqual(kept.map((_, i) => i))
    expect(new Set(kept.flatMap(({ counters }) => Object.keys(counters))).size).toBe(256)
  })

  it('keep what was counted below paths, however many rollouts have asked for others', () => {
    const node = new NodeWindows()
    const orders = Array.from({ length: 300 }, (_, i) => watchOf([{ path: `/${i}/` }]))
    for (const [i, { id }] of orders.entries()) {
      const { series, ...rest } = windowOf(i + 1, { requests: 9 })
      const told = series.map((one) => ({ ...one, watched: { id, counts: [[0, i, 1, 2, 3]] } }))
      node.add([{ ...rest, series: told }], always)
    }
    const kept = node.series(always)
    expect(kept.length).toBe(orders.length)
    for (const [i, order] of orders.entries()) {
      const requests = watchedCounter(order, { path: `/${i}/` }, 'requests')
      expect(kept[i]?.counters).toMatchObject({ requests: 9, [requests]: i })
    }
  })

  it('let go of those outside of the span, wherever they lie', () => {
    const node = new NodeWindows()
    const ends = [10, 40, 20, 50, 30, 60]
    node.add(
      ends.map((endedAtMs) => windowOf(endedAtMs, { requests: endedAtMs })),
      always,
    )
    node.add([windowOf(45, { requests: 45 })], { sinceMs: 20, untilMs: 50 })
    expect(node.series(always).map(({ endedAtMs }) => endedAtMs)).toEqual([40, 50, 30, 45])
    expect(node.totals({ sinceMs: 40, untilMs: 45 })).toMatchObject([{ requests: 45 }])
    node.keepWithin({ sinceMs: 50, untilMs: 60 })
    expect(node.isEmpty).toBe(true)
  })

  it('stay what they were when they were asked for, whatever comes after', () => {
    const node = new NodeWindows()
    const total = {
      ...{ count: 2, zeroCount: 0, sumSeconds: 1, maxSeconds: 1, offset: 0, counts: [2] },
    }
    const [window] = [windowOf(1, { requests: 2 })]
    if (!window) throw new Error('a window')
    const series = [{ generation: 3, counters: {}, stages: { total } }]
    node.add([{ ...window, series }], always)
    const before = node.series(always)[0]?.stages
    const copy = before?.slice()
    node.add([windowOf(5, { requests: 9 })], { sinceMs: 4, untilMs: 9 })
    expect(before).toEqual(copy)
  })
})
