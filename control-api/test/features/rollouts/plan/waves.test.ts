// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { arrange, planDigestOf } from '../../../../src/features/rollouts/plan/strategy.ts'
import { CAREFUL, planWaves, type WaveNode } from '../../../../src/features/rollouts/plan/waves.ts'
import { AT_ONCE } from '../../../../src/features/rollouts/reducer/model.ts'

const node = (id: string, change: Partial<WaveNode> = {}): WaveNode => ({
  id,
  throughput: null,
  kind: 'debian',
  domain: null,
  isConnected: true,
  ...change,
})
const farm = (count: number, change: (i: number) => Partial<WaveNode> = () => ({})) =>
  Array.from({ length: count }, (_, i) => node(`n${String(i).padStart(2, '0')}`, change(i)))
const ids = (waves: WaveNode[][]) => waves.map((wave) => wave.map(({ id }) => id))
const sizes = (waves: WaveNode[][]) => waves.map((wave) => wave.length)

describe('waves', () => {
  it('count from the first on, and the last takes what is left', () => {
    expect(sizes(planWaves(farm(20), [{ nodes: 1 }, { percent: 25 }, { percent: 50 }]))).toEqual([
      1, 4, 15,
    ])
  })

  it('have every node once, whatever they are', () => {
    const nodes = farm(37, (i) => ({ throughput: i * 10, kind: `k${i % 3}`, domain: `z${i % 4}` }))
    const waves = planWaves(nodes, CAREFUL)
    expect(ids(waves).flat().toSorted()).toEqual(nodes.map(({ id }) => id))
  })

  it('begin with one of each kind', () => {
    const nodes = farm(6, (i) => ({ kind: i < 4 ? 'debian' : 'alpine' }))
    expect(ids(planWaves(nodes, CAREFUL))[0]).toEqual(['n00', 'n04'])
  })

  it('weigh nodes by what they serve', () => {
    const nodes = farm(5, (i) => ({ throughput: i === 0 ? 60 : 10 }))
    // The first serves 60 %; it alone is more than was asked for, and a wave has at least one.
    expect(ids(planWaves(nodes, [{ throughputPercent: 50 }, { throughputPercent: 100 }]))).toEqual([
      ['n00'],
      ['n01', 'n02', 'n03', 'n04'],
    ])
  })

  it('stay within one failure domain while they are small', () => {
    const nodes = farm(40, (i) => ({ domain: `z${i % 2}` }))
    const [first = [], second = []] = planWaves(nodes, [
      { percent: 10 },
      { percent: 20 },
      { percent: 100 },
    ])
    for (const wave of [first, second]) {
      expect(new Set(wave.map(({ domain }) => domain)).size).toBe(1)
      expect(wave).toHaveLength(4)
    }
  })

  it('begin with nodes that are there', () => {
    const nodes = farm(3, (i) => ({ isConnected: i === 2 }))
    expect(ids(planWaves(nodes, [{ nodes: 1 }, { percent: 100 }]))[0]).toEqual(['n02'])
  })
})

const SLOW = { isFastPath: false }
const FAST = { isFastPath: true }

describe('a plan', () => {
  it('at once is one wave with nothing asked', () => {
    const { policy, waves, waveOf } = arrange(farm(3), { atOnce: true }, SLOW)
    expect(policy).toEqual(AT_ONCE)
    expect(waves).toBe(1)
    expect([...waveOf.values()]).toEqual([0, 0, 0])
  })

  it('has a value for everything that was not said', () => {
    expect(arrange(farm(200), {}, SLOW).policy).toMatchObject({
      maxParallel: 10,
      blastBudget: 40,
      minHealthyMs: 30_000,
      soakMs: 120_000,
      maxSoakMs: 900_000,
      progressDeadlineMs: 600_000,
      onFailure: 'revert',
    })
  })

  it('of what succeeded lately keeps the gates that take it back, and goes four times as fast', () => {
    const usual = arrange(farm(20), {}, SLOW).policy
    const fast = arrange(farm(20), {}, FAST).policy
    expect(fast).toMatchObject({ isFastPath: true, maxParallel: 4 * (usual.maxParallel ?? 0) })
    expect(fast.gates).toEqual(usual.gates.filter(({ onFail }) => onFail === 'revert'))
    expect(fast.gates).toHaveLength(4)
    expect(fast).toMatchObject({ minHealthyMs: usual.minHealthyMs, soakMs: usual.soakMs })
    const bounded = arrange(farm(20), { maxParallel: 1, blastBudget: 2 }, FAST).policy
    expect(bounded.blastBudget).toBe(2)
    expect(arrange(farm(3), { atOnce: true }, FAST).policy).toEqual(AT_ONCE)
  })

  it('has another digest as soon as anything of it is another', async () => {
    const planned = { nodeId: 'a', digest: 'd', isCordoned: false }
    const nodes = [planned]
    const release = { config: 'default', version: 1 }
    const digest = await planDigestOf(release, arrange([node('a')], {}, SLOW), nodes)
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await planDigestOf(release, arrange([node('a')], {}, SLOW), nodes)).toBe(digest)
    const others = [
      planDigestOf({ ...release, version: 2 }, arrange([node('a')], {}, SLOW), nodes),
      planDigestOf(release, arrange([node('a')], { soakSeconds: 1 }, SLOW), nodes),
      planDigestOf(release, arrange([node('a')], { applySeconds: 60 }, SLOW), nodes),
      planDigestOf(release, arrange([node('a')], { probes: [{ path: '/' }] }, SLOW), nodes),
      planDigestOf(release, arrange([node('a')], {}, FAST), nodes),
      planDigestOf(release, arrange([node('a')], {}, SLOW), [{ ...planned, digest: 'e' }]),
      planDigestOf(release, arrange([node('a')], {}, SLOW), [{ ...planned, isCordoned: true }]),
    ]
    expect(await Promise.all(others)).not.toContain(digest)
  })
})
