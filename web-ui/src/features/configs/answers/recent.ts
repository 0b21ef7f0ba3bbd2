// SPDX-License-Identifier: MIT
// Recent requests of a node, to put to a text: its slow ones, and those of the next seconds. They say a path and no host; what
// is masked in a path is not known here, and stays so.
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'
import { MOST_URLS } from '../../../lib/explain-query.ts'

const MASK = '***'
/** Of a path that was cut. */
const CUT = '…'
const SLOW_ASKED = 200
/** The node is asked to send, and the first come after some two seconds. */
const LOOKS = 6
const LOOK_MS = 1_000
/** Of the questions, at most: the table is for reading. */
export const MOST_PATHS = Math.min(40, MOST_URLS)

export type Recent = {
  /** Those that were asked for most, first. */
  paths: string[]
  /** So many others there were. */
  left: number
  masked: number
}

export const recentQuery = (nodeId: string) =>
  queryOptions({
    queryKey: ['recent-paths', nodeId],
    queryFn: async ({ signal }): Promise<Recent> => {
      const [slow, live] = await Promise.all([slowPaths(nodeId, signal), livePaths(nodeId, signal)])
      return chosen([...live, ...slow])
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

async function slowPaths(id: string, signal: AbortSignal): Promise<string[]> {
  const params = { path: { id }, query: { limit: SLOW_ASKED } }
  const { items } = await bodyOf(api.GET('/api/v1/nodes/{id}/slow-requests', { params, signal }))
  return items.map(({ path }) => path)
}

async function livePaths(id: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = []
  let after = 0
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const params = { path: { id }, query: { after } }
    const answer = await bodyOf(api.GET('/api/v1/nodes/{id}/samples', { params, signal }))
    if (answer.state === 'disconnected' || answer.state === 'too-old') break
    paths.push(...answer.batches.flatMap(({ samples }) => samples.map(({ path }) => path)))
    after = answer.next
  }
  return paths
}

export function chosen(all: readonly string[]): Recent {
  const counts = new Map<string, number>()
  let masked = 0
  for (const path of all) {
    if (path === '') continue
    if (path.includes(MASK) || path.endsWith(CUT)) masked += 1
    else counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const paths = [...counts].toSorted(([, a], [, b]) => b - a).map(([path]) => path)
  return {
    paths: paths.slice(0, MOST_PATHS),
    left: Math.max(0, paths.length - MOST_PATHS),
    masked,
  }
}

/** A path as it is told is decoded. */
export const urlOf = (origin: string, path: string) =>
  `${origin}${path.split('/').map(encodeURIComponent).join('/')}`

/** Where a site of the text is asked for: its hosts, each by HTTPS if the site has certificates. */
export function originsIn(value: Record<string, unknown>): string[] {
  const sites = Array.isArray(value.sites) ? value.sites : []
  const origins = sites.flatMap((site: unknown) => {
    const { hosts, certificates } = (site ?? {}) as Record<string, unknown>
    const isSecure = Array.isArray(certificates) && certificates.length > 0
    return (Array.isArray(hosts) ? hosts : [])
      .filter((host): host is string => typeof host === 'string')
      .map((host) => `${isSecure ? 'https' : 'http'}://${hostOf(host)}`)
  })
  return [...new Set(origins)]
}

/** Of all hosts, and of all below one, an example. */
const hostOf = (host: string) => (host === '*' ? 'any-host.example' : host.replace(/^\*\./, 'any.'))
