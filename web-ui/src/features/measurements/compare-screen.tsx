// SPDX-License-Identifier: MIT

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { rowsOf } from '../../components/chart/heatmap-grid.ts'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeBar } from '../../components/time-bar.tsx'
import { t } from '../../languages/t.ts'
import type { Comparison, Stage } from '../../lib/api-types.ts'
import { formatDateTime } from '../../lib/time.ts'
import { type TimeSearch, withTime } from '../../lib/time-range.ts'
import { compareQuery, heatmapQuery, type Side } from './api.ts'
import { errorsSentence, sentence } from './compare-rules.ts'
import { CompareTable } from './compare-table.tsx'
import classes from './measurements.module.css'
import { MeasurementsTabs } from './measurements-tabs.tsx'
import { type CompareSearch, type Earlier, earlier } from './search.ts'
import { SetField } from './set-field.tsx'
import { FARM } from './sets.ts'
import { SetHeatmap, StageSelect } from './topic-heatmaps.tsx'

export type CompareScreenProps = {
  search: CompareSearch
  onSearch: (search: CompareSearch) => void
}

function sidesOf({ a = FARM, b = FARM, before, range, from, to }: CompareSearch): Sides {
  const time: TimeSearch = { range, from, to }
  const second = { of: b, time }
  return {
    a: { of: a, time },
    b: before === undefined ? second : { ...second, earlierSeconds: earlier[before].seconds },
  }
}

export function CompareScreen({ search, onSearch }: CompareScreenProps) {
  const { a = FARM, b = FARM, before } = search
  const sides = sidesOf(search)
  const isItself = a === b && before === undefined
  const comparison = useQuery({ ...compareQuery(sides.a, sides.b), enabled: !isItself })
  const stage = search.stage ?? 'total'
  return (
    <Page
      title={t('Compare measurements')}
      meta={t('Two of anything, or one at two times: is it slower, and is that chance?')}
    >
      <MeasurementsTabs time={search} />
      <div className={`panel ${classes.bar}`}>
        <div className={classes.sets}>
          <SetField label={t('Compare')} of={a} onOf={(next) => onSearch({ ...search, a: next })} />
          <span className="dim">{t('with')}</span>
          <SetField label={t('With')} of={b} onOf={(next) => onSearch({ ...search, b: next })} />
          <NativeSelect
            size="xs"
            aria-label={t('At which time')}
            value={before ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onSearch({ ...search, before: value === '' ? undefined : (value as Earlier) })
            }
            data={[
              { value: '', label: t('at the same time') },
              ...Object.entries(earlier).map(([value, { label }]) => ({ value, label })),
            ]}
          />
        </div>
        <TimeBar time={search} onTime={(time) => onSearch(withTime(search, time))} />
      </div>
      {isItself ? (
        <p className="dim">
          {t('Both are the same now. Choose something else to compare with, or an earlier time.')}
        </p>
      ) : (
        <>
          <QueryStates query={comparison} what={t('The comparison')} skeletonRows={8}>
            {(answer) => <Result comparison={answer} isOfTimes={before !== undefined} />}
          </QueryStates>
          <StageSelect stage={stage} onStage={(next) => onSearch({ ...search, stage: next })} />
          <Heatmaps {...sides} stage={stage} />
        </>
      )}
    </Page>
  )
}

type Sides = { a: Side; b: Side }

const LATER = t('the later time')
const EARLIER = t('the earlier time')

/** Beside one another, with the same times at the same height. */
function Heatmaps({ a, b, stage }: Sides & { stage: Stage }) {
  const left = useQuery(heatmapQuery(a, stage))
  const right = useQuery(heatmapQuery(b, stage))
  const isOfTimes = b.earlierSeconds !== undefined
  const rows = useMemo(
    () => rowsOf([left.data, right.data].filter((one) => one !== undefined)),
    [left.data, right.data],
  )
  return (
    <div className={classes.charts}>
      <SetHeatmap heatmap={left} rows={rows} when={isOfTimes ? LATER : undefined} />
      <SetHeatmap heatmap={right} rows={rows} when={isOfTimes ? EARLIER : undefined} />
    </div>
  )
}

type Compared = Comparison['a']
const P99 = 0.99

function Result({ comparison, isOfTimes }: { comparison: Comparison; isOfTimes: boolean }) {
  const { a, b, quantiles, stages } = comparison
  const total = stages.find(({ stage }) => stage === 'total')
  const ratio = total?.ratios[quantiles.indexOf(P99)] ?? null
  const titles = isOfTimes
    ? { a: `${a.title}, ${LATER}`, b: `${b.title}, ${EARLIER}` }
    : { a: a.title, b: b.title }
  return (
    <section className="panel" aria-labelledby="comparison-heading">
      <div className="panel-head">
        <h2 id="comparison-heading">{t('{a} beside {b}', { a: titles.a, b: titles.b })}</h2>
      </div>
      <div className={`panel-body ${classes.result}`}>
        <p className={classes.verdict} role="status">
          {sentence(titles, 'p99', ratio)}
        </p>
        <p>
          {errorsSentence({
            ...comparison,
            a: { ...a, title: titles.a },
            b: { ...b, title: titles.b },
          })}
        </p>
        <p className="dim">
          {sideWords(titles.a, a, total?.a.count)}
          {'; '}
          {sideWords(titles.b, b, total?.b.count)}.
        </p>
      </div>
      <CompareTable comparison={comparison} titles={titles} />
      <p className={`dim ${classes.meaning}`}>
        {t(
          'A ratio is how many times the second’s percentile the first’s is. The interval in brackets is of 95 %: the steps of both are drawn again at random, 200 times, and so many of the ratios lie within it. With 1 in it, chance from step to step explains all. What it cannot know is what else differed: other visitors, other files, another hour.',
        )}
      </p>
    </section>
  )
}

const sideWords = (title: string, { from, to }: Compared, count = 0): string =>
  t('{title}: {count, plural, one {# request} other {# requests}}, {from} to {to}', {
    title,
    count,
    from: formatDateTime(from),
    to: formatDateTime(to),
  })
