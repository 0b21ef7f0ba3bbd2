// SPDX-License-Identifier: MIT
// The certificates that a config names (`sites[].certificates: [{ "name": … }]`), with the hosts they are for and the places
// of both. Pure: whether there are such certificates, who asks says.
import type { Node } from 'jsonc-parser'
import type { JsonValue } from '../../../json/values.ts'
import { isObject } from '../../../json/values.ts'
import { nodeAt, type Position, pointerOf, positionsIn } from './text.ts'

export type Placed = Position & { pointer: string; text: string }
/** A site that names at least one. */
export type SiteCertificates = {
  names: Placed[]
  hosts: Placed[]
  /** It has others, in files of the node: what those are good for, nobody here knows. */
  hasFiles: boolean
}

type Named = {
  site: number
  names: [index: number, name: string][]
  hosts: string[]
  hasFiles: boolean
}

/** Each name once. */
export const namesInValue = (value: JsonValue): string[] => [
  ...new Set(sitesWith(value).flatMap(({ names }) => names.map(([, name]) => name))),
]

export function certificatesIn(text: string, root: Node, value: JsonValue): SiteCertificates[] {
  const sites = sitesWith(value)
  if (sites.length === 0) return []
  const at = positionsIn(text)
  const placed = (path: (string | number)[], said: string): Placed => {
    const pointer = pointerOf(path)
    const found = nodeAt(root, pointer)?.value
    return { pointer, text: said, ...at(found?.offset ?? 0, found?.length ?? 0) }
  }
  return sites.map(({ site, names, hosts, hasFiles }) => ({
    names: names.map(([i, name]) => placed(['sites', site, 'certificates', i, 'name'], name)),
    hosts: hosts.map((host, i) => placed(['sites', site, 'hosts', i], host)),
    hasFiles,
  }))
}

/** What does not fit the schema is left to the schema. */
function sitesWith(value: JsonValue): Named[] {
  const sites = isObject(value) && Array.isArray(value.sites) ? value.sites : []
  return sites.flatMap((one, site): Named[] => {
    if (!isObject(one) || !Array.isArray(one.certificates)) return []
    const all = one.certificates
    const names = all.flatMap((entry, i): [number, string][] =>
      isObject(entry) && typeof entry.name === 'string' && entry.name !== ''
        ? [[i, entry.name]]
        : [],
    )
    if (names.length === 0) return []
    const hosts = Array.isArray(one.hosts) ? one.hosts : []
    return [
      {
        ...{ site, names },
        hosts: hosts.filter((host) => typeof host === 'string'),
        hasFiles: names.length < all.length,
      },
    ]
  })
}
