// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { Unit } from '../../../src/audit/write.ts'
import type { Task } from '../../../src/features/rollouts/reducer/model.ts'
import { createTaskMemory } from '../../../src/features/rollouts/store/task-memory.ts'

const tasks = (count: number) => Array.from({ length: count }, () => ({}) as Task)

/** As if a transaction had left them so. */
function commit(memory: ReturnType<typeof createTaskMemory>, id: string, count: number) {
  const effects: (() => void)[] = []
  const unit = { afterCommit: (effect: () => void) => effects.push(effect) } as unknown as Unit
  memory.keep(unit, id, tasks(count))
  for (const effect of effects) effect()
}

test.each([
  ['by how many rollouts there are', { rollouts: 2, tasks: 1000 }, [10, 10, 10], ['2', '3']],
  ['by how many tasks they have', { rollouts: 8, tasks: 100 }, [60, 60, 30], ['2', '3']],
  ['several for one', { rollouts: 8, tasks: 100 }, [30, 30, 30, 90], ['4']],
  ['but never the newest', { rollouts: 8, tasks: 100 }, [10, 500], ['2']],
])('lets go of the oldest %s', (_what, most, counts, left) => {
  const memory = createTaskMemory(most)
  for (const [i, count] of counts.entries()) commit(memory, `${i + 1}`, count)
  expect(memory.ids()).toEqual(left)
})

test('one that is asked for stays before those that are not', () => {
  const memory = createTaskMemory({ rollouts: 2, tasks: 1000 })
  commit(memory, 'a', 10)
  commit(memory, 'b', 10)
  commit(memory, 'a', 10)
  commit(memory, 'c', 10)
  expect(memory.ids()).toEqual(['a', 'c'])
})
