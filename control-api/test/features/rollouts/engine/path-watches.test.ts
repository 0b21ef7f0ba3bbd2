// SPDX-License-Identifier: MIT
// Which nodes are asked to count requests below the paths of gates.
import { expect, test } from 'vitest'
import { createPathWatches } from '../../../../src/features/rollouts/engine/path-watches.ts'
import type { Rollout, Task } from '../../../../src/features/rollouts/reducer/model.ts'

const rollout = {
  policy: { gates: [{ metric: 'errors404', path: '/docs/', max: 0.02, onFail: 'revert' }] },
} as unknown as Rollout
const tasks = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => ({ nodeId: `${name}${i}` }) as Task)

function watching(isAble = (_: string) => true) {
  const state = { nowMs: 0, ableAsked: 0 }
  const told = new Map<string, number>()
  const sides = { canary: tasks(5_000, 'canary'), control: tasks(500, 'control') }
  const nodeIds = [...sides.canary, ...sides.control].map(({ nodeId }) => nodeId)
  const able = new Set(nodeIds.filter(isAble))
  const watches = createPathWatches({
    ableOf: async () => {
      state.ableAsked++
      return able
    },
    isConnected: () => true,
    watch: (nodeId) => told.set(nodeId, (told.get(nodeId) ?? 0) + 1),
    monotonicMs: () => state.nowMs,
  })
  return { state, told, sides, watches }
}

test('each of a large wave has its turn before any is asked again, and those without the version as well', async () => {
  const { state, told, sides, watches } = watching()
  for (let look = 0; look < 52; look++) {
    await watches.ask('r1', rollout, sides)
    state.nowMs += 5_000
  }
  expect(told.size).toBe(5_000 + 200)
  expect(Math.max(...told.values())).toBe(1)
  expect([...told.keys()].filter((nodeId) => nodeId.startsWith('control'))).toHaveLength(200)
})

test('who can is asked only while somebody is due', async () => {
  const { state, told, watches } = watching()
  const few = { canary: tasks(3, 'canary'), control: [] }
  for (let look = 0; look < 12; look++) {
    await watches.ask('r1', rollout, few)
    state.nowMs += 5_000
  }
  expect(state.ableAsked).toBe(1)
  await watches.ask('r1', rollout, few)
  expect([...told.values()]).toEqual([2, 2, 2])
})

test('those that can’t are passed over', async () => {
  const { told, sides, watches } = watching((nodeId) => nodeId === 'canary7')
  await watches.ask('r1', rollout, sides)
  expect([...told.keys()]).toEqual(['canary7'])
})
