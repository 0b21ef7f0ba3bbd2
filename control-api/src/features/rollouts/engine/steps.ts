// SPDX-License-Identifier: MIT
// A step of a rollout: what the reducer decided is stored, told in the audit, and done, all in one transaction. What is done
// may lead to further steps.
import type { Assignments } from '../../../assignments/assignments.ts'
import type { Unit } from '../../../audit/write.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import { type Effect, isTerminal, type Outcome, type Rollout } from '../reducer/model.ts'
import { changesBetween } from '../reducer/places.ts'
import { reduceOffered } from '../reducer/rules.ts'
import { type Loaded, saveRollout } from '../store/rollouts.ts'
import { countedAfter } from '../store/task-counts.ts'
import type { TaskMemory } from '../store/task-memory.ts'
import { saveTasks } from '../store/tasks.ts'
import { type Act, inTurn, isForAll } from './effects.ts'
import type { GiveNewcomers } from './newcomers.ts'
import { eventOf } from './transition-events.ts'

type Deps = {
  now: () => number
  assignments: Pick<Assignments, 'isHeld'>
  memory: Pick<TaskMemory, 'keep'>
  lists: { changed(): void }
  act: Act
  giveNewcomers: GiveNewcomers
  /** There is more to do than one transaction may: by itself, but in the simulation. */
  goOnLater: ((rolloutId: string) => void) | null
}

export function createSteps(deps: Deps) {
  const { now, assignments, memory, lists, act, giveNewcomers, goOnLater } = deps

  function goOnAfter(unit: Unit, rolloutId: string, { progress }: Rollout): void {
    const isMore = progress.unfinished !== undefined || progress.newcomersTo !== undefined
    if (isMore && goOnLater) unit.afterCommit(() => goOnLater(rolloutId))
  }

  async function follow(
    unit: Unit,
    { row, rollout: before }: Loaded,
    { rollout: after, effects, transitions }: Outcome,
    actor?: string,
  ): Promise<Loaded> {
    if (after === before && effects.length === 0) return { row, rollout: before }
    const current = await store(unit, { row, rollout: before }, after)
    await unit.emitAll(
      transitions.map((one) => eventOf(current.row, one, { tasks: after.tasks, actor })),
    )
    return await doAll(unit, current, effects)
  }

  /** The rollout's row, and what of its tasks has changed. */
  async function store(
    unit: Unit,
    { row, rollout: before }: Loaded,
    after: Rollout,
  ): Promise<Loaded> {
    const changes = changesBetween(before.tasks, after.tasks)
    const isOther = after.state !== before.state && after.policy.filesFirstMs !== undefined
    if (isOther) unit.afterCommit(() => lists.changed())
    if (changes.length > 0) await saveTasks(unit.trx, row.id, changes, now())
    memory.keep(unit, row.id, after.tasks)
    const moved = after.state !== before.state
    const stored: RolloutRow = {
      ...row,
      state: after.state,
      reason: JSON.stringify(after.reason),
      progress: JSON.stringify(after.progress),
      state_version: row.state_version + (moved ? 1 : 0),
      ended_at_ms: row.ended_at_ms ?? (isTerminal(after.state) ? now() : null),
      ...countedAfter(row, changes, after.tasks),
    }
    await saveRollout(unit.trx, stored)
    if (changes.length > 0 || hasMoreToDo(before, after)) goOnAfter(unit, row.id, after)
    return { row: stored, rollout: after }
  }

  async function doAll(unit: Unit, loaded: Loaded, effects: readonly Effect[]): Promise<Loaded> {
    let current = loaded
    for (const alike of inTurn(effects)) {
      const offered = await act(unit, current, alike)
      const isNews = alike.kind === 'release' && isForAll(current.row) && !assignments.isHeld()
      if (isNews) current = await giveMore(unit, current, '')
      if (offered.length === 0) continue
      current = await follow(unit, current, reduceOffered(current.rollout, offered))
    }
    return current
  }

  /** What it released, to the next of those who joined meanwhile. */
  async function giveMore(unit: Unit, { row, rollout }: Loaded, after: string): Promise<Loaded> {
    const { newcomersTo: _, ...before } = rollout.progress
    const upTo = await giveNewcomers(unit, row, after)
    const progress = { ...before, ...(upTo !== null && { newcomersTo: upTo }) }
    const stored = { ...row, progress: JSON.stringify(progress) }
    await saveRollout(unit.trx, stored)
    const told = { row: stored, rollout: { ...rollout, progress } }
    goOnAfter(unit, row.id, told.rollout)
    return told
  }

  return { follow, store, giveMore }
}

const hasMoreToDo = ({ progress: before }: Rollout, { progress: after }: Rollout) =>
  before.unfinished !== after.unfinished || before.begunTo !== after.begunTo
