// SPDX-License-Identifier: MIT
// The plans that are being made, for who waits for them: with variables, ten thousand nodes are as many texts, and each is
// checked by a process. How many of them are checked is told to who asked for the plan, who may stop it. In memory only;
// how many there are is bounded where they are asked for (heavy requests take turns).
import { newId } from '../../../base/ids.ts'
import { PlanStopped } from '../shapes/errors.ts'
import type { PlanUnderWay } from '../shapes/plan-schema.ts'

/** What the planner tells, and asks. Each throws PlanStopped when somebody has stopped it. */
export type Following = {
  /** It is known how many different texts there are to check. */
  counted(texts: number): void
  /** So many are checked by now. */
  checked(texts: number): void
}
/** Nobody waits for it but who makes it. */
export const UNFOLLOWED: Following = { counted: () => {}, checked: () => {} }

type About = Pick<PlanUnderWay, 'config' | 'version' | 'purpose'> & { owner: string; now: number }
type Made = { owner: string; shown: PlanUnderWay; stopping: AbortController }

/** `owner`: as for kept plans, who it is shown to, and within which scope. */
export function createPlansUnderWay() {
  const all = new Map<string, Made>()
  return {
    /** `gone`: nobody waits for it any more. */
    async follow<T>(
      { owner, now, ...about }: About,
      work: (following: Following) => Promise<T>,
      gone?: AbortSignal,
    ): Promise<T> {
      const id = newId('plan')
      const shown: PlanUnderWay = {
        ...{ id, ...about, texts: null, checkedTexts: 0 },
        since: new Date(now).toISOString(),
      }
      const stopping = new AbortController()
      const isStopped = () => stopping.signal.aborted || gone?.aborted === true
      const note = (change: Partial<PlanUnderWay>) => {
        if (isStopped()) throw new PlanStopped(about.config, about.version)
        Object.assign(shown, change)
      }
      all.set(id, { owner, shown, stopping })
      try {
        return await work({
          counted: (texts) => note({ texts, checkedTexts: 0 }),
          checked: (checkedTexts) => note({ checkedTexts }),
        })
      } finally {
        all.delete(id)
      }
    },
    /** Oldest first. */
    of: (owner: string): PlanUnderWay[] =>
      [...all.values()].filter((made) => made.owner === owner).map(({ shown }) => ({ ...shown })),
    /** False: it is not under way, or not that one's. */
    stop(owner: string, id: string): boolean {
      const made = all.get(id)
      if (made?.owner !== owner) return false
      made.stopping.abort()
      return true
    },
  }
}
