// SPDX-License-Identifier: MIT
// What the parts of the engine share.
import type { Kysely } from 'kysely'
import type { Write } from '../../audit/write.ts'
import type { SecretBox } from '../../base/secret-box.ts'
import type { CertificateKeeper } from '../../certificates/keep.ts'
import type { Database } from '../../db/database.ts'
import type { CertificateAuthority } from '../authority.ts'
import type { AuthorityRow } from '../authority-store.ts'
import type { ChallengeSolver } from '../challenges.ts'
import type { ManagedRow } from '../managed-store.ts'
import type { OrderRow } from '../order-store.ts'
import type { ClientFor } from './clients.ts'

/** Brings the newest version of the certificate to the nodes that have an older one; `refused` null: it was begun. */
export type RollOut = (
  certificate: { name: string; latest: number },
  configs: readonly string[] | null,
) => Promise<{ config: string; refused: string | null }[]>

export type Context = {
  db: Kysely<Database>
  write: Write
  now: () => number
  random: () => number
  box: SecretBox
  keeper: Pick<CertificateKeeper, 'create' | 'addVersion'>
  clientFor: ClientFor
  /** For HTTP-01. */
  http: ChallengeSolver
  /** For DNS-01, by the webhook's name; null: it is gone. */
  dns(webhook: string): Promise<ChallengeSolver | null>
  rollOut: RollOut
  /** An order that has just begun to wait is looked at as soon again. */
  soonestMs: number
  /** An order ended, well or not. */
  onEnded(outcome: 'issued' | 'failed'): void
}

/** An order that is open, with all that it is worked on with. */
export type Work = {
  managed: ManagedRow
  order: OrderRow
  authority: AuthorityRow
  ca: CertificateAuthority
}

const POLL = { part: 0.1, mostMs: 60_000 }

/** What has taken long may take longer. */
export const pollMs = ({ soonestMs }: Pick<Context, 'soonestMs'>, sinceMs: number): number =>
  Math.min(Math.max(sinceMs * POLL.part, soonestMs), POLL.mostMs)
