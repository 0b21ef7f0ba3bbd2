// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { Evidence } from '../../lib/api-types.ts'
import { stripOf } from './strip-rules.ts'

type Gate = Evidence['gates'][number]
const side = { nodes: 1, samples: 900, probed: 0, value: 0.01 }
const gate = (change: Partial<Gate>): Gate => ({
  ...{
    metric: 'firstByteP99',
    max: 1.5,
    verdict: 'pass',
    message: '',
    canary: side,
    control: side,
  },
  ...{ value: 1.1, low: 0.9, high: 1.3 },
  ...change,
})

test('nothing that was concluded is nothing to draw', () => {
  expect(stripOf(gate({ value: null, low: null, high: null }))).toBeNull()
})

test('what is beyond the limit stands behind it, what is within before', () => {
  const well = stripOf(gate({}))
  const ill = stripOf(gate({ value: 17, low: 16, high: 18 }))
  expect(well?.to).toBeLessThan(well?.limit ?? 0)
  expect(ill?.from).toBeGreaterThan(ill?.limit ?? 1)
  for (const strip of [well, ill]) {
    for (const place of Object.values(strip ?? {})) {
      expect(place).toBeGreaterThan(0)
      expect(place).toBeLessThan(1)
    }
  }
})

test('half and twice are as far from the same', () => {
  const strip = stripOf(gate({ max: 2, value: 1, low: 0.5, high: 2 }))
  const { same = 0, from = 0, to = 0 } = strip ?? {}
  expect(same - from).toBeCloseTo(to - same)
})

test('a ratio of nothing is drawn, and shares may be better than the others', () => {
  expect(stripOf(gate({ value: 0, low: 0, high: 0 }))?.value).toBeGreaterThan(0)
  const share = stripOf(gate({ metric: 'errors5xx', max: 0.01, value: -0.02, low: -0.03, high: 0 }))
  expect(share?.value).toBeLessThan(share?.same ?? 0)
  const all = stripOf(gate({ metric: 'errors5xx', max: 0, value: 0, low: 0, high: 0 }))
  expect(all?.value).toBe(all?.limit)
})
