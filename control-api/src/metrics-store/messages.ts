// SPDX-License-Identifier: MIT
// What the service and the worker thread that owns metrics.db say to each other.
import type { GiveWay } from './give-way.ts'
import type { NodeSeries, SeriesQuery } from './query.ts'
import type { Take, Taken } from './ring-store.ts'

export type WorkerData = { path: string }

export type Question =
  | ({ kind: 'take' } & Take)
  | ({ kind: 'query' } & SeriesQuery)
  | { kind: 'prune'; nowMs: number }
  | ({ kind: 'give-way' } & GiveWay)
  | { kind: 'close' }
export type Request = { id: number; question: Question }

/** What each kind of question is answered with. */
export type Answers = {
  take: Taken
  query: NodeSeries[]
  prune: null
  /** Bytes. */
  'give-way': number
  close: null
}
export type Answer = Answers[keyof Answers]
export type Reply =
  | { kind: 'ready' }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'failed'; id: number; message: string }
