// SPDX-License-Identifier: MIT
// Which node its own measurements call ill.
import { describe, expect, it } from 'vitest'
import { illOf, judgeWave } from '../../../../src/features/rollouts/gates/evidence.ts'
import { arrange, DEFAULT_GATES } from '../../../../src/features/rollouts/plan/strategy.ts'
import {
  firstProgress,
  type Rollout,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import type { Sample } from '../../../../src/metrics-store/metrics.ts'
import { histogramOf } from '../../../histogram-of.ts'

const NEW = 7
const task = (nodeId: string, change: Partial<Task> = {}): Task => ({
  ...{ nodeId, nodeName: nodeId, wave: 0, state: 'pending', generation: null, digest: 'new' },
  ...{
    previous: null,
    code: null,
    message: '',
    leftOutFor: null,
    errors: [],
    deadlineMs: null,
    offers: 0,
    flaps: 0,
  },
  ...{
    refusals: 0,
    kind: '',
    isExcused: false,
    isConnected: true,
    cordon: null,
    policyRules: null,
  },
  ...change,
})
const serving = (nodeId: string): Task =>
  task(nodeId, { state: 'healthy', generation: NEW, offers: 1 })
const rolloutOf = (...tasks: Task[]): Rollout => {
  const { policy } = arrange([], {}, { isFastPath: false })
  const progress = firstProgress(1, policy)
  const ofNow = { closed: null, room: null, roomHeldBy: [], isStorageFull: false }
  return { state: 'running', reason: { code: 'planned' }, policy, progress, tasks, ...ofNow }
}
const answered = (nodeId: string, counters: Record<string, number>, generation = NEW): Sample => ({
  nodeId,
  generation,
  endedAtMs: 1,
  counters: { requests: 100, ...counters },
  stages: {},
})
const ill = (rollout: Rollout, ...samples: Sample[]) =>
  illOf(rollout, {
    nowMs: 2,
    samplesOf: (ids) => samples.filter(({ nodeId }) => ids.includes(nodeId)),
    isConnected: () => true,
  })

it('a node that answers 404 to everything is ill at once, whoever is asked', () => {
  const all404 = answered('a', { responses4xx: 100, responses404: 100 })
  const message = '100 of 100 answers of a are 4xx'
  const found = [{ nodeId: 'a', gate: 'errors4xx', message }]
  const usual = { responses4xx: 4, responses404: 4 }
  expect(ill(rolloutOf(serving('a'), task('b')), all404, answered('b', usual, 3))).toEqual(found)
  // A single node is compared with what it did before.
  expect(ill(rolloutOf(serving('a')), all404, answered('a', usual, 3))).toEqual(found)
})

it('many 4xx are nobody’s fault where they are usual, or where nothing is known to compare with', () => {
  const many = { responses4xx: 40, responses404: 40 }
  const others = rolloutOf(serving('a'), task('b'))
  expect(ill(others, answered('a', many), answered('b', many, 3))).toEqual([])
  expect(ill(others, answered('a', many))).toEqual([])
  expect(ill(others, answered('a', { responses5xx: 40 }))).toMatchObject([{ gate: 'errors5xx' }])
})

it('careful asks for 5xx, 4xx, 404, bytes and time, and takes it back for all but time', () => {
  expect(DEFAULT_GATES.map(({ metric, onFail }) => [metric, onFail])).toEqual([
    ['errors5xx', 'revert'],
    ['errors4xx', 'revert'],
    ['errors404', 'revert'],
    ['bytesPerRequest', 'revert'],
    ['firstByteP99', 'pause'],
  ])
})

describe('a single node whose order names gates', () => {
  const strategy = {
    gates: [{ metric: 'readWaitP99' as const, max: 0.8, onFail: 'revert' as const }],
    minSamples: 100,
  }
  const waited = (seconds: number, generation: number): Sample[] =>
    Array.from({ length: 4 }, () => ({
      ...answered('a', {}, generation),
      stages: { readWait: histogramOf(Array<number>(50).fill(seconds)) },
    }))
  const judge = (samples: Sample[], gates: object = strategy) => {
    const { policy } = arrange([], gates, { isFastPath: false, isAlone: true })
    const rollout = rolloutOf(serving('a'))
    const progress = { ...rollout.progress, phase: 'soaking' as const, soakedMs: 40_000 }
    const measured = { nowMs: 2, samplesOf: () => samples, isConnected: () => true }
    return judgeWave('rollout_x', { ...rollout, policy, progress }, measured)?.judged
  }

  it('is compared with what it did before', () => {
    const better = judge([...waited(0.5, NEW - 1), ...waited(0.2, NEW)])
    expect(better?.verdict).toBe('pass')
    expect(better?.message).toContain('times its own before')
    const same = judge([...waited(0.5, NEW - 1), ...waited(0.5, NEW)])
    expect([same?.verdict, same?.onFail]).toEqual(['fail', 'revert'])
  })
  it('passes nothing once that is not known any more', () => {
    const judged = judge(waited(0.2, NEW))
    expect(judged?.verdict).toBe('no_data')
    expect(judged?.message).toContain('is not known any more')
  })
  it('is compared with nobody when its order names none', () => {
    const samples = [...waited(0.5, NEW - 1), ...waited(0.2, NEW)]
    const judged = judge(samples, { minSamples: 100 })
    expect(judged?.verdict).toBe('no_data')
    expect(judged?.message).toContain('no other node had requests')
  })
})
