// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import type { AcmeEngine } from '../../acme/engine/engine.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'

export type ManagedDeps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  acme: Pick<AcmeEngine, 'wake'>
  /** Ids of the nodes whose config answers for one of these hosts. */
  nodesServing(hosts: readonly string[]): Promise<ReadonlySet<string>>
  configsNamingHost(host: string): Promise<string[]>
}
