// SPDX-License-Identifier: MIT
// Advice near its bounds does not vanish under who reads it.
import { expect, test } from 'vitest'
import { HELD_MS, holdAdvice } from '../../../src/features/advice/held.ts'
import type { Advice, Rule } from '../../../src/features/advice/schema.ts'

const adviceOf = (rule: Rule): Advice => ({
  ...{ rule, title: rule, sentence: '', figures: [], arithmetic: [] },
  ...{ change: null, whyNoChange: '' },
})
const NOW_MS = Date.parse('2026-11-26T12:00:00.000Z')
const MINUTE_MS = 60_000

function held(nodesMax = 10) {
  const clock = { nowMs: NOW_MS }
  const given = { generation: 1 as number | null, asked: 0 }
  const hold = holdAdvice({
    now: () => clock.nowMs,
    generationOf: async () => {
      given.asked++
      return given.generation
    },
    nodesMax,
  })
  const shown = async (nodeId: string, ...rules: Rule[]) =>
    (await hold(nodeId, rules.map(adviceOf))).map(({ rule, lastSoAt }) => [rule, lastSoAt])
  return { clock, given, shown }
}

test('what is not so any more is shown with when it was, for five minutes from then', async () => {
  const { clock, shown } = held()
  expect(await shown('node_1', 'readThreads')).toEqual([['readThreads', null]])
  clock.nowMs += MINUTE_MS
  expect(await shown('node_1', 'readThreads')).toEqual([['readThreads', null]])
  clock.nowMs += MINUTE_MS
  const lastSo = ['readThreads', '2026-11-26T12:01:00.000Z']
  expect(await shown('node_1')).toEqual([lastSo])
  expect(await shown('node_1', 'slowClients')).toEqual([['slowClients', null], lastSo])
  clock.nowMs = NOW_MS + MINUTE_MS + HELD_MS
  expect(await shown('node_1')).toEqual([['slowClients', '2026-11-26T12:02:00.000Z']])
})

test('is so again under the same rule, once', async () => {
  const { clock, shown } = held()
  await shown('node_1', 'readThreads')
  // Also to who asks within the same millisecond.
  expect(await shown('node_1')).toEqual([['readThreads', '2026-11-26T12:00:00.000Z']])
  clock.nowMs += MINUTE_MS
  await shown('node_1')
  expect(await shown('node_1', 'readThreads')).toEqual([['readThreads', null]])
})

test('is about the config that the node had: with another one it is gone', async () => {
  const { given, shown } = held()
  await shown('node_1', 'readThreads')
  given.generation = 2
  expect(await shown('node_1')).toEqual([])
  given.generation = 1
  expect(await shown('node_1')).toEqual([])
})

test('is each node’s own, and of so many nodes at most, the first of which are let go', async () => {
  const { given, shown } = held(2)
  for (const id of ['node_1', 'node_2', 'node_3']) await shown(id, 'statCache')
  const held3 = await Promise.all(['node_1', 'node_2', 'node_3'].map((id) => shown(id)))
  expect(held3.map((some) => some.length)).toEqual([0, 1, 1])
  const { asked } = given
  await shown('node_of_which_nothing_was_ever_advised')
  expect(given.asked).toBe(asked)
})
