// SPDX-License-Identifier: MIT
// The tasks of the rollouts that were asked for last, as the newest commit left them: each message of a node needs those
// of its rollout, and ten thousand rows take longer to read than all else about it. A transaction has its own until
// its commit; what was rolled back is forgotten, and read anew.
import type { Unit } from '../../../audit/write.ts'
import type { Task } from '../reducer/model.ts'

type Tasks = readonly Task[]

/** Ten thousand take some 8 MB. Of those that are under way there is one for each node, and of the last one that ended. */
type Most = { rollouts: number; tasks: number }
const MOST: Most = { rollouts: 8, tasks: 25_000 }

export type TaskMemory = ReturnType<typeof createTaskMemory>

export function createTaskMemory(most = MOST) {
  /** As of the last commit, the one that was asked for last behind all others. */
  const committed = new Map<string, Tasks>()
  /** Who works on them, or did last and was rolled back: only that one's commit counts. */
  const takers = new Map<string, Unit>()
  const working = new WeakMap<Unit, Map<string, Tasks>>()

  function keep(unit: Unit, rolloutId: string, tasks: Tasks): void {
    const own = working.get(unit) ?? new Map<string, Tasks>()
    working.set(unit, own)
    if (!own.has(rolloutId)) {
      takers.set(rolloutId, unit)
      committed.delete(rolloutId)
      unit.afterCommit(() => commit(unit, rolloutId))
    }
    own.set(rolloutId, tasks)
  }

  /** Before the effects of a commit run, the next transaction may have begun, and read what this one wrote. */
  function commit(unit: Unit, rolloutId: string): void {
    const tasks = working.get(unit)?.get(rolloutId)
    if (takers.get(rolloutId) !== unit || !tasks) return
    takers.delete(rolloutId)
    committed.set(rolloutId, tasks)
    letGoOfOldest()
  }

  /** The newest stays, however large it is. */
  function letGoOfOldest(): void {
    let kept = 0
    for (const tasks of committed.values()) kept += tasks.length
    for (const [id, { length }] of committed) {
      if (committed.size === 1) return
      if (committed.size <= most.rollouts && kept <= most.tasks) return
      committed.delete(id)
      kept -= length
    }
  }

  function tasksOf(unit: Unit, rolloutId: string): Tasks | undefined {
    const own = working.get(unit)?.get(rolloutId)
    if (own) return own
    const known = committed.get(rolloutId)
    if (known) keep(unit, rolloutId, known)
    return known
  }

  return {
    /** undefined: they are to be read. */
    tasksOf,
    /** What the transaction has made of them. */
    keep,
    /** What a statement does to tasks of a rollout, if they are remembered. */
    change(unit: Unit, rolloutId: string, change: (tasks: Tasks) => Tasks): void {
      const tasks = tasksOf(unit, rolloutId)
      if (tasks) keep(unit, rolloutId, change(tasks))
    },
    /** Something changed that they show of their nodes. */
    forgetAll(unit: Unit): void {
      for (const id of [...committed.keys()]) {
        takers.set(id, unit)
        committed.delete(id)
      }
      working.delete(unit)
    },
    /** As of the last commit, for who only looks; undefined: they are to be read. */
    committed: (rolloutId: string): Tasks | undefined => committed.get(rolloutId),
    ids: (): string[] => [...committed.keys()],
  }
}
