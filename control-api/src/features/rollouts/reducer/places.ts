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

function foundIn(tasks: Tasks, test: Test): Found[] {
  return stretchesOf(tasks).map((stretch, i) => {
    const known = stretch.get(test)
    if (known) return known
    const all = tasks.slice(i * LENGTH, (i + 1) * LENGTH).filter(test)
    const found = { all: all.length > 0 ? all : NONE, byWave: null }
    stretch.set(test, found)
    return found
  })
}

function inWave(found: Found, wave: number): Tasks {
  if (found.all.length === 0) return NONE
  found.byWave ??= Map.groupBy(found.all, (task) => task.wave)
  return found.byWave.get(wave) ?? NONE
}

/** Those that are so, in their order. */
export const which = (tasks: Tasks, test: Test): Tasks =>
  foundIn(tasks, test).flatMap(({ all }) => all)

export const whichOfWave = (tasks: Tasks, wave: number, test: Test): Tasks =>
  foundIn(tasks, test).flatMap((found) => inWave(found, wave))

export const howMany = (tasks: Tasks, test: Test): number =>
  foundIn(tasks, test).reduce((sum, { all }) => sum + all.length, 0)

export const isAny = (tasks: Tasks, test: Test): boolean =>
  foundIn(tasks, test).some(({ all }) => all.length > 0)

export const isAnyOfWave = (tasks: Tasks, wave: number, test: Test): boolean =>
  foundIn(tasks, test).some((found) => inWave(found, wave).length > 0)

/** What became of each that is another one than before, in a copy of the same list. */
export function changesBetween(before: Tasks, after: Tasks): { before: Task; after: Task }[] {
  if (before === after) return []
  const unchanged = stretchesOf(before)
  return stretchesOf(after).flatMap((stretch, i) => {
    if (stretch === unchanged[i]) return []
    return after.slice(i * LENGTH, (i + 1) * LENGTH).flatMap((task, j) => {
      const was = before[i * LENGTH + j]
      return was === undefined || was === task ? [] : [{ before: was, after: task }]
    })
  })
}
