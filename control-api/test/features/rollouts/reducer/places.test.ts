// SPDX-License-Identifier: MIT
// What was found out about the tasks of a list is right for each of its copies, whatever was replaced in which of them.
import { expect, test } from 'vitest'
import type { Task } from '../../../../src/features/rollouts/reducer/model.ts'
import {
  changesBetween,
  copyOf,
  firstOfWave,
  howMany,
  isAny,
  isAnyOfWave,
  placeOf,
  replace,
  which,
  whichOfWave,
} from '../../../../src/features/rollouts/reducer/places.ts'

const NODES = 1_000
const task = (at: number): Task => ({
  ...{ nodeId: `n${at}`, nodeName: `n${at}`, wave: at % 3, state: 'pending', generation: null },
  ...{ digest: '', previous: null, code: null, message: '', leftOutFor: null, errors: [] },
  ...{ deadlineMs: null, offers: 0, flaps: 0, refusals: 0, kind: '', policyRules: null },
  ...{ isExcused: false, isConnected: true, cordon: null },
})
const isDone = ({ state }: Task) => state === 'done'

function expectRight(tasks: readonly Task[]): void {
  const done = tasks.filter(isDone)
  expect(which(tasks, isDone)).toEqual(done)
  expect(howMany(tasks, isDone)).toBe(done.length)
  expect(isAny(tasks, isDone)).toBe(done.length > 0)
  for (const wave of [0, 1, 2, 3]) {
    const ofIt = done.filter((one) => one.wave === wave)
    expect(whichOfWave(tasks, wave, isDone)).toEqual(ofIt)
    expect(isAnyOfWave(tasks, wave, isDone)).toBe(ofIt.length > 0)
    const first = { first: ofIt.slice(0, 2), count: ofIt.length }
    expect(firstOfWave(tasks, wave, isDone, 2)).toEqual(first)
  }
}

test('each copy knows its own tasks', () => {
  const first = Array.from({ length: NODES }, (_, at) => task(at))
  expectRight(first)
  const second = copyOf(first)
  // Some of a stretch, of another and of the last, and one that goes to another wave.
  for (const at of [3, 4, 500, NODES - 1]) replace(second, at, { ...task(at), state: 'done' })
  const third = copyOf(second)
  replace(third, 4, { ...task(4), state: 'done', wave: 2 })
  replace(second, 130, { ...task(130), state: 'done' })
  replace(third, 500, task(500))
  for (const tasks of [first, second, third]) expectRight(tasks)
  expect(placeOf(third, 'n500')).toBe(500)
})

test('what is between two copies is what was replaced', () => {
  const before = Array.from({ length: NODES }, (_, at) => task(at))
  const after = copyOf(before)
  expect(changesBetween(before, after)).toEqual([])
  const changed = [0, 127, 128, NODES - 1].map((at) => ({ ...task(at), state: 'done' as const }))
  for (const one of changed) replace(after, placeOf(after, one.nodeId) ?? -1, one)
  const found = changesBetween(before, after)
  expect(found.map((one) => one.after)).toEqual(changed)
  expect(found.map((one) => one.before.state)).toEqual(Array(4).fill('pending'))
  expect(changesBetween(before, [...after]).map((one) => one.after)).toEqual(changed)
})
