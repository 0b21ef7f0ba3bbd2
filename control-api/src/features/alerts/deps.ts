// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { Farm } from './look.ts'
import type { MeasuredDeps } from './measured.ts'

type Labels = Readonly<Record<string, string>>

export type AlertDeps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  /** Throws a refusal when nobody knows whose that is. */
  requireKnown: (appliesTo: string) => Promise<void>
  measured: MeasuredDeps
  /** As it is now. */
  farm: (nowMs: number) => Promise<Farm>
  /** Of a node; null: there is no such node. */
  labels: () => Promise<(nodeId: string) => Labels | null>
}
