// SPDX-License-Identifier: MIT
// What nodes say within one transaction mostly moves their own tasks and nothing else. Such steps are held, each going on
// from the one before, and stored together at the transaction's end: of a push to ten thousand the rollout's row is then
// written once for some twenty messages. Whoever reads rollouts or tasks in that transaction has them stored before.
import type { Unit } from '../../../audit/write.ts'
import type { Outcome, Rollout } from '../reducer/model.ts'
import type { Loaded } from '../store/rollouts.ts'

type Step = {
  /** As it is stored. */
  stored: Loaded
  /** As it is by now. */
  rollout: Rollout
}

/** What follows from it is in the tasks alone: nothing is to be done, and no row of an event tells of the rollout's. */
export const isQuiet = (before: Rollout, { rollout: after, effects, transitions }: Outcome) =>
  effects.length === 0 &&
  after.state === before.state &&
  transitions.every(({ nodeId, isWave }) => nodeId !== null || isWave)

export function createHeld(store: (unit: Unit, stored: Loaded, after: Rollout) => Promise<Loaded>) {
  const held = new WeakMap<Unit, Map<string, Step>>()

  /** What is held of it is stored, and is what goes on from there; undefined: nothing was held. */
  async function stored(unit: Unit, rolloutId: string): Promise<Loaded | undefined> {
    const steps = held.get(unit)
    const step = steps?.get(rolloutId)
    if (!step) return undefined
    steps?.delete(rolloutId)
    return await store(unit, step.stored, step.rollout)
  }

  async function write(unit: Unit): Promise<void> {
    for (const rolloutId of held.get(unit)?.keys() ?? []) await stored(unit, rolloutId)
  }

  return {
    write,
    stored,
    /** As it is by now; undefined: nothing is held of it, and it is to be loaded. */
    of(unit: Unit, rolloutId: string): Loaded | undefined {
      const step = held.get(unit)?.get(rolloutId)
      return step && { row: step.stored.row, rollout: step.rollout }
    },
    keep(unit: Unit, { row, rollout: before }: Loaded, rollout: Rollout): void {
      const steps = held.get(unit) ?? new Map<string, Step>()
      held.set(unit, steps)
      // Of each, so that the transaction knows of it; the first writes them all.
      unit.beforeCommit(() => write(unit))
      const asStored = steps.get(row.id)?.stored ?? { row, rollout: before }
      steps.set(row.id, { stored: asStored, rollout })
    },
  }
}
