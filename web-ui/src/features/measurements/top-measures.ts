// SPDX-License-Identifier: MIT
// By what nodes can be ranked.
import { t } from '../../languages/t.ts'
import { measureLabel, unitOf } from '../../lib/measures.ts'
import { stages } from '../../lib/stages.ts'

/** `by`: as lib/measures.ts has it. */
export type TopMeasure = { by: string; label: string; format: (value: number) => string }
export type MeasureGroup = { group: string; measures: readonly TopMeasure[] }

/** What an address has may be one that is not in the list: it is asked for as it is. */
export const measureOf = (by: string): TopMeasure => ({
  ...{ by, label: measureLabel(by), format: unitOf(by).format },
})
const every = (kind: 'rate' | 'share' | 'gauge', names: readonly string[]) =>
  names.map((name) => measureOf(`${kind}:${name}`))
const percentiles = (percent: 50 | 90 | 99): MeasureGroup => ({
  group: t('p{percent} of a stage', { percent }),
  measures: Object.keys(stages).map((stage) => measureOf(`quantile:${stage}:${percent / 100}`)),
})

export const measureGroups: readonly MeasureGroup[] = [
  percentiles(99),
  {
    group: t('Per second'),
    measures: every('rate', [
      ...['requests', 'bytesSent', 'responses5xx', 'responses404', 'connections', 'refused'],
      ...['rateLimited', 'timeouts', 'cacheEvictions', 'laneRejected'],
    ]),
  },
  {
    group: t('Share of requests'),
    measures: every('share', [
      ...['responses5xx', 'responses4xx', 'responses404', 'aborted', 'cacheMisses'],
      'http2Requests',
    ]),
  },
  {
    group: t('On average'),
    measures: every('gauge', [
      ...['openConnections', 'readQueue', 'statQueue', 'readBusy', 'loadAverage1m'],
      ...['residentBytes', 'openDescriptors', 'diskUsedRatio'],
    ]),
  },
  percentiles(90),
  percentiles(50),
]

export const DEFAULT_BY = 'quantile:total:0.99'

/** The one that the address has may be in none of them. */
export const groupsWith = (by: string): readonly MeasureGroup[] =>
  measureGroups.some(({ measures }) => measures.some((one) => one.by === by))
    ? measureGroups
    : [{ group: t('In the address'), measures: [measureOf(by)] }, ...measureGroups]
