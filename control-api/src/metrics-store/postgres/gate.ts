// SPDX-License-Identifier: MIT
// What the worker of a mirrored metrics.db does before and after it takes reports: what belongs to a time that is still being
// read from PostgreSQL waits, and nothing is acknowledged that PostgreSQL has not got. Nor is such a time shown.
import type { Question } from '../messages.ts'
import { NotReadYet, type Opened } from '../opened.ts'
import type { Outcome, RingStore, Take, Taken } from '../ring-store.ts'
import { RINGS, type Ring, stepStart } from '../rings.ts'
import { HOURS, SITE_RINGS } from '../site-rings.ts'
import { type Mirror, NotKept } from './mirror.ts'
import { SLOW_TABLE } from './tables.ts'

const ALL_RINGS: readonly Ring[] = [...RINGS, ...SITE_RINGS]
const STILL_READ =
  'measurements of that time are still read from PostgreSQL, the newest first, as far as the disk has room'

export type Gate = Pick<Opened, 'requireRead' | 'canRollUp'> & {
  take(takes: readonly Take[]): Promise<Outcome[]>
}
type Mirrored = Pick<Mirror, 'trouble' | 'readUntil' | 'kept'>

export function createGate(mirror: Mirrored, rings: RingStore): Gate {
  const { rollUp } = rings
  /** Up to where a boot of a node had been taken before what PostgreSQL has not got; of each node the last boot. */
  const notKept = new Map<string, { bootId: string; since: number }>()

  const isHere = (seconds: number) =>
    ALL_RINGS.every((ring) => mirror.readUntil(ring.resolutionSeconds) <= stepStart(seconds, ring))
  const isAllHere = ({ windows }: Take) =>
    windows.every(({ endedAtMs }) => isHere(Math.floor(endedAtMs / 1000)))

  return {
    async take(takes) {
      const trouble = mirror.trouble()
      if (trouble !== null) throw new NotKept(trouble)
      const able = takes.filter(isAllHere)
      const taken = new Map<Take, Outcome>()
      for (const [i, outcome] of rings.takeAll(able).entries()) {
        const take = able[i] as Take
        taken.set(take, 'failed' in outcome ? outcome : sinceKept(take, outcome))
      }
      await mirror.kept()
      for (const { nodeId } of able) notKept.delete(nodeId)
      return takes.map((take) => taken.get(take) ?? { failed: STILL_READ })
    },

    /** A coarser row is written of finer ones: all that it is made of and added to is here. */
    canRollUp() {
      return RINGS.every((ring, i) => {
        const coarser = RINGS[i + 1]
        const from = [ring, ...(coarser ? [coarser] : [])].map((one) => rollUp.madeUntil(one) ?? 0)
        return mirror.readUntil(ring.resolutionSeconds) <= Math.min(...from)
      })
    },

    requireRead(question) {
      for (const { resolutionSeconds, fromSeconds } of spansOf(question)) {
        for (const ring of readFor(resolutionSeconds)) {
          // A finer one is read for what the coarser is not made of yet.
          const from =
            ring.resolutionSeconds === resolutionSeconds
              ? fromSeconds
              : Math.max(fromSeconds, rollUp.madeUntil(coarserOf(ring)) ?? 0)
          if (mirror.readUntil(ring.resolutionSeconds) > from) throw new NotReadYet(STILL_READ)
        }
      }
    },
  }

  /** One that comes again because it was not acknowledged is news to who asks. */
  function sinceKept(take: Take, { acknowledgedSeq, previousSeq }: Taken): Taken {
    const { nodeId, bootId } = take
    const before = notKept.get(nodeId)
    const since = before?.bootId === bootId ? before.since : previousSeq
    notKept.set(nodeId, { bootId, since })
    return { acknowledgedSeq, previousSeq: since }
  }
}

type Span = { resolutionSeconds: number; fromSeconds: number }

/** From where on which rows answer it. */
function spansOf(question: Question): Span[] {
  switch (question.kind) {
    case 'sets':
    case 'heatmap':
    case 'top':
    case 'units':
    case 'values':
    case 'moving-values':
    case 'sites':
      return [question]
    case 'compare':
      return [question.a.plan, question.b.plan]
    case 'counted-in':
      return [{ ...question, resolutionSeconds: HOURS.resolutionSeconds }]
    case 'slow-requests': {
      const { resolutionSeconds } = SLOW_TABLE
      return [{ resolutionSeconds, fromSeconds: question.fromMs / 1000 }]
    }
    default:
      return []
  }
}

/** The rings that a plan reads (rows.ts). */
function readFor(resolutionSeconds: number): readonly Pick<Ring, 'resolutionSeconds'>[] {
  const at = RINGS.findIndex((ring) => ring.resolutionSeconds === resolutionSeconds)
  return at === -1 ? [{ resolutionSeconds }] : RINGS.slice(0, at + 1)
}

function coarserOf({ resolutionSeconds }: Pick<Ring, 'resolutionSeconds'>): Ring {
  const at = RINGS.findIndex((ring) => ring.resolutionSeconds === resolutionSeconds)
  return RINGS[at + 1] as Ring
}
