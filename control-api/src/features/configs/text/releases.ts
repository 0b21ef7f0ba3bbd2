// SPDX-License-Identifier: MIT
// The releases that a config names (`sites[].release: "www"`), with their places. Pure: whether there are such releases, who
// asks says.
import type { Node } from 'jsonc-parser'
import type { JsonValue } from '../../../json/values.ts'
import { isObject } from '../../../json/values.ts'
import type { Placed } from './certificates.ts'
import { nodeAt, pointerOf, positionsIn } from './text.ts'

/** Each name once. */
export const releasesInValue = (value: JsonValue): string[] => [
  ...new Set(sitesOf(value).map(({ release }) => release)),
]

export function releasesIn(text: string, root: Node, value: JsonValue): Placed[] {
  const sites = sitesOf(value)
  if (sites.length === 0) return []
  const at = positionsIn(text)
  return sites.map(({ site, release }) => {
    const pointer = pointerOf(['sites', site, 'release'])
    const found = nodeAt(root, pointer)?.value
    return { pointer, text: release, ...at(found?.offset ?? 0, found?.length ?? 0) }
  })
}

/** What does not fit the schema is left to the schema. */
function sitesOf(value: JsonValue): { site: number; release: string }[] {
  const sites = isObject(value) && Array.isArray(value.sites) ? value.sites : []
  return sites.flatMap((one, site) =>
    isObject(one) && typeof one.release === 'string' && one.release !== ''
      ? [{ site, release: one.release }]
      : [],
  )
}
