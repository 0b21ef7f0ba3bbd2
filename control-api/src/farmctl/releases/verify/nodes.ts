// SPDX-License-Identifier: MIT
// Where the nodes that run a release serve it, as the configs say that they really run.
import { parse } from 'jsonc-parser'
import { type Api, bodyOf } from '../../api.ts'
import { Failure } from '../../failures.ts'
import { allNodes } from '../../nodes.ts'
import type { Odd } from './judge.ts'
import { baseOf, type Place } from './urls.ts'

/** Of a node, as far as it matters here. */
type Listening = { name: string; urls: readonly string[] }
type Runs = {
  text: string | null
  releases: readonly { name: string; number: number }[]
}
type Wanted = { release: string; number: number; url: string | undefined }
export type Unasked = { node: string; why: string }
export type NodePlaces = { nodes: number; places: Place[]; odd: Odd[]; unasked: Unasked[] }

export async function placesOfNodes(api: Api, wanted: Wanted): Promise<NodePlaces> {
  const found: NodePlaces = { nodes: 0, places: [], odd: [], unasked: [] }
  for await (const node of allNodes(api)) {
    const params = { path: { id: node.id } }
    const runs = await bodyOf(api.GET('/api/v1/nodes/{id}/effective-config', { params }))
    const place = placeOfNode(node, runs, wanted)
    if (place === null) continue
    found.nodes++
    if ('why' in place) found.unasked.push(place)
    else if ('what' in place) found.odd.push(place)
    else found.places.push(place)
  }
  if (found.nodes > 0) return found
  const { release } = wanted
  throw new Failure(
    `No node runs a version of "${release}". Bring one out: farmctl releases roll-out ${release}`,
  )
}

/** null: it does not run the release. */
export function placeOfNode(
  { name, urls }: Listening,
  { text, releases }: Runs,
  { release, number, url }: Wanted,
): Place | Odd | Unasked | null {
  const running = releases.find((one) => one.name === release)
  if (running === undefined) return null
  if (running.number !== number) {
    const versions = { expected: `${release}@${number}`, found: `${release}@${running.number}` }
    return { path: '', place: name, what: 'version', ...versions }
  }
  const base = url === undefined ? null : baseOf(url)
  const listeners = urls.map((one) => new URL(one))
  const listener = base
    ? listeners.find(({ protocol }) => protocol === base.protocol)
    : (listeners.find(({ protocol }) => protocol === 'https:') ?? listeners[0])
  if (listener === undefined) {
    const of = base ? ` for ${base.protocol.replace(':', '')}` : ''
    return { node: name, why: `its config names no address and port${of} that others can ask` }
  }
  const at = {
    host: listener.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(listener.port || (listener.protocol === 'https:' ? 443 : 80)),
  }
  return { url: base ?? asSite(listener, hostOf(text, release)), at, label: name }
}

/** Asked for by the name that its site has. */
function asSite(listener: URL, host: string | null): URL {
  return host === null ? listener : new URL(`${listener.protocol}//${host}/`)
}

/** The first that is one name and not all of a kind; null: it has none. */
function hostOf(text: string | null, release: string): string | null {
  const config: { sites?: unknown } | undefined = parse(text ?? '{}', [], {
    allowTrailingComma: true,
  })
  const sites = Array.isArray(config?.sites) ? config.sites : []
  const names = sites
    .filter((site) => site?.release === release && Array.isArray(site.hosts))
    .flatMap((site) => site.hosts as unknown[])
  return names.find((one): one is string => typeof one === 'string' && !one.includes('*')) ?? null
}
