// SPDX-License-Identifier: MIT
// Windows put together as they are read say what all of them say.
import { expect, it } from 'vitest'
import { seededRandom } from '../../../../src/base/seeded-random.ts'
import { judgeGates, readBy } from '../../../../src/features/rollouts/gates/gates.ts'
import { createWindows, type Window } from '../../../../src/features/rollouts/gates/windows.ts'
import { DEFAULT_GATES } from '../../../../src/features/rollouts/plan/strategy.ts'
import { MOST_UNITS } from '../../../../src/metrics-store/bootstrap.ts'

const random = seededRandom(1)
const below = (most: number) => Math.floor(random() * most)

function drawn(): Window {
  const counts = Array.from({ length: 5 }, () => below(40))
  const zeroCount = below(3)
  const count = counts.reduce((sum, n) => sum + n, zeroCount)
  const maxSeconds = random()
  return {
    counters: {
      ...{ requests: count, bytesSent: count * below(9_000), probeRequests: below(4) },
      ...{ responses5xx: below(3), responses4xx: below(9), responses404: below(6) },
    },
    stages: {
      firstByte: { count, zeroCount, sumSeconds: 0, maxSeconds, offset: -90 + below(9), counts },
    },
  }
}

it('a verdict is the same of all windows and of those that were put together', () => {
  const given = { gates: DEFAULT_GATES, minSamples: 500, seed: 7 }
  const [ours, theirs] = [500, 900].map((count) => Array.from({ length: count }, drawn))
  const together = (windows: readonly Window[] = []) => {
    const { counters, stages } = readBy(DEFAULT_GATES)
    const sums = createWindows(counters, stages)
    for (const one of windows) sums.add(one)
    return { nodes: 9, samples: sums.all() }
  }
  const whole = (samples: readonly Window[] = []) => ({ nodes: 9, samples })
  const expected = judgeGates({ ...given, canary: whole(ours), control: whole(theirs) })
  const found = judgeGates({ ...given, canary: together(ours), control: together(theirs) })
  expect(together(ours).samples).toHaveLength(MOST_UNITS)
  expect(found).toEqual(expected)
  expect(expected.verdict).not.toBe('no_data')
})
