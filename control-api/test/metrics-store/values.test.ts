// SPDX-License-Identifier: MIT
// Sums of windows that move are those of their steps, whatever the lengths.
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { HistogramSum } from '../../src/histogram/sum.ts'
import type { Step } from '../../src/metrics-store/sets.ts'
import { windowsOf } from '../../src/metrics-store/values.ts'

const random = seededRandom(3)

function someStep(): Step | null {
  if (random() < 0.2) return null
  const total = new HistogramSum()
  for (let i = 0; i < 5; i++) total.count(random())
  const value = Math.floor(random() * 100)
  return {
    coveredMs: 10_000,
    stages: random() < 0.1 ? new Map() : new Map([['total', total]]),
    counters: new Map([['requests', Math.floor(random() * 1000)]]),
    gauges: new Map([['readQueue', { sum: value, max: value, count: 1 }]]),
  }
}

/** What of them can be told exactly. */
const told = ({ coveredMs, stages, counters, gauges }: Step) => ({
  coveredMs,
  counts: [...(stages.get('total')?.counts ?? [])],
  max: stages.get('total')?.maxSeconds,
  requests: counters.get('requests'),
  gauge: gauges.get('readQueue'),
})

function added(steps: readonly (Step | null)[]): Step {
  const sum: Step = { coveredMs: 0, stages: new Map(), counters: new Map(), gauges: new Map() }
  for (const step of steps) {
    if (!step) continue
    sum.coveredMs += step.coveredMs
    const requests = (sum.counters.get('requests') ?? 0) + (step.counters.get('requests') ?? 0)
    sum.counters.set('requests', requests)
    const [had, more] = [sum.gauges.get('readQueue'), step.gauges.get('readQueue')]
    if (more) {
      sum.gauges.set('readQueue', {
        sum: (had?.sum ?? 0) + more.sum,
        max: Math.max(had?.max ?? 0, more.max),
        count: (had?.count ?? 0) + 1,
      })
    }
    const total = step.stages.get('total')
    if (!total) continue
    const all = sum.stages.get('total') ?? new HistogramSum()
    sum.stages.set('total', all)
    all.addSum(total)
  }
  return sum
}

describe('windows that move over steps', () => {
  test.each([1, 2, 3, 7, 12, 59])('of %i steps are the sums of their steps', (windowSteps) => {
    for (const length of [windowSteps - 1, windowSteps, windowSteps + 1, 2 * windowSteps, 60, 61]) {
      const steps = Array.from({ length }, someStep)
      const windows = [...windowsOf(steps, windowSteps)].map(told)
      const expected = Array.from({ length: Math.max(0, length - windowSteps + 1) }, (_, i) =>
        told(added(steps.slice(i, i + windowSteps))),
      )
      expect(windows).toEqual(expected)
    }
  })

  test('leave the steps as they were', () => {
    const steps = Array.from({ length: 20 }, someStep)
    const before = JSON.stringify(steps.map((step) => step && told(step)))
    expect([...windowsOf(steps, 4)]).toHaveLength(17)
    expect(JSON.stringify(steps.map((step) => step && told(step)))).toBe(before)
  })
})
