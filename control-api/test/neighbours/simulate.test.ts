// SPDX-License-Identifier: MIT
// Most with a hundred nodes in place of a thousand; `npm run bench -- neighbours` has more runs of those.
import { expect, test } from 'vitest'
import { simulate } from './simulate.ts'

const SEEDS = [1, 2]
const CASE = { nodes: 100, transferMs: 60_000 }

test.each([
  { zones: 1, acrossZones: false, most: 1 },
  { zones: 2, acrossZones: false, most: 2 },
  { zones: 20, acrossZones: false, most: 20 },
  { zones: 20, acrossZones: true, most: 1 },
])(
  '$zones zones (across: $acrossZones): the release leaves the control plane $most times',
  (of) => {
    for (const seed of SEEDS) {
      const { sent, through, distrusted } = simulate({ ...CASE, ...of, failing: 0, seed })
      expect({ sent, through, distrusted }).toEqual({ sent: of.most, through: 100, distrusted: 0 })
    }
  },
)

test.each([
  { zones: 1, acrossZones: false, most: 3 },
  { zones: 2, acrossZones: false, most: 5 },
  { zones: 20, acrossZones: true, most: 6 },
])('$zones zones (across: $acrossZones) with a tenth failing: all others have it', (of) => {
  for (const seed of SEEDS) {
    const run = simulate({ ...CASE, ...of, failing: 0.1, seed })
    expect(run.through + run.left).toBe(100)
    expect(run.sent).toBeLessThanOrEqual(of.most)
  }
})

test.each([
  { zones: 1, acrossZones: false },
  { zones: 20, acrossZones: true },
])(
  'a thousand nodes in $zones zones, of which a tenth fails: it leaves the control plane less than three times',
  (of) => {
    const run = simulate({ ...CASE, ...of, nodes: 1000, failing: 0.1, seed: 1 })
    expect(run.through + run.left).toBe(1000)
    expect(run.sent).toBeLessThan(3)
  },
)

test('the same seed is the same run', () => {
  const of = { ...CASE, zones: 2, acrossZones: true, failing: 0.3, seed: 9 }
  expect(simulate(of)).toEqual(simulate(of))
})
