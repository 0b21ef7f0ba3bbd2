// SPDX-License-Identifier: MIT
// The order of the farm's nodes where no column head says it: on a phone they are cards.
import type { Node } from '../../lib/api-types.ts'
import type { FarmSearch, SortKey } from './farm-search.ts'
import { clientErrorRatio, errorRatio, syncRank } from './rules.ts'

type Order = Pick<FarmSearch, 'sort' | 'desc'>

const keyOf: Record<SortKey, (node: Node) => string | number | null> = {
  name: ({ name }) => name,
  state: ({ sync }) => syncRank(sync.state),
  p50: ({ latency }) => latency.p50Seconds,
  p99: ({ latency }) => latency.p99Seconds,
  rate: ({ latency }) => latency.requestsPerSecond,
  clientErrors: clientErrorRatio,
  errors: errorRatio,
  seen: ({ lastSeenAt }) => (lastSeenAt === null ? null : Date.parse(lastSeenAt)),
}

/** Those of which nothing is known come last, whichever way. */
export function ordered(nodes: readonly Node[], { sort = 'name', desc = false }: Order): Node[] {
  const key = keyOf[sort]
  return nodes.toSorted((one, other) => {
    const [a, b] = [key(one), key(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    const less = typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b)
    return desc ? -less : less
  })
}

type Choice = { value: string; label: string; order: Order }
const choice = (label: string, sort: SortKey, desc?: true): Choice => ({
  value: orderValue({ sort, desc }),
  label,
  order: { sort: sort === 'name' ? undefined : sort, desc },
})

export const orderValue = ({ sort = 'name', desc }: Order) => `${sort}${desc ? ' down' : ''}`

const choices = [
  choice('By name', 'name'),
  choice('Trouble first', 'state'),
  choice('Slowest first, p99', 'p99', true),
  choice('Busiest first', 'rate', true),
  choice('Most 4xx first', 'clientErrors', true),
  choice('Most 5xx first', 'errors', true),
  choice('Longest unheard first', 'seen'),
]

/** The address may hold any order of the table. */
export function choicesWith(order: Order): Choice[] {
  const value = orderValue(order)
  if (choices.some((one) => one.value === value)) return choices
  return [...choices, { value, label: `By ${value}`, order }]
}
