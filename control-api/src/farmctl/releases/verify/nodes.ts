// SPDX-License-Identifier: MIT
// Where the nodes that run a release serve it, as the configs say that they really run.
import { type Api, bodyOf, pages } from '../../api.ts'
import type { ReleaseNode } from '../../api-types.ts'
import { Failure } from '../../failures.ts'
import type { Odd } from './judge.ts'
import { baseOf, type Place } from './urls.ts'

type Wanted = { release: string; number: number; url: string | undefined }
export type Unasked = { node: string; why: string }
export type NodePlaces = { nodes: number; places: Place[]; odd: Odd[]; unasked: Unasked[] }

export async function placesOfNodes(api: Api, wanted: Wanted): Promise<NodePlaces> {
  const found: NodePlaces = { nodes: 0, places: [], odd: [], unasked: [] }
  const { release } = wanted
  const nodes = pages((query) => {
    const params = { path: { name: release }, query }
    return bodyOf(api.GET('/api/v1/releases/{name}/nodes', { params }))
  })
  for await (const node of nodes) {
    const place = placeOfNode(node, wanted)
    found.nodes++
    if ('why' in place) found.unasked.push(place)
    else if ('what' in place) found.odd.push(place)
    else found.places.push(place)
  }
  if (found.nodes > 0) return found
  throw new Failure(
    `No node runs a version of "${release}". Bring one out: farmctl releases roll-out ${release}`,
  )
}

export function placeOfNode(
  { name, version, urls, host }: Omit<ReleaseNode, 'id'>,
  { release, number, url }: Wanted,
): Place | Odd | Unasked {
  if (version !== number) {
    const versions = { expected: `${release}@${number}`, found: `${release}@${version}` }
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
  return { url: base ?? asSite(listener, host), at, label: name }
}

/** Asked for by the name that its site has. */
function asSite(listener: URL, host: string | null): URL {
  return host === null ? listener : new URL(`${listener.protocol}//${host}/`)
}
