// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Page } from '../../components/page.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { spanOf, type TimeSearch } from '../../lib/time-range.ts'
import { happenedQuery } from './api.ts'
import { happenings, versionsIn } from './happened.ts'
import { HappenedPanel } from './happened-panel.tsx'
import classes from './measurements.module.css'
import { MeasurementsTabs } from './measurements-tabs.tsx'
import { isTopic, type MeasurementsSearch, topicKeys } from './search.ts'
import { FARM, MOST_SETS, setsIn, together } from './sets.ts'
import { SetsBar } from './sets-bar.tsx'
import { TimeBar } from './time-bar.tsx'
import { TopicCharts } from './topic-charts.tsx'
import { TopicHeatmaps } from './topic-heatmaps.tsx'
import { labelOf } from './topics.ts'

export type MeasurementsScreenProps = {
  session: Session
  search: MeasurementsSearch
  onSearch: (search: MeasurementsSearch) => void
}

export function MeasurementsScreen({ session, search, onSearch }: MeasurementsScreenProps) {
  const { of = FARM, topic = 'requests', range, from, to } = search
  const sets = setsIn(of)
  const time = useMemo((): TimeSearch => ({ range, from, to }), [range, from, to])
  const see = { rollouts: may(session, 'rollouts:read'), alerts: may(session, 'alerts:read') }
  const happened = useQuery(happenedQuery(time, see))
  const marks = useMemo(() => {
    const span = spanOf(time, Date.now() / 1000)
    return happened.data ? happenings(happened.data, span, setsIn(of)) : []
  }, [happened.data, time, of])
  const changeSets = (next: readonly string[]) => {
    const words = together(next)
    onSearch({ ...search, of: words === FARM || words === '' ? undefined : words })
  }
  const changeTime = (next: TimeSearch) =>
    onSearch({ ...search, range: undefined, from: undefined, to: undefined, ...next })
  const versions = happened.data
    ? versionsIn(happened.data, spanOf(time, Date.now() / 1000)).slice(0, MOST_SETS)
    : []
  const shown = { time, marks, search, onSearch, onTime: changeTime }
  return (
    <Page title={t('Measurements')} meta={t('Where the time goes, by stage and by version.')}>
      <MeasurementsTabs time={time} />
      <div className={`panel ${classes.bar}`}>
        <SetsBar sets={sets} versions={versions} onSets={changeSets} />
        <TimeBar time={time} onTime={changeTime} />
      </div>
      <SegmentedControl
        aria-label={t('Topic')}
        className={classes.topics}
        value={topic}
        onChange={(next) => isTopic(next) && onSearch({ ...search, topic: next })}
        data={topicKeys.map((value) => ({ value, label: labelOf(value) }))}
      />
      {topic === 'heatmap' ? (
        <TopicHeatmaps {...shown} />
      ) : (
        <TopicCharts key={topic} topic={topic} {...shown} />
      )}
      <HappenedPanel happened={happened} marks={marks} see={see} />
    </Page>
  )
}
