// SPDX-License-Identifier: MIT
// What the worker of a mirrored metrics.db does before and after it takes reports: what belongs to a time that is still being
// read from PostgreSQL waits, and nothing is acknowledged that PostgreSQL has not got.
import type { Outcome, RingStore, Take, Taken } from '../ring-store.ts'
import { RINGS, type Ring, stepStart } from '../rings.ts'
import { SITE_RINGS } from '../site-rings.ts'
import { type Mirror, NotKept } from './mirror.ts'

const ALL_RINGS: readonly Ring[] = [...RINGS, ...SITE_RINGS]
const STILL_READ =
  'measurements of that time are still being read from PostgreSQL, the newest first'

export type Gate = {
  take(rings: RingStore, takes: readonly Take[]): Promise<Outcome[]>
  /** A coarser row is written of finer ones: all that it is made of and added to is here. */
  canRollUp(rings: RingStore): boolean
}

export function createGate(mirror: Mirror): Gate {
  /** Up to where it had been taken before what PostgreSQL has not got, by node and boot. */
  const notKept = new Map<string, number>()
  const bootOf = ({ nodeId, bootId }: Take) => `${nodeId} ${bootId}`

  const isHere = (seconds: number) =>
    ALL_RINGS.every((ring) => mirror.readUntil(ring.resolutionSeconds) <= stepStart(seconds, ring))
  const isAllHere = ({ windows }: Take) =>
    windows.every(({ endedAtMs }) => isHere(Math.floor(endedAtMs / 1000)))

  return {
    async take(rings, takes) {
      const trouble = mirror.trouble()
      if (trouble !== null) throw new NotKept(trouble)
      const able = takes.filter(isAllHere)
      const taken = new Map<Take, Outcome>()
      for (const [i, outcome] of rings.takeAll(able).entries()) {
        const take = able[i] as Take
        taken.set(take, 'failed' in outcome ? outcome : sinceKept(take, outcome))
      }
      await mirror.kept()
      for (const take of able) notKept.delete(bootOf(take))
      return takes.map((take) => taken.get(take) ?? { failed: STILL_READ })
    },

    canRollUp({ rollUp }) {
      return RINGS.every((ring, i) => {
        const coarser = RINGS[i + 1]
        const from = [ring, ...(coarser ? [coarser] : [])].map((one) => rollUp.madeUntil(one) ?? 0)
        return mirror.readUntil(ring.resolutionSeconds) <= Math.min(...from)
      })
    },
  }

  /** One that comes again because it was not acknowledged is news to who asks. */
  function sinceKept(take: Take, { acknowledgedSeq, previousSeq }: Taken): Taken {
    const since = notKept.get(bootOf(take)) ?? previousSeq
    notKept.set(bootOf(take), since)
    return { acknowledgedSeq, previousSeq: since }
  }
}
