// SPDX-License-Identifier: MIT
// Where each node's task is in a rollout's list, and which tasks are as somebody asks for, so that nobody has to look at
// ten thousand for a few. A list keeps its order and its nodes as long as the rollout lives. So its copies share what was
// found out once: where each is for good, and of each stretch which tasks are so until one of it is replaced.
import type { Task } from './model.ts'

type Tasks = readonly Task[]
type Places = ReadonlyMap<string, number>
/** Of the task alone, and the same function each time: what it found is kept with it. */
type Test = (task: Task) => boolean
type Found = { all: Tasks; byWave: ReadonlyMap<number, Tasks> | null }
/** Nothing in it changes: who replaces a task gets another one. */
type Stretch = Map<Test, Found>

/** Tasks of a stretch: as many as are looked at again when one of them changes. */
const LENGTH = 128
const NONE: Tasks = []

/** How much of what happens outside it a list shows: up to this mark of whose count it is. */
type Shown = { of: object; mark: number }

const places = new WeakMap<Tasks, Places>()
const sortedIds = new WeakMap<Tasks, readonly string[]>()
const stretches = new WeakMap<Tasks, Stretch[]>()
const shown = new WeakMap<Tasks, Shown>()

function placesIn(tasks: Tasks): Places {
  const known = places.get(tasks)
  if (known) return known
  const found = new Map(tasks.map(({ nodeId }, at) => [nodeId, at]))
  places.set(tasks, found)
  return found
}

export const placeOf = (tasks: Tasks, nodeId: string): number | undefined =>
  placesIn(tasks).get(nodeId)

/** Of all nodes: the order that stays when a node is renamed. */
export function idsInOrder(tasks: Tasks): readonly string[] {
  const known = sortedIds.get(tasks)
  if (known) return known
  const ids = tasks.map(({ nodeId }) => nodeId).sort()
  sortedIds.set(tasks, ids)
  return ids
}

export function taskOf(tasks: Tasks, nodeId: string): Task | undefined {
  const at = placeOf(tasks, nodeId)
  return at === undefined ? undefined : tasks[at]
}

function stretchesOf(tasks: Tasks): Stretch[] {
  const known = stretches.get(tasks)
  if (known) return known
  const made = Array.from({ length: Math.ceil(tasks.length / LENGTH) }, (): Stretch => new Map())
  stretches.set(tasks, made)
  return made
}

/** For who changes some of them: with `replace`, never in place. */
export function copyOf(tasks: Tasks): Task[] {
  const copy = tasks.slice()
  places.set(copy, placesIn(tasks))
  stretches.set(copy, stretchesOf(tasks).slice())
  const ids = sortedIds.get(tasks)
  if (ids) sortedIds.set(copy, ids)
  const its = shown.get(tasks)
  if (its) shown.set(copy, its)
  return copy
}

/** In a copy of one's own. */
export function replace(own: Task[], at: number, task: Task): void {
  own[at] = task
  stretchesOf(own)[Math.floor(at / LENGTH)] = new Map()
}

/** undefined: nobody has said. Its copies show as much. */
export const shownBy = (tasks: Tasks): Shown | undefined => shown.get(tasks)
export const noteShown = (tasks: Tasks, its: Shown): void => void shown.set(tasks, its)

/** In the order of the list; `look` says true when that is enough. Each event asks of all stretches: nothing is made for it. */
function eachFound(tasks: Tasks, test: Test, look: (found: Found) => unknown): void {
  const all = stretchesOf(tasks)
  for (let i = 0; i < all.length; i++) {
    const stretch = all[i] as Stretch
    let found = stretch.get(test)
    if (!found) {
      const those = tasks.slice(i * LENGTH, (i + 1) * LENGTH).filter(test)
      found = { all: those.length > 0 ? those : NONE, byWave: null }
      stretch.set(test, found)
    }
    if (found.all.length > 0 && look(found) === true) return
  }
}

function inWave(found: Found, wave: number): Tasks {
  found.byWave ??= Map.groupBy(found.all, (task) => task.wave)
  return found.byWave.get(wave) ?? NONE
}

function addTo(list: Task[], tasks: Tasks): void {
  for (const task of tasks) list.push(task)
}

/** Those that are so, in their order. */
export function which(tasks: Tasks, test: Test): Tasks {
  const list: Task[] = []
  eachFound(tasks, test, ({ all }) => addTo(list, all))
  return list
}

export function whichOfWave(tasks: Tasks, wave: number, test: Test): Tasks {
  const list: Task[] = []
  eachFound(tasks, test, (found) => addTo(list, inWave(found, wave)))
  return list
}

/** The first of them, and how many they are. */
export function firstOfWave(tasks: Tasks, wave: number, test: Test, most: number) {
  const first: Task[] = []
  let count = 0
  eachFound(tasks, test, (found) => {
    const those = inWave(found, wave)
    count += those.length
    if (first.length < most) addTo(first, those.slice(0, most - first.length))
  })
  return { first, count }
}

export function howMany(tasks: Tasks, test: Test): number {
  let count = 0
  eachFound(tasks, test, ({ all }) => {
    count += all.length
  })
  return count
}

export function isAny(tasks: Tasks, test: Test): boolean {
  let isOne = false
  eachFound(tasks, test, () => {
    isOne = true
    return true
  })
  return isOne
}

export function isAnyOfWave(tasks: Tasks, wave: number, test: Test): boolean {
  let isOne = false
  eachFound(tasks, test, (found) => {
    isOne = inWave(found, wave).length > 0
    return isOne
  })
  return isOne
}

/** What became of each that is another one than before, in a copy of the same list. */
export function changesBetween(before: Tasks, after: Tasks): { before: Task; after: Task }[] {
  if (before === after) return []
  const [was, is] = [stretchesOf(before), stretchesOf(after)]
  const changes: { before: Task; after: Task }[] = []
  for (let i = 0; i < is.length; i++) {
    if (is[i] === was[i]) continue
    for (let at = i * LENGTH; at < Math.min((i + 1) * LENGTH, after.length); at++) {
      const [one, other] = [before[at], after[at]]
      if (one && other && one !== other) changes.push({ before: one, after: other })
    }
  }
  return changes
}
