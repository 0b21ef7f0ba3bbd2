// SPDX-License-Identifier: MIT
// What the address of the measurements holds: whose, when, and about what; so that a view can be sent to a colleague.

import { isScale, type Scale } from '../../components/chart/scale.ts'
import { t } from '../../languages/t.ts'
import type { Stage } from '../../lib/api-types.ts'
import { isStage } from '../../lib/stages.ts'
import { parseTimeSearch, type TimeSearch } from '../../lib/time-range.ts'
import { setsIn, together } from './sets.ts'

/** In the order of the page; the charts of each are in topics.ts. */
export const topicKeys = [
  'requests',
  'stages',
  'heatmap',
  'network',
  'connections',
  'disks',
  'cache',
  'machine',
] as const
export type TopicKey = (typeof topicKeys)[number]

export const isTopic = (value: unknown): value is TopicKey =>
  topicKeys.some((known) => known === value)

export type MeasurementsSearch = TimeSearch & {
  /** Whose, as the API has it, several with ";" between them; left out: the farm's. */
  of?: string | undefined
  topic?: TopicKey | undefined
  /** Of the heatmap. */
  stage?: Stage | undefined
  scale?: Scale | undefined
}

export function parseMeasurementsSearch(search: Record<string, unknown>): MeasurementsSearch {
  const { of, topic, stage, scale } = search
  const parsed: MeasurementsSearch = parseTimeSearch(search)
  const sets = typeof of === 'string' ? setsIn(of) : []
  if (sets.length > 0) parsed.of = together(sets)
  if (isTopic(topic)) parsed.topic = topic
  if (isStage(stage)) parsed.stage = stage
  if (isScale(scale)) parsed.scale = scale
  return parsed
}

/** What b's time is before a's, so that today stands beside the same hours of last week. */
export const earlier = {
  day: { label: t('a day earlier'), seconds: 86_400 },
  week: { label: t('a week earlier'), seconds: 604_800 },
} as const
export type Earlier = keyof typeof earlier

export type CompareSearch = TimeSearch & {
  /** Whose is compared with whose; left out: the farm's. */
  a?: string | undefined
  b?: string | undefined
  /** Left out: at the same time. */
  before?: Earlier | undefined
  /** Of the heatmaps. */
  stage?: Stage | undefined
}

export function parseCompareSearch(search: Record<string, unknown>): CompareSearch {
  const { a, b, before, stage } = search
  const parsed: CompareSearch = parseTimeSearch(search)
  const [first] = typeof a === 'string' ? setsIn(a) : []
  const [second] = typeof b === 'string' ? setsIn(b) : []
  if (first !== undefined) parsed.a = first
  if (second !== undefined) parsed.b = second
  if (before === 'day' || before === 'week') parsed.before = before
  if (isStage(stage)) parsed.stage = stage
  return parsed
}

export type TopSearch = TimeSearch & {
  /** Of which nodes; left out: the farm's. */
  of?: string | undefined
  /** As the API has it: quantile:STAGE:Q, rate:COUNTER, share:COUNTER or gauge:NAME. */
  by?: string | undefined
}

export function parseTopSearch(search: Record<string, unknown>): TopSearch {
  const { of, by } = search
  const parsed: TopSearch = parseTimeSearch(search)
  const [set] = typeof of === 'string' ? setsIn(of) : []
  if (set !== undefined) parsed.of = set
  if (typeof by === 'string' && /^(quantile|rate|share|gauge):./.test(by)) parsed.by = by
  return parsed
}
