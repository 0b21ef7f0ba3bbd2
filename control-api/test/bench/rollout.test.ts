// SPDX-License-Identifier: MIT
// The bench itself, with a few nodes: that it measures, not how fast this machine is. Needs a release build.
import { expect, test } from 'vitest'
import { measure, table } from './rollout.ts'
import { spans } from './rollout-times.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()
const task = (updatedAt: string, state = 'done') => ({ state, updatedAt })
const ended = { state: 'succeeded', stateVersion: 2, reason: '', createdAt: at(1), endedAt: at(9) }

test('times count from the start of the rollout', () => {
  const tasks = [task(at(3)), task(at(2)), task(at(9))]
  const spent = { ended: 'succeeded', healthy: 3, halfMs: 2000, allMs: 8000 }
  expect(spans({ ...ended, tasks })).toEqual(spent)
})

test('a node that was left behind is said to be', () => {
  const tasks = [task(at(3)), task(at(2), 'unreachable')]
  const paused = { ...ended, state: 'paused', reason: 'One is away.', tasks }
  expect(spans(paused)).toMatchObject({ ended: 'paused: One is away.', healthy: 1, allMs: 2000 })
})

test('brings versions to simulated and real nodes', { timeout: 120_000 }, async () => {
  const costs = await measure({ nodes: 8, real: 1, seconds: 1, say: () => {} })
  expect(costs.nodes).toBe(9)
  expect(costs.connectedBytes).toBeGreaterThan(0)
  for (const { ended, healthy, halfMs, allMs, cpuMsPerNode } of costs.rows) {
    expect({ ended, healthy }).toEqual({ ended: 'succeeded', healthy: 9 })
    expect(allMs).toBeGreaterThanOrEqual(halfMs)
    expect(cpuMsPerNode).toBeGreaterThan(0)
  }
  expect(table(costs).filter((line) => line.startsWith('|'))).toHaveLength(costs.rows.length + 2)
})
