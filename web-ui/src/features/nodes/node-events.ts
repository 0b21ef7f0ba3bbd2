// SPDX-License-Identifier: MIT
// What events say of nodes, laid over rows that were read before: a row shows it at once, and an answer that was under way
// when the event came does not undo it. Pure.
import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { NodeList, NodesPage } from '../../lib/api-types.ts'
import type { NodeEvent } from '../../lib/live/live.ts'

/** By node, the newest that brought how it stands. */
export type HeardFacts = ReadonlyMap<string, NodeEvent>

/** Rows that are shown are read again within seconds, and a hundred come in a second at most. */
const MOST_KEPT = 1000

/** Events fill it; nobody asks for it. */
export const heardFactsQuery = queryOptions<HeardFacts>({
  queryKey: ['heard-facts'],
  queryFn: (): HeardFacts => new Map(),
  enabled: false,
  initialData: new Map(),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

export function withHeard(before: HeardFacts, events: readonly NodeEvent[]): HeardFacts {
  const heard = new Map(before)
  for (const event of events) {
    if (event.node === undefined) continue
    // The newest come last, so that the oldest go first.
    heard.delete(event.id)
    heard.set(event.id, event)
  }
  for (const id of heard.keys()) {
    if (heard.size <= MOST_KEPT) break
    heard.delete(id)
  }
  return heard
}

/** Each row as of the newer of the two. */
export function patched(page: NodesPage, heard: readonly NodeEvent[]): NodesPage {
  const newest = new Map(heard.map((event) => [event.id, event]))
  const items = page.items.map((row) => {
    const { node, number = 0 }: Partial<NodeEvent> = newest.get(row.id) ?? {}
    if (node === undefined || number <= page.revision) return row
    return { ...row, ...node, sync: { ...row.sync, ...node.sync } }
  })
  return { ...page, items }
}

/** These change how a node stands, and neither its name, its labels nor whether it is there. */
const STANDING = new Set([
  ...['connected', 'disconnected', 'effective-changed', 'serves', 'certificate-fetched'],
  ...['offered', 'withdrawn', 'acked', 'nacked', 'applied', 'reverted', 'stuck', 'confirmed'],
])

/** Must what was read by this key (below 'nodes') be read again? */
export function isOldAfter(
  events: readonly NodeEvent[],
  { queryKey: [, what, of], data }: { queryKey: QueryKey; data: unknown },
): boolean {
  if (!events.every(({ action, node }) => node !== undefined && STANDING.has(action))) return true
  if (what === 'list') {
    const page = data as NodesPage | undefined
    if (page === undefined || hangsOnStanding(of as NodeList)) return true
    return events.some(({ id }) => page.items.some((row) => row.id === id))
  }
  return !OF_ONE_NODE.has(String(what)) || events.some(({ id }) => id === of)
}

const OF_ONE_NODE = new Set(['one', 'effective-config', 'rendered', 'drift'])

/** What is in such a list, and in which order, another node's state decides as well. */
const hangsOnStanding = ({ sort = 'name', state }: NodeList): boolean =>
  sort !== 'name' || state !== undefined
