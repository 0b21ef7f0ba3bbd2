// SPDX-License-Identifier: MIT
// What the farm's address holds: filters and order, so that a view can be sent to a colleague.
import { isScale, type Scale } from '../../components/chart/scale.ts'
import type { SyncState } from '../../lib/api-types.ts'
import type { NodeFilter } from './rules.ts'
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
export type SortKey = (typeof sortKeys)[number]
export type FarmSearch = NodeFilter & {
  /** A label selector, as groups have. */
  selector?: string | undefined
  sort?: SortKey | undefined
  desc?: boolean | undefined
  scale?: Scale | undefined
}

export function parseFarmSearch(search: Record<string, unknown>): FarmSearch {
  const parsed: FarmSearch = {}
  const { q, state, group, cordoned, selector, sort, desc, scale } = search
  if ((typeof q === 'string' || typeof q === 'number') && q !== '') parsed.q = String(q)
  if (isSyncState(state)) parsed.state = state
  if (typeof group === 'string' && group !== '') parsed.group = group
  if (cordoned === true) parsed.cordoned = true
  if (typeof selector === 'string' && selector !== '') parsed.selector = selector
  const key = sortKeys.find((known) => known === sort)
  if (key !== undefined) parsed.sort = key
  if (desc === true) parsed.desc = true
  if (isScale(scale)) parsed.scale = scale
  return parsed
}

const isSyncState = (value: unknown): value is SyncState =>
  syncStates.some((state) => state === value)
