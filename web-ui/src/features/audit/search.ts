// SPDX-License-Identifier: MIT
// What the audit's address holds: its filters, so that a view can be sent to a colleague.
export const sides = ['people', 'nodes', 'service', 'all'] as const
export type Side = (typeof sides)[number]
/** Without `by` it is people's doings: machines say a thousand times as much. */
export type AuditSearch = {
  by?: Side | undefined
  /** Each change of a draft, too: while somebody types there are dozens. */
  drafts?: true | undefined
  actor?: string | undefined
  kind?: string | undefined
  action?: string | undefined
  object?: string | undefined
  /** As a field for date and time has it: the reader's own clock. */
  from?: string | undefined
  to?: string | undefined
  q?: string | undefined
}

const texts = ['actor', 'kind', 'action', 'object', 'from', 'to', 'q'] as const

export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  const parsed: AuditSearch = {}
  const by = sides.find((side) => side === search.by)
  if (by !== undefined && by !== 'people') parsed.by = by
  if (search.drafts === true) parsed.drafts = true
  for (const name of texts) {
    const value = search[name]
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') {
      parsed[name] = String(value).trim()
    }
  }
  for (const name of ['from', 'to'] as const) {
    if (Number.isNaN(Date.parse(parsed[name] ?? ''))) delete parsed[name]
  }
  return parsed
}

const ONE_OF_MANY = 'draft-changed'

type Filter = { [name in (typeof texts)[number]]?: string } & {
  by?: Exclude<Side, 'all'>
  without?: string
}

/** As the API has it. */
export function filterOf({ by = 'people', drafts, ...search }: AuditSearch): Filter {
  const filter: Filter = by === 'all' ? {} : { by }
  if (drafts !== true && search.action === undefined) filter.without = ONE_OF_MANY
  for (const name of texts) {
    const value = search[name]
    if (value === undefined) continue
    filter[name] = name === 'from' || name === 'to' ? new Date(value).toISOString() : value
  }
  return filter
}
