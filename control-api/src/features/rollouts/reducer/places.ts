// SPDX-License-Identifier: MIT
// Where each node's task is in a rollout's list, so that nobody has to search ten thousand for one. A list keeps its
// order and its nodes as long as the rollout lives, so its copies share what was found out once.
import type { Task } from './model.ts'

type Tasks = readonly Task[]
type Places = ReadonlyMap<string, number>

const known = new WeakMap<Tasks, Places>()

function placesIn(tasks: Tasks): Places {
  const found = known.get(tasks)
  if (found) return found
  const places = new Map(tasks.map(({ nodeId }, at) => [nodeId, at]))
  known.set(tasks, places)
  return places
}

export const placeOf = (tasks: Tasks, nodeId: string): number | undefined =>
  placesIn(tasks).get(nodeId)

export function taskOf(tasks: Tasks, nodeId: string): Task | undefined {
  const at = placeOf(tasks, nodeId)
  return at === undefined ? undefined : tasks[at]
}

/** For who changes some of them. */
export function copyOf(tasks: Tasks): Task[] {
  const copy = tasks.slice()
  known.set(copy, placesIn(tasks))
  return copy
}
