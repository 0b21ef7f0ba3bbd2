// SPDX-License-Identifier: MIT
// Are there the releases that a config names, with a version to give? Asked for each text that somebody saves, and for the text
// of each node before it is offered, with its overrides and variables.
import type { ConfigError } from '../../../api-shapes/common.ts'
import { nearestName } from '../../../base/nearest-name.ts'
import type { Reader } from '../../../db/database.ts'
import { knownReleases, someReleases } from '../../../releases/given-store.ts'
import type { Placed } from '../text/certificates.ts'

export type ReleaseNames = {
  /** Of those the ones that have a version. */
  known(names: readonly string[]): Promise<ReadonlySet<string>>
  /** Some there are, for who misspelt one. */
  some(): Promise<string[]>
}

/** What is found here, and by nobody else. */
export const RELEASE_CODE = 'unknown_release'

/** As many as are compared with a name that is not among them. */
const COMPARED = 1000
/** Of a config of the largest size: more would be read by nobody. */
const MAX_FOUND = 100

export const releaseNames = (db: Reader): ReleaseNames => ({
  known: (names) => knownReleases(db, names),
  some: () => someReleases(db, COMPARED),
})

export async function checkReleases(
  named: readonly Placed[],
  releases: ReleaseNames,
): Promise<ConfigError[]> {
  if (named.length === 0) return []
  const known = await releases.known([...new Set(named.map(({ text }) => text))])
  const missing = named.filter(({ text }) => !known.has(text)).slice(0, MAX_FOUND)
  if (missing.length === 0) return []
  const others = await releases.some()
  return missing.map(({ text, ...place }) => {
    const nearest = nearestName(text, others)
    const hint = nearest
      ? `did you mean "${nearest}"?`
      : `make its first version: farmctl releases push ${text} FOLDER`
    const message = `there is no release "${text}" with a version`
    return { ...place, code: RELEASE_CODE, message, hint }
  })
}
