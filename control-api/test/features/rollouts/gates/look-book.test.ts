// SPDX-License-Identifier: MIT
// Whom to ask for files of a release, and what counts as answered.
import { describe, expect, it } from 'vitest'
import { LookBook } from '../../../../src/features/rollouts/gates/look-book.ts'
import type { LookedFile } from '../../../../src/features/rollouts/gates/looks.ts'
import {
  AT_ONCE,
  type Rollout,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import type { ProbeAnswer } from '../../../../src/fleet/probe-orders.ts'

const task = (nodeId: string) => ({ nodeId, nodeName: nodeId }) as Task
const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map(task) as [
  Task,
  Task,
  Task,
  Task,
  Task,
  Task,
]
const files: LookedFile[] = [{ url: '/x', key: 'www:x', sha256: 'x', release: 'www@2' }]
const answers: ProbeAnswer[] = [{ status: 200, bytes: 1, sha256: 'x', mediaType: null }]
const rollout = (soakedMs: number, wave = 0, isWanted = true) =>
  ({
    policy: {
      ...AT_ONCE,
      gates: isWanted ? [{ metric: 'releaseFiles', max: 0, onFail: 'pause' }] : [],
    },
    progress: { wave, soakedMs },
  }) as unknown as Rollout

function book() {
  const clock = { nowMs: 0 }
  const kept = new LookBook(() => clock.nowMs)
  const anybody = (_nodeId: string) => true
  const all = { isAble: anybody, isConnected: anybody }
  const due = (seen: Rollout, canary: Task[], control: Task[] = [], able = all) => {
    const whom = kept.whomToAsk('r', seen, { canary, control }, able)
    return [whom.canary, whom.control].map((side) => side.map(({ nodeId }) => nodeId).join(''))
  }
  const said = (seen: Rollout) =>
    kept
      .lookedOf('r', seen)
      ?.canary.map(({ nodeName, answers: of }) => `${nodeName}${of ? '!' : ''}`)
  return { kept, clock, due, said }
}

describe('who is asked for files', () => {
  it('is each node of the wave once, and three others', () => {
    const { kept, due, said } = book()
    expect(due(rollout(1), [a, b], [c, d, e, f])).toEqual(['ab', 'cde'])
    const hear = kept.asked('r', 'canary', a, files)
    for (const one of [c, d, e]) kept.asked('r', 'control', one, files)
    expect(due(rollout(2), [a, b], [c, d, e, f])).toEqual(['b', ''])
    expect(kept.isAwaited('r')).toBe(true)
    hear(answers)
    expect(said(rollout(2))).toEqual(['a!', 'b'])
  })

  it('is asked again when nothing came for a minute, and its late answer counts no more', () => {
    const { kept, clock, due, said } = book()
    due(rollout(1), [a])
    const late = kept.asked('r', 'canary', a, files)
    clock.nowMs = 59_999
    expect(due(rollout(2), [a])).toEqual(['', ''])
    clock.nowMs = 60_000
    expect(kept.isAwaited('r')).toBe(false)
    expect(due(rollout(3), [a])).toEqual(['a', ''])
    const again = kept.asked('r', 'canary', a, files)
    late(answers)
    expect(said(rollout(3))).toEqual(['a'])
    again(answers)
    expect(said(rollout(3))).toEqual(['a!'])
  })

  it.each([
    ['a wave that is watched anew', rollout(1)],
    ['the next wave', rollout(20, 1)],
  ])('%s asks anew', (_, next) => {
    const { kept, due, said } = book()
    due(rollout(10), [a])
    kept.asked('r', 'canary', a, files)(answers)
    expect(due(next, [a])).toEqual(['a', ''])
    expect(said(next)).toEqual(['a'])
  })

  it('is nobody who is away or cannot say it; who can and is away is waited for', () => {
    const { kept, due, said } = book()
    const able = {
      isAble: (nodeId: string) => nodeId !== 'b',
      isConnected: (nodeId: string) => nodeId !== 'c',
    }
    expect(due(rollout(1), [a, b, c], [], able)).toEqual(['a', ''])
    expect(said(rollout(1))).toEqual(['a', 'c'])
    expect(kept.lookedOf('r', rollout(1))?.unableNodes).toBe(1)
    // It is gone: nobody waits for it.
    due(rollout(2), [a], [], able)
    expect(said(rollout(2))).toEqual(['a'])
  })

  it('says nothing to gates that do not ask, and keeps nothing of what is over', () => {
    const { kept, due } = book()
    expect(kept.lookedOf('r', rollout(1, 0, false))).toBeNull()
    due(rollout(1), [a])
    kept.asked('r', 'canary', a, files)
    kept.keepOnly(() => false)
    expect(kept.isAwaited('r')).toBe(false)
  })
})
