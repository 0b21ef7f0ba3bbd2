// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { useMemo } from 'react'
import { Page } from '../../components/page.tsx'
import { TimeBar } from '../../components/time-bar.tsx'
import { useHappened } from '../../hooks/use-happened.ts'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { spanOf, type TimeSearch, withTime } from '../../lib/time-range.ts'
import { isAboutSets, versionsIn } from './happened.ts'
import { HappenedPanel } from './happened-panel.tsx'
import classes from './measurements.module.css'
import { MeasurementsTabs } from './measurements-tabs.tsx'
import { isTopic, type MeasurementsSearch, topicKeys } from './search.ts'
import { FARM, MOST_SETS, setsIn, together } from './sets.ts'
import { SetsBar } from './sets-bar.tsx'
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
  const about = useMemo(() => ({ rollout: isAboutSets(setsIn(of)) }), [of])
  const { happened, marks, see } = useHappened(session, time, about)
  const changeSets = (next: readonly string[]) => {
    const words = together(next)
    onSearch({ ...search, of: words === FARM || words === '' ? undefined : words })
  }
  const changeTime = (next: TimeSearch) => onSearch(withTime(search, next))
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
