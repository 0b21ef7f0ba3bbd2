// SPDX-License-Identifier: MIT
// Which configs in force name a release: their newest version, or the one that new nodes get.
import type { Reader } from '../../db/database.ts'
import type { Examine } from './check/validation.ts'
import { versionsMentioning } from './store.ts'

/** In words, for who would delete it. A name that a variable makes is not seen here: the nodes' assignments tell of those. */
export async function configsNamingRelease(
  { db, examine }: { db: Reader; examine: Examine },
  release: string,
): Promise<string[]> {
  const uses: string[] = []
  for (const { config, number, text } of await versionsMentioning(db, JSON.stringify(release))) {
    const { releases } = await examine(text)
    if (releases.some((one) => one.text === release))
      uses.push(`version ${number} of the config "${config}" names it`)
  }
  return uses
}
