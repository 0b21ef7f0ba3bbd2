// SPDX-License-Identifier: MIT
// Which configs in force name a certificate: their newest version, or the one that new nodes get.
import type { Reader } from '../../db/database.ts'
import type { Examine } from './check/validation.ts'
import { versionsMentioning } from './store.ts'

/** In words, for who would delete it. A name that a variable makes is not seen here: the nodes' assignments tell of those. */
export async function configsNaming(
  { db, examine }: { db: Reader; examine: Examine },
  certificate: string,
): Promise<string[]> {
  const uses: string[] = []
  for (const { config, number, text } of await versionsMentioning(
    db,
    JSON.stringify(certificate),
  )) {
    const { certificates } = await examine(text)
    const isNamed = certificates.some(({ names }) => names.some((one) => one.text === certificate))
    if (isNamed) uses.push(`version ${number} of the config "${config}" names it`)
  }
  return uses
}
