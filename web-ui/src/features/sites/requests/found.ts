// SPDX-License-Identifier: MIT
// What a search has found, put together from one answer after the other. Pure.
import type { Cell } from '../../../components/chart/csv.ts'
import type { FoundRequest, RequestSearch } from '../../../lib/api-types.ts'
import { formatCount, plural } from '../../../lib/format.ts'

/** In the table; the oldest go. */
export const MOST_ROWS = 2_000

export type Found = { search: RequestSearch /** The newest first. */; rows: FoundRequest[] }

export function withFound(before: Found | undefined, search: RequestSearch): Found {
  const known = before?.search.next ?? 0
  const news = search.requests.filter(({ number }) => number > known).toReversed()
  return { search, rows: [...news, ...(before?.rows ?? [])].slice(0, MOST_ROWS) }
}

/** Which nodes are searched, and why not the others. */
export function nodesWords({ nodes }: RequestSearch): string {
  const { selected, connected, searched, tooOld, busy } = nodes
  const left = [
    ...(searched + tooOld + busy < connected ? ['chosen by chance, as the most that can be'] : []),
    ...(connected < selected ? [`${formatCount(selected - connected)} not connected`] : []),
    ...(tooOld > 0 ? [`${formatCount(tooOld)} too old for it`] : []),
    ...(busy > 0 ? [`${formatCount(busy)} busy with other searches`] : []),
  ]
  if (searched === selected) return plural(searched, 'node')
  const of = `${formatCount(searched)} of ${plural(selected, 'node')}`
  return left.length === 0 ? of : `${of} (${left.join('; ')})`
}

/** How much of it is to be seen. */
export function countWords({ seen, matched, received }: RequestSearch): string {
  const matching = `${formatCount(matched)} of ${plural(seen, 'request')} match`
  if (received >= matched) return matching
  return `${matching}; ${formatCount(received)} of them were sent, chosen by chance`
}

export const csvRows = (rows: readonly FoundRequest[], hasClients: boolean): Cell[][] => [
  [
    ...['time', 'node', ...(hasClients ? ['client'] : []), 'status', 'seconds', 'bytes'],
    ...['method', 'host', 'path', 'protocol', 'ended early'],
  ],
  ...rows.map((row): Cell[] => [
    ...[row.startedAt, row.nodeName, ...(hasClients ? [row.client] : []), row.status],
    ...[row.stageSeconds.total ?? null, row.bytes, row.method, row.host, row.path, row.protocol],
    row.reason,
  ]),
]
