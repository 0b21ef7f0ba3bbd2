// SPDX-License-Identifier: MIT
import { isScale, type Scale } from '../../components/chart/scale.ts'
import type { Stage } from '../../lib/api-types.ts'
import { isStage } from '../../lib/stages.ts'
import { parseTimeSearch, type TimeSearch } from '../../lib/time-range.ts'
import { parseSlowSearch, type SlowSearch } from './requests/slow-rules.ts'

export type NodeSearch = SlowSearch &
  TimeSearch & {
    stage?: Stage | undefined
    scale?: Scale | undefined
  }

export function parseNodeSearch(search: Record<string, unknown>): NodeSearch {
  const parsed: NodeSearch = { ...parseSlowSearch(search), ...parseTimeSearch(search) }
  if (isStage(search.stage)) parsed.stage = search.stage
  if (isScale(search.scale)) parsed.scale = search.scale
  return parsed
}
