// SPDX-License-Identifier: MIT
// Which configs in force answer for a host by its name: their newest version, or the one that new nodes get.
import { nextTurn } from '../../base/slices.ts'
import type { Reader } from '../../db/database.ts'
import { versionsMentioning } from './store.ts'

type Deps = { db: Reader; hostsIn(text: string): Promise<readonly string[]> }

/** Names of configs. A site for "*" names nobody. */
export async function configsNamingHost({ db, hostsIn }: Deps, host: string): Promise<string[]> {
  const [, parent = ''] = host.match(/^[^.]+\.(.+)$/) ?? []
  const wanted = [host, ...(parent === '' ? [] : [`*.${parent}`])]
  const configs = new Set<string>()
  for (const name of wanted) {
    for (const { config, text } of await versionsMentioning(db, JSON.stringify(name))) {
      if ((await hostsIn(text)).includes(name)) configs.add(config)
      await nextTurn()
    }
  }
  return [...configs].toSorted()
}
