// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decodeHistogram, encodeHistogram } from '../../src/histogram/encoding.ts'
import {
  emptyHistogram,
  type Histogram,
  histogramFault,
  mergeHistograms,
  quantile,
} from '../../src/histogram/histogram.ts'
import { HistogramSum } from '../../src/histogram/sum.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'

const LARGEST_RELATIVE_ERROR = 2 ** (1 / 16) - 1 // half a bucket of scale 3: 4.4 %

/** Durations as a file server has them: mostly under a millisecond, a tail of seconds. */
function randomDurations(seed: number, length: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length }, () => 10 ** (-5.5 + 6 * random() ** 2))
}

describe('a quantile', () => {
  it('is within half a bucket of the exact one, on any data', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const seconds = randomDurations(seed, 1 + seed * 37)
      const h = histogramOf(seconds)
      const sorted = [...seconds].sort((a, b) => a - b)
      for (const q of [0, 0.01, 0.5, 0.9, 0.99, 0.999, 1]) {
        const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0
        const got = quantile(h, q) ?? -1
        expect(Math.abs(got / exact - 1), `seed ${seed}, q ${q}`).toBeLessThanOrEqual(
          LARGEST_RELATIVE_ERROR + 1e-9,
        )
        expect(got).toBeLessThanOrEqual(h.maxSeconds)
      }
    }
  })

  it('of nothing is null, never zero', () => {
    expect(quantile(emptyHistogram(), 0.99)).toBeNull()
  })

  it('of values too short to tell apart is at most the longest of them', () => {
    expect(quantile(histogramOf([1e-8, 1e-7, 0.5]), 0.5)).toBe(2 ** -21)
    expect(quantile(histogramOf([1e-8, 1e-7]), 0.5)).toBe(1e-7)
  })
})

describe('merging', () => {
  it('gives what counting everything in one histogram gives, in any order', () => {
    const parts = [3, 4, 5, 6].map((seed) => randomDurations(seed, 200))
    const whole = histogramOf(parts.flat())
    const merge = (hs: Histogram[]) => hs.reduce(mergeHistograms, emptyHistogram())
    const forward = merge(parts.map(histogramOf))
    const backward = merge(parts.map(histogramOf).reverse())
    for (const merged of [forward, backward]) {
      expect({ ...merged, sumSeconds: 0 }).toEqual({ ...whole, sumSeconds: 0 })
      expect(merged.sumSeconds).toBeCloseTo(whole.sumSeconds, 9)
    }
  })

  it('leaves both inputs as they were', () => {
    const a = histogramOf([0.001, 0.002])
    const b = histogramOf([4])
    const before = structuredClone([a, b])
    mergeHistograms(a, b).counts.fill(99)
    mergeHistograms(a, emptyHistogram()).counts.fill(99)
    expect([a, b]).toEqual(before)
  })
})

describe('the stored form', () => {
  it('gives back what was put in', () => {
    const huge = { ...histogramOf([0.01]), count: 2 ** 53 - 1, counts: [2 ** 53 - 1] }
    const cases = [
      emptyHistogram(),
      huge,
      histogramOf([0]),
      histogramOf([1e-6, 1000]),
      histogramOf(randomDurations(9, 5000)),
    ]
    for (const h of cases) expect(decodeHistogram(encodeHistogram(h))).toEqual(h)
  })

  it('is small: 50,000 requests over six decades take less than 500 bytes', () => {
    expect(encodeHistogram(histogramOf(randomDurations(1, 50_000))).length).toBeLessThan(500)
  })

  it('refuses bytes cut at any place', () => {
    const bytes = encodeHistogram(histogramOf(randomDurations(2, 100)))
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeHistogram(bytes.subarray(0, length))).toThrow(RangeError)
    }
  })
})

describe('a histogram from a node', () => {
  const good = histogramOf([0.001, 0.002, 0.5])
  it.each<[string, Partial<Histogram>]>([
    ['a count that its buckets do not add up to', { count: 4 }],
    ['a bucket above the last', { offset: 79, counts: [1, 2], count: 3 }],
    ['a bucket below the first', { offset: -169 }],
    ['a negative count', { counts: [-1, 4], count: 3 }],
    ['a fraction', { counts: [1.5, 1.5], count: 3 }],
    [
      'more buckets than exist',
      { offset: -168, counts: new Array<number>(249).fill(1), count: 249 },
    ],
    ['an infinite sum', { sumSeconds: Number.POSITIVE_INFINITY }],
    ['a negative maximum', { maxSeconds: -1 }],
  ])('is refused with %s', (_, change) => {
    expect(histogramFault({ ...good, ...change })).not.toBeNull()
  })

  it('is taken as the protocol examples have it', () => {
    const path = new URL(
      '../../../server-c/agent-protocol/examples/report.request.json',
      import.meta.url,
    )
    const report = JSON.parse(readFileSync(path, 'utf8'))
    const stages: Record<string, Histogram> = report.windows[0].series[0].stages
    expect(Object.values(stages).map(histogramFault)).toEqual([null, null, null])
  })
})

describe('a sum of stored forms', () => {
  it('is what merging gives, without an object for each', () => {
    const parts = [11, 12, 13].map((seed) => histogramOf(randomDurations(seed, 300)))
    const sum = new HistogramSum()
    for (const part of [...parts, emptyHistogram()]) sum.addEncoded(encodeHistogram(part))
    expect(sum.toHistogram()).toEqual(parts.reduce(mergeHistograms, emptyHistogram()))
    expect(new HistogramSum().toHistogram()).toEqual(emptyHistogram())
  })

  it('refuses bytes cut at any place', () => {
    const bytes = encodeHistogram(histogramOf(randomDurations(2, 100)))
    for (let length = 0; length < bytes.length; length++) {
      const sum = new HistogramSum()
      expect(() => sum.addEncoded(bytes.subarray(0, length))).toThrow(RangeError)
    }
  })
})
