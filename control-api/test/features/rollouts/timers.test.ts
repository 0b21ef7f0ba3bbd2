// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { AT_ONCE, firstProgress } from '../../../src/features/rollouts/reducer/model.ts'
import { timersOf } from '../../../src/features/rollouts/timers.ts'

type Known = Parameters<typeof timersOf>[0]
const policy = { ...AT_ONCE, soakMs: 120_000, maxSoakMs: 900_000, progressDeadlineMs: 600_000 }
const progress = firstProgress(2, policy)
const soaking = { ...progress, phase: 'soaking' as const, soakedMs: 30_000 }
const gates = [{ metric: 'errors5xx' as const, max: 0.01, onFail: 'revert' as const }]
const manual = { kind: 'manual' as const, why: { cause: 'paused' as const, by: 'ana', why: '' } }
const known = (change: Partial<Known>): Known => ({
  ...{ state: 'running', policy, progress, reason: { code: 'planned' } },
  ...{ startAtMs: null, opensAtMs: null, node: null, nowMs: 1_000_000 },
  ...change,
})
const told = (change: Partial<Known>) =>
  timersOf(known(change)).map(
    ({ kind, leftSeconds, isRunning }) => `${kind} ${leftSeconds}${isRunning ? '' : ' stands'}`,
  )

describe('the timers of a rollout', () => {
  test('count down to its start, and to the end of its wait for approvals', () => {
    const until = new Date(1_060_000).toISOString()
    const reason = { code: 'awaiting_approval' as const, given: 0, needed: 1, until }
    const waits = { ...progress, progressLeftMs: null }
    expect(told({ state: 'scheduled', startAtMs: 1_030_000, progress: waits })).toEqual([
      'start 30',
    ])
    expect(told({ state: 'awaiting_approval', reason, progress: waits })).toEqual(['approval 60'])
    expect(told({ state: 'scheduled', startAtMs: 1, progress: waits })).toEqual(['start 0'])
  })

  test('say how long the first wave waits for files when nobody comes further', () => {
    const first = { ...policy, filesFirstMs: 300_000, progressDeadlineMs: null }
    const files = { now: null, stillMs: 20_000, unheardMs: 0 }
    const at = { ...firstProgress(2, first), files }
    expect(told({ policy: first, progress: at })).toEqual(['files 280'])
    const heard = { ...at, files: { ...files, unheardMs: 1 } }
    expect(told({ policy: first, progress: heard })).toEqual(['files 280 stands'])
    expect(told({ policy: first, progress: { ...at, hold: manual } })).toEqual([])
  })

  test('say who has to answer first, and when', () => {
    const node = { nodeId: 'node_1', nodeName: 'edge-1', state: 'applying', leftMs: 4000 }
    expect(timersOf(known({ node }))[0]).toEqual({
      ...{ kind: 'node', leftSeconds: 4, isRunning: true },
      node: { nodeId: 'node_1', nodeName: 'edge-1', state: 'applying' },
    })
  })

  test('count a soak down, then the time for evidence', () => {
    expect(told({ progress: soaking })).toEqual(['soak 90', 'progress 600'])
    const soaked = { ...soaking, soakedMs: 150_000 }
    expect(told({ progress: soaked })).toEqual(['progress 600'])
    expect(told({ progress: soaked, policy: { ...policy, gates } })).toEqual([
      'evidence 750',
      'progress 600',
    ])
  })

  test('stand while somebody has paused it, and run on while evidence is wanted', () => {
    const paused = { state: 'paused' as const }
    expect(told({ ...paused, progress: { ...soaking, hold: manual } })).toEqual([
      'progress 600 stands',
    ])
    const gate = { ...manual, kind: 'gate_no_data' as const }
    expect(told({ ...paused, progress: { ...soaking, hold: gate } })).toEqual(['progress 600'])
  })

  test('are of the window alone before a wave that waits for it', () => {
    const waits = { ...progress, phase: 'waiting' as const }
    expect(told({ progress: waits, opensAtMs: 1_005_000 })).toEqual([
      'window 5',
      'progress 600 stands',
    ])
  })

  test('are none of the way forward when it goes back', () => {
    expect(told({ state: 'reverting', progress: { ...soaking, goesBack: manual.why } })).toEqual([])
  })
})
