// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import type { Unit, Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { KeptReleases } from '../../fleet/kept-releases.ts'
import type { Contents } from './contents.ts'

export type Deps = { db: Kysely<Database>; write: Write; now: () => number; contents: Contents }
export type UseDeps = Deps & {
  /** What nodes say of the versions of a release. */
  onNodes(release: string): Promise<ReturnType<KeptReleases['of']> & { allNodes: number }>
  /** Of configs in force, in words. */
  configsNaming(release: string): Promise<string[]>
  /** Nodes and rollouts that need the version, in words. */
  usesOf(unit: Unit, version: { name: string; number: number }): Promise<string[]>
}
