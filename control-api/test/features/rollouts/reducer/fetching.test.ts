// SPDX-License-Identifier: MIT
// A node that fetches a release before it answers has time as long as it comes further.
import { expect, test } from 'vitest'
import { AT_ONCE, FETCHING_MS, type Task } from '../../../../src/features/rollouts/reducer/model.ts'
import { advance } from '../../../../src/features/rollouts/reducer/tasks.ts'

const task = (change: Partial<Task>): Task => ({
  ...{ nodeId: 'n1', nodeName: 'edge-1', wave: 0, state: 'offered', generation: 7 },
  ...{ digest: 'sha256:new', previous: { generation: 3, digest: 'sha256:old' }, code: null },
  ...{ message: '', leftOutFor: null, errors: [], deadlineMs: 10, offers: 1, flaps: 0 },
  ...{ refusals: 0, kind: 'Debian', policyRules: null, isExcused: false, isConnected: true },
  ...{ cordon: null, ...change },
})
const FETCHING = { kind: 'fetching', nodeId: 'n1', files: 10_000, filesDone: 1200 } as const
const told = (change: Partial<Task>, event: Parameters<typeof advance>[1] = FETCHING) =>
  advance(task(change), event, AT_ONCE)

test('it has time to come further, and its task says how far it is', () => {
  const message = 'fetching 1,200 of 10,000 files'
  expect(told({})).toEqual([task({ deadlineMs: FETCHING_MS, message })])
  expect(told({}, { ...FETCHING, files: 0, filesDone: 0 })).toMatchObject([
    { message: 'fetching the list of files' },
  ])
  // On the way back, too, while its answer is waited for.
  expect(told({ state: 'reverting' })).toMatchObject([{ deadlineMs: FETCHING_MS, message }])
  expect(told({ state: 'reverting', deadlineMs: 0 })).toEqual([])
})

test('who has answered, or was offered nothing, is not told of', () => {
  for (const state of ['pending', 'applying', 'done', 'unreachable', 'skipped'] as const) {
    expect(told({ state }), state).toEqual([])
  }
})

test('with the answer the words go', () => {
  const [, applying] = told(
    { message: 'fetching 1,200 of 10,000 files' },
    { kind: 'acked', nodeId: 'n1', generation: 7 },
  )
  expect(applying).toMatchObject({ state: 'applying', message: '' })
})
