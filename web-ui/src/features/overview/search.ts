// SPDX-License-Identifier: MIT
import { isRange, type RangeKey } from '../../lib/time-range.ts'
import { type ChangeKind, isChangeKind } from './changes.ts'

export type OverviewSearch = {
  /** Of everything on the page; an hour when left out. */
  range?: RangeKey | undefined
  /** By what the map of nodes is coloured and put together; its own words. */
  by?: string | undefined
  label?: string | undefined
  as?: 'table' | undefined
  /** Of what changed only this; all when left out. */
  show?: ChangeKind | undefined
}
export const DEFAULT_RANGE: RangeKey = '1h'

export function parseOverviewSearch(search: Record<string, unknown>): OverviewSearch {
  const { range, by, label, as, show } = search
  return {
    ...(isRange(range) && { range }),
    ...(typeof by === 'string' && by !== '' && { by }),
    ...(typeof label === 'string' && label !== '' && { label }),
    ...(as === 'table' && { as }),
    ...(isChangeKind(show) && { show }),
  }
}
