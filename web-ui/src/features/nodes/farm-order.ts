// SPDX-License-Identifier: MIT
// The order of the farm's nodes where no column head says it: on a phone they are cards.
import { t } from '../../languages/t.ts'
import { canSortBy, type FarmSearch, type SortKey } from './farm-search.ts'

type Order = Pick<FarmSearch, 'sort' | 'desc'>

type Choice = { value: string; label: string; order: Order }
const choice = (label: string, sort: SortKey, desc?: true): Choice => ({
  value: orderValue({ sort, desc }),
  label,
  order: { sort: sort === 'name' ? undefined : sort, desc },
})

export const orderValue = ({ sort = 'name', desc }: Order) => `${sort}${desc ? ' down' : ''}`

const choices = [
  choice(t('By name'), 'name'),
  choice(t('Trouble first'), 'state'),
  choice(t('Slowest first, p99'), 'p99', true),
  choice(t('Busiest first'), 'rate', true),
  choice(t('Most 4xx first'), 'clientErrors', true),
  choice(t('Most 5xx first'), 'errors', true),
  choice(t('Longest unheard first'), 'seen'),
]

/** The address may hold any order of the table. */
export function choicesWith(order: Order, nodes: number): (Choice & { disabled: boolean })[] {
  const value = orderValue(order)
  const all = choices.some((one) => one.value === value)
    ? choices
    : [...choices, { value, label: t('By {value}', { value }), order }]
  return all.map((one) => ({
    ...one,
    disabled: one.value !== value && !canSortBy(one.order.sort ?? 'name', nodes),
  }))
}
