// SPDX-License-Identifier: MIT
// Lets time pass for all whose next step is awaited: of ten thousand nodes in parts, a transaction each, with a turn of the
// loop between them. Who is given a time meanwhile may lose that much of it at once, as somebody who was given it
// just before. What follows when all have spent it is done with the last part.
import type { Unit, Write } from '../../../audit/write.ts'
import { nextTurn } from '../../../base/slices.ts'
import type { TaskMemory } from '../store/task-memory.ts'
import { type AwaitedTask, awaitedAfter, spendTime, withTimeSpent } from '../store/tasks.ts'

/** Its time was over when so much of it passed at once. */
export type Late = { rolloutId: string; nodeId: string; dueMs: number }
/** after: those up to this task have spent the time; null: nobody has. */
type Pass = { ms: number; after: AwaitedTask | null; late: readonly Late[] }

type Deps = {
  write: Write
  memory: TaskMemory
  /** Of how many tasks a transaction may change the time. */
  atOnce: number
  /** For the simulation: each part but the first only when `goOn` says so. */
  isCut: boolean
  finish: (unit: Unit, ms: number, late: readonly Late[]) => Promise<void>
}

export function createPassingTime({ write, memory, atOnce, isCut, finish }: Deps) {
  /** Its next part has not come yet, or failed. Of this process only: after a start all have their time anew. */
  let unfinished: Pass | null = null

  const part = ({ ms, after, late }: Pass): Promise<Pass | null> =>
    write(async (unit) => {
      const found = await awaitedAfter(unit.trx, after, atOnce)
      const left = found.filter(({ leftMs }) => leftMs > ms)
      if (left.length > 0) await spendTime(unit.trx, ms, left)
      for (const [rolloutId, tasks] of Map.groupBy(left, (one) => one.rolloutId)) {
        const nodeIds = tasks.map(({ nodeId }) => nodeId)
        memory.change(unit, rolloutId, (all) => withTimeSpent(all, ms, nodeIds))
      }
      const over = found.filter(({ leftMs }) => leftMs <= ms)
      const lateNow = over.map(({ rolloutId, nodeId }) => ({ rolloutId, nodeId, dueMs: ms }))
      const next = { ms, after: found.at(-1) ?? null, late: [...late, ...lateNow] }
      if (found.length === atOnce) return next
      await finish(unit, ms, next.late)
      return null
    })

  async function spend(pass: Pass): Promise<void> {
    for (let next: Pass | null = pass; next; ) {
      next = await part(next)
      unfinished = next
      if (isCut) return
      if (next) await nextTurn()
    }
  }

  return {
    isUnderWay: (): boolean => unfinished !== null,
    /** So much has passed since the last time that this did not fail. */
    async pass(elapsedMs: number): Promise<void> {
      const begun = unfinished?.ms ?? 0
      if (unfinished) await spend(unfinished)
      if (elapsedMs > begun) await spend({ ms: elapsedMs - begun, after: null, late: [] })
    },
    async goOn(): Promise<void> {
      if (unfinished) await spend(unfinished)
    },
    /** All have their time anew. */
    forget(): void {
      unfinished = null
    },
  }
}
