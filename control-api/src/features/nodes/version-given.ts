// SPDX-License-Identifier: MIT

import { latestGiven } from '../../assignments/store.ts'
import type { Reader } from '../../db/database.ts'
import type { VersionRef } from '../../fleet/config-ports.ts'

/** What a node is to run; null: nothing was assigned to it. */
export async function versionGiven(db: Reader, nodeId: string): Promise<VersionRef | null> {
  const given = await latestGiven(db, nodeId)
  return given ? { config: given.config, number: given.version } : null
}
