// SPDX-License-Identifier: MIT
// What a search has found, put together from one answer after the other. Pure.

import type { Cell } from '../../../components/chart/csv.ts'
import { t } from '../../../languages/t.ts'
import type { FoundRequest, RequestSearch } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'

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
    ...(searched + tooOld + busy < connected
      ? [t('chosen by chance, as the most that can be')]
      : []),
    ...(connected < selected
      ? [t('{selected} not connected', { selected: formatCount(selected - connected) })]
      : []),
    ...(tooOld > 0 ? [t('{tooOld} too old for it', { tooOld: formatCount(tooOld) })] : []),
    ...(busy > 0 ? [t('{busy} busy with other searches', { busy: formatCount(busy) })] : []),
  ]
  if (searched === selected)
    return t('{searched, plural, one {# node} other {# nodes}}', { searched })
  const of = t('{searched} of {selected, plural, one {# node} other {# nodes}}', {
    searched: formatCount(searched),
    selected,
  })
  return left.length === 0 ? of : `${of} (${left.join('; ')})`
}

/** How much of it is to be seen. */
export function countWords({ seen, matched, received }: RequestSearch): string {
  const matching = t('{matched} of {seen, plural, one {# request} other {# requests}} match', {
    matched: formatCount(matched),
    seen,
  })
  if (received >= matched) return matching
  return t('{matching}; {received} of them were sent, chosen by chance', {
    matching,
    received: formatCount(received),
  })
}

export const csvRows = (rows: readonly FoundRequest[], hasClients: boolean): Cell[][] => [
  [
    ...['time', 'node', ...(hasClients ? ['client'] : []), 'status', 'seconds', 'bytes'],
    ...['method', 'host', 'path', 'protocol', t('ended early')],
  ],
  ...rows.map((row): Cell[] => [
    ...[row.startedAt, row.nodeName, ...(hasClients ? [row.client] : []), row.status],
    ...[row.stageSeconds.total ?? null, row.bytes, row.method, row.host, row.path, row.protocol],
    row.reason,
  ]),
]
