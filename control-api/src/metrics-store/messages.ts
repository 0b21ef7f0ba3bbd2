// SPDX-License-Identifier: MIT
// What the service and the worker thread that owns metrics.db say to each other.
import type { GiveWay } from './give-way.ts'
import type { NodeSeries, SeriesQuery } from './query.ts'
import type { Outcome, Take } from './ring-store.ts'

export type WorkerData = { path: string }

export type Question =
  | { kind: 'take'; takes: Take[] }
  | ({ kind: 'query' } & SeriesQuery)
  | { kind: 'prune'; nowMs: number; after: string }
  | ({ kind: 'give-way' } & GiveWay)
  | { kind: 'close' }
export type Request = { id: number; question: Question }

/** What each kind of question is answered with. */
export type Answers = {
  /** In their order. */
  take: Outcome[]
  query: NodeSeries[]
  /** After which to go on; null: that was all. */
  prune: string | null
  /** Bytes. */
  'give-way': number
  close: null
}
export type Answer = Answers[keyof Answers]
export type Reply =
  | { kind: 'ready' }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'failed'; id: number; message: string }
