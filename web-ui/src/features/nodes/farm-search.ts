// SPDX-License-Identifier: MIT
// What the farm's address holds: filters and order, so that a view can be sent to a colleague.
import { isScale, type Scale } from '../../components/chart/scale.ts'
import type { NodeList, SyncState } from '../../lib/api-types.ts'
import { syncStates } from './rules.ts'

export const sortKeys = [
  'name',
  'state',
  'p50',
  'p99',
  'rate',
  'clientErrors',
  'errors',
  'seen',
] as const
/** What a node's row may be without. */
export const columnKeys = [
  'state',
  'seen',
  'version',
  'p50',
  'p99',
  'rate',
  'clientErrors',
  'errors',
  'urls',
  'labels',
] as const
export type ColumnKey = (typeof columnKeys)[number]
export type SortKey = (typeof sortKeys)[number]
export type FarmSearch = {
  /** Words, each a part of the name, the host or a label ("b2" or "rack=b2"). */
  q?: string | undefined
  state?: SyncState | undefined
  group?: string | undefined
  cordoned?: true | undefined
  /** A label selector, as groups have. */
  selector?: string | undefined
  sort?: SortKey | undefined
  desc?: boolean | undefined
  scale?: Scale | undefined
  /** Columns that are left out, with commas between. */
  hide?: string | undefined
}

export function parseFarmSearch(search: Record<string, unknown>): FarmSearch {
  const parsed: FarmSearch = {}
  const { q, state, group, cordoned, selector, sort, desc, scale, hide } = search
  if ((typeof q === 'string' || typeof q === 'number') && q !== '') parsed.q = String(q)
  if (isSyncState(state)) parsed.state = state
  if (typeof group === 'string' && group !== '') parsed.group = group
  if (cordoned === true) parsed.cordoned = true
  if (typeof selector === 'string' && selector !== '') parsed.selector = selector
  const key = sortKeys.find((known) => known === sort)
  if (key !== undefined) parsed.sort = key
  if (desc === true) parsed.desc = true
  if (isScale(scale)) parsed.scale = scale
  const hidden = hiddenColumns({ hide: typeof hide === 'string' ? hide : undefined })
  if (hidden.length > 0) parsed.hide = hidden.join()
  return parsed
}

export function hiddenColumns({ hide = '' }: Pick<FarmSearch, 'hide'>): ColumnKey[] {
  const named = hide.split(',')
  return columnKeys.filter((key) => named.includes(key))
}

/** Shown if it is hidden, and hidden if it is shown. */
export function withColumn(search: FarmSearch, key: ColumnKey): FarmSearch {
  const hidden = hiddenColumns(search)
  const next = hidden.includes(key) ? hidden.filter((one) => one !== key) : [...hidden, key]
  return { ...search, hide: next.length === 0 ? undefined : next.join() }
}

const isSyncState = (value: unknown): value is SyncState =>
  syncStates.some((state) => state === value)

/** What is asked of the control plane for it. */
export function listOf({ q, state, group, cordoned, selector, sort, desc }: FarmSearch): NodeList {
  const words = q?.trim()
  return {
    ...(words && { q: words }),
    ...(state && { state }),
    ...(group && { group }),
    ...(cordoned && { cordoned }),
    ...(selector && { selector }),
    ...(sort && { sort }),
    ...(desc && { order: 'desc' }),
  }
}

export const withoutFilters = ({ sort, desc, scale, hide }: FarmSearch): FarmSearch => ({
  ...{ sort, desc, scale, hide },
})

const filters = ['q', 'state', 'group', 'cordoned', 'selector'] as const
export const isFiltering = (list: NodeList) => filters.some((name) => list[name] !== undefined)

/** `GET /nodes` sorts no more than these by what it has to look up for each of them. */
export const MOST_MEASURED = 1000
const measured: ReadonlySet<SortKey> = new Set(['p50', 'p99', 'rate', 'clientErrors', 'errors'])
export const canSortBy = (key: SortKey, nodes: number) =>
  nodes <= MOST_MEASURED || !measured.has(key)
