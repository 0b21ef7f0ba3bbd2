// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import {
  type Group,
  judgeGates,
  withSilent,
  worst,
} from '../../../../src/features/rollouts/gates/gates.ts'
import type { Gate } from '../../../../src/features/rollouts/shapes/schema.ts'
import { quantileRatio, shareDifference } from '../../../../src/metrics-store/bootstrap.ts'
import type { Sample } from '../../../../src/metrics-store/metrics.ts'
import { histogramOf, seededRandom } from '../../../histogram-of.ts'

/** Windows of 50 requests each, around that time. */
function group(
  seconds: number,
  { windows = 20, errors = 0, seed = 1 }: { windows?: number; errors?: number; seed?: number } = {},
): Group {
  const random = seededRandom(seed)
  const samples = Array.from({ length: windows }, (_, i): Sample => {
    const times = Array.from({ length: 50 }, () => seconds * (0.5 + random()))
    const stages = { firstByte: histogramOf(times) }
    const counters = { requests: 50, responses5xx: errors, cacheHits: 45, cacheMisses: 5 }
    return { nodeId: `n${i % 4}`, generation: 2, endedAtMs: i, counters, stages }
  })
  return { nodes: 4, samples }
}
const NOBODY: Group = { nodes: 0, samples: [] }
const p99: Gate = { metric: 'firstByteP99', max: 1.5, onFail: 'pause' }
const errors: Gate = { metric: 'errors5xx', max: 0.01, onFail: 'revert' }
const judge = (canary: Group, control: Group, gates: Gate[] = [p99]) =>
  judgeGates({ gates, minSamples: 500, canary, control, seed: 7 })

describe('a gate', () => {
  it('passes what is as fast as the others', () => {
    const { verdict, gates } = judge(group(0.01), group(0.01, { seed: 2 }))
    expect(verdict).toBe('pass')
    expect(gates[0]).toMatchObject({ canary: { nodes: 4, samples: 1_000 }, control: { nodes: 4 } })
  })

  it('fails what is slower without a doubt', () => {
    const { verdict, onFail, gates } = judge(group(0.03), group(0.01, { seed: 2 }))
    expect({ verdict, onFail }).toEqual({ verdict: 'fail', onFail: 'pause' })
    expect(gates[0]?.low).toBeGreaterThan(1.5)
  })

  it('concludes nothing from what may be either', () => {
    const slow = group(0.03, { windows: 1 }).samples
    const canary = { nodes: 4, samples: [...group(0.01).samples, ...slow] }
    expect(judge(canary, group(0.01, { seed: 2 })).verdict).toBe('inconclusive')
  })

  it('never passes without evidence', () => {
    for (const [canary, control] of [
      [NOBODY, NOBODY],
      [group(0.01), NOBODY],
      [NOBODY, group(0.01)],
      [group(0.01, { windows: 9 }), group(0.01)],
      [group(0.01), group(0.01, { windows: 9 })],
    ] as const) {
      expect(judge(canary, control, [p99, errors]).verdict).toBe('no_data')
    }
  })

  it('says how much of its evidence the nodes made themselves', () => {
    const quiet = group(0.01)
    const canary = {
      ...quiet,
      samples: quiet.samples.map((one) => ({
        ...one,
        counters: { ...one.counters, probeRequests: 40 },
      })),
    }
    const { gates, message } = judge(canary, group(0.01), [errors])
    expect(gates[0]).toMatchObject({ canary: { probed: 800 }, control: { probed: 0 } })
    expect(message).toContain('probes: 800, and 0 of the others')
    expect(judge(group(0.01), group(0.01), [errors]).message).not.toContain('probes')
  })

  it('fails more errors than the others have', () => {
    const { verdict, onFail, message } = judge(group(0.01, { errors: 2 }), group(0.01), [errors])
    expect({ verdict, onFail }).toEqual({ verdict: 'fail', onFail: 'revert' })
    expect(message).toContain('the share of 5xx is 0.04 higher')
  })

  it('blames no version for what the whole farm has', () => {
    const { verdict, message } = judge(group(0.01, { errors: 20 }), group(0.01, { errors: 10 }), [
      errors,
    ])
    expect(verdict).toBe('inconclusive')
    expect(message).toContain('answer 5xx too often themselves')
  })

  it('takes a lower hit ratio for worse', () => {
    const fewer = group(0.01)
    const canary = {
      ...fewer,
      samples: fewer.samples.map((one) => ({
        ...one,
        counters: { ...one.counters, cacheHits: 10, cacheMisses: 40 },
      })),
    }
    const gate: Gate = { metric: 'cacheHits', max: 0.2, onFail: 'pause' }
    expect(judge(canary, group(0.01), [gate]).verdict).toBe('fail')
    expect(judge(group(0.01), canary, [gate]).verdict).toBe('pass')
  })

  describe('of handshakes', () => {
    const gates: Gate[] = [
      { metric: 'handshakeFailures', max: 0.01, onFail: 'revert' },
      { metric: 'handshakeP99', max: 1.5, onFail: 'pause' },
    ]
    const shaking = (seconds: number, failed: number, seed = 1): Group => ({
      nodes: 4,
      samples: group(0.01, { seed }).samples.map((one) => ({
        ...one,
        counters: { ...one.counters, tlsHandshakes: 40, tlsHandshakeFailures: failed },
        stages: {
          ...one.stages,
          handshake: histogramOf(Array.from({ length: 40 }, () => seconds)),
        },
      })),
    })

    it('stops a certificate whose chain clients refuse, and one that is slow', () => {
      expect(judge(shaking(0.002, 0), shaking(0.002, 0, 2), gates).verdict).toBe('pass')
      const refused = judge(shaking(0.002, 10), shaking(0.002, 0, 2), gates)
      expect([refused.verdict, refused.onFail]).toEqual(['fail', 'revert'])
      expect(refused.message).toContain('the share of failed handshakes is 0.2 higher')
      const slow = judge(shaking(0.02, 0), shaking(0.002, 0, 2), gates)
      expect([slow.verdict, slow.onFail]).toEqual(['fail', 'pause'])
    })

    it('says that handshakes are lacking, not requests', () => {
      const { verdict, message } = judge(group(0.01), shaking(0.002, 0), gates)
      expect(verdict).toBe('no_data')
      expect(message).toContain('0 of 500 handshakes that are needed')
    })
  })

  const counting = (counters: Record<string, number>, seed = 1): Group => ({
    nodes: 4,
    samples: group(0.01, { seed }).samples.map((one) => ({
      ...one,
      counters: { ...one.counters, ...counters },
    })),
  })

  it('compares the share of 4xx, whichever of them it is', () => {
    const gate: Gate = { metric: 'errors4xx', max: 0.02, onFail: 'revert' }
    const usual = counting({ responses4xx: 5 }, 2)
    expect(judge(counting({ responses4xx: 5 }), usual, [gate]).verdict).toBe('pass')
    const forbidden = judge(counting({ responses4xx: 50 }), usual, [gate])
    expect(forbidden).toMatchObject({ verdict: 'fail', onFail: 'revert' })
    expect(forbidden.message).toContain('the share of 4xx is 0.9 higher')
  })

  it('compares the bytes of an answer: who sends much less does not serve the same', () => {
    const gate: Gate = { metric: 'bytesPerRequest', max: 4, onFail: 'revert' }
    const usual = counting({ bytesSent: 50 * 12_000 }, 2)
    const empty = judge(counting({ bytesSent: 50 * 400 }), usual, [gate])
    expect(empty).toMatchObject({ verdict: 'fail', onFail: 'revert' })
    expect(empty.gates[0]).toMatchObject({ value: 30, canary: { value: 400 } })
    expect(empty.message).toContain('the others’ bytes per request are 30.00 times as many')
    for (const bytes of [4_000, 12_000, 900_000]) {
      expect(judge(counting({ bytesSent: 50 * bytes }), usual, [gate]).verdict).toBe('pass')
    }
    expect(judge(counting({ bytesSent: 0 }), usual, [gate]).verdict).toBe('no_data')
  })

  it('does not pass while a node of the wave sends no measurements, and fails all the same', () => {
    const good = judge(group(0.01), group(0.01, { seed: 2 }))
    expect(withSilent(good, [])).toBe(good)
    const held = withSilent(good, ['edge-7'])
    expect(held).toMatchObject({ verdict: 'no_data', gates: good.gates })
    expect(held.message).toBe('no measurements have come from edge-7 for 30 s')
    const bad = judge(group(0.03), group(0.01, { seed: 2 }))
    expect(withSilent(bad, ['edge-7'])).toBe(bad)
  })

  it('is the same each time it is asked the same', () => {
    const [canary, control] = [group(0.012), group(0.01, { seed: 2 })]
    expect(judge(canary, control)).toEqual(judge(canary, control))
  })
})

describe('of several verdicts', () => {
  it('the worst counts', () => {
    expect(worst(['pass', 'inconclusive', 'no_data', 'fail'])).toBe('fail')
    expect(worst(['pass', 'inconclusive', 'no_data'])).toBe('no_data')
    expect(worst(['pass', 'inconclusive'])).toBe('inconclusive')
    expect(worst(['pass'])).toBe('pass')
    expect(worst([])).toBe('no_data')
  })
})

describe('an interval', () => {
  it('holds the true ratio nearly always', () => {
    let held = 0
    for (let seed = 0; seed < 40; seed++) {
      const [canary, control] = [
        group(0.02, { seed: seed * 2 + 1 }),
        group(0.01, { seed: seed * 2 + 2 }),
      ]
      const stagesOf = ({ samples }: Group) =>
        samples.flatMap(({ stages }) => stages.firstByte ?? [])
      const found = quantileRatio(stagesOf(canary), stagesOf(control), { q: 0.5, seed })
      // Buckets are 9 % wide, and the true ratio is 2.
      if (found && found.low <= 2.1 && found.high >= 1.9) held++
    }
    expect(held).toBeGreaterThan(34)
  })

  it('is as narrow as there is much to count', () => {
    const few = Array.from({ length: 4 }, (_, i) => ({ part: i % 2, whole: 10 }))
    const many = Array.from({ length: 400 }, (_, i) => ({ part: i % 2, whole: 10 }))
    const width = (units: typeof few) => {
      const { low, high } = shareDifference(units, many, { seed: 1 })
      return high - low
    }
    expect(width(many)).toBeLessThan(width(few))
  })
})
