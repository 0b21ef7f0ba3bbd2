// SPDX-License-Identifier: MIT
// What the service and the worker thread that owns metrics.db say to each other.
import type { CompareQuery, Comparison } from './compare.ts'
import type { GiveWay } from './give-way.ts'
import type { WritersPlace } from './postgres/copy.ts'
import type { Outcome, Take } from './ring-store.ts'
import type { Membership } from './roll-up.ts'
import type { Heatmap, HeatmapQuery, SetColumns, SetsQuery } from './sets.ts'
import type { CountedQuery, SiteQuery, SiteSteps } from './site-query.ts'
import type { SlowQuery } from './slow-requests.ts'
import type { Top, TopQuery } from './top.ts'
import type { Total } from './totals.ts'
import type { Unit, UnitsQuery } from './units.ts'
import type { MovingQuery, MovingValues, Valued, ValuesQuery } from './values.ts'
import type { PlacedRequest } from './windows.ts'

/** `record`: in PostgreSQL, of which metrics.db is a copy. */
export type WorkerData = { path: string; record: WritersPlace | null }

export type Question =
  | { kind: 'take'; takes: Take[] }
  | ({ kind: 'sets' } & SetsQuery)
  | ({ kind: 'heatmap' } & HeatmapQuery)
  | ({ kind: 'compare' } & CompareQuery)
  | ({ kind: 'top' } & TopQuery)
  | ({ kind: 'units' } & UnitsQuery)
  | ({ kind: 'slow-requests' } & SlowQuery)
  | ({ kind: 'sites' } & SiteQuery)
  | ({ kind: 'counted-in' } & CountedQuery)
  | { kind: 'totals' }
  | { kind: 'summed-until' }
  | ({ kind: 'values' } & ValuesQuery)
  | ({ kind: 'moving-values' } & MovingQuery)
  | { kind: 'prune'; nowMs: number; after: number }
  | { kind: 'roll-up'; nowMs: number }
  | { kind: 'memberships'; of: [nodeId: string, membership: Membership | null][] }
  | ({ kind: 'give-way' } & GiveWay)
  | { kind: 'close' }
export type Request = { id: number; question: Question }

/** What each kind of question is answered with. */
export type Answers = {
  /** In their order. */
  take: Outcome[]
  sets: SetColumns[]
  heatmap: Heatmap
  compare: Comparison
  units: Unit[]
  top: Top
  'slow-requests': PlacedRequest[]
  sites: SiteSteps[]
  'counted-in': string[]
  totals: Total[]
  /** Unix seconds; null: nothing was summed yet. */
  'summed-until': number | null
  values: (Valued | null)[]
  'moving-values': MovingValues
  /** After which to go on; null: that was all. */
  prune: number | null
  /** Whether there may be more. */
  'roll-up': boolean
  memberships: null
  /** Bytes. */
  'give-way': number
  close: null
}
export type Answer = Answers[keyof Answers]
export type Reply =
  | { kind: 'ready' }
  /** Why nothing can be taken; null: it can again. */
  | { kind: 'trouble'; trouble: string | null }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'failed'; id: number; message: string; isNotReadYet: boolean }
