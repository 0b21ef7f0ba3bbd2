// SPDX-License-Identifier: MIT
// Whose sites a node counted: it says a generation and the digest of a text, and what that was, only control.db knows.
import { configDigestOf, givenWith } from '../../assignments/store.ts'
import { Kept } from '../../base/kept.ts'
import type { Reader } from '../../db/database.ts'
import type { ReadGrouping } from '../../fleet/config-ports.ts'
import { targetOf } from '../../labels/grouping.ts'
import type { SitesOf } from '../../metrics-store/site-reports.ts'
import { versionSum } from '../../metrics-store/subjects.ts'
import { targetColumns } from '../../node-identity/store/nodes.ts'

type Deps = { db: Reader; readGrouping: ReadGrouping }

/** Of ten thousand nodes the last few generations: each report asks. */
const MOST = 50_000

export function createCountedSites({ db, readGrouping }: Deps): SitesOf {
  const kept = new Kept<{ sum: string | null }>({ most: MOST })

  /** An override of the node or of its group puts other sites in place of the config's. */
  async function hasOwnSites(nodeId: string): Promise<boolean> {
    const row = await targetColumns(db, nodeId)
    if (!row) return true
    const { group, node } = targetOf(await readGrouping(db), row)
    return 'sites' in group.mergePatch || 'sites' in node.mergePatch
  }

  return async ({ nodeId, generation, digest }) => {
    const key = `${nodeId} ${generation} ${digest}`
    const known = kept.get(key)
    if (known) return known.sum
    const [given] = await givenWith(db, [{ nodeId, generation }])
    // A text that somebody left on the node has sites that no version has.
    const isItsText = given !== undefined && configDigestOf(given) === digest
    const sum =
      isItsText && !(await hasOwnSites(nodeId)) ? versionSum(given.config, given.version) : null
    kept.set(key, { sum })
    return sum
  }
}
