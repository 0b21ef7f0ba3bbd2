// SPDX-License-Identifier: MIT

import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { csvOf } from '../../components/chart/csv.ts'
import { saveAs } from '../../components/chart/save.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeBar } from '../../components/time-bar.tsx'
import { t } from '../../languages/t.ts'
import type { TopNodes } from '../../lib/api-types.ts'
import { formatCount, formatRatio } from '../../lib/format.ts'
import { formatDateTime } from '../../lib/time.ts'
import { type RangeKey, type TimeSearch, withTime } from '../../lib/time-range.ts'
import { topQuery } from './api.ts'
import classes from './measurements.module.css'
import { MeasurementsTabs } from './measurements-tabs.tsx'
import type { TopSearch } from './search.ts'
import { SetField } from './set-field.tsx'
import { FARM } from './sets.ts'
import { DEFAULT_BY, groupsWith, measureOf, type TopMeasure } from './top-measures.ts'

export type TopScreenProps = { search: TopSearch; onSearch: (search: TopSearch) => void }

export function TopScreen({ search, onSearch }: TopScreenProps) {
  const { of = FARM, by = DEFAULT_BY, range, from, to } = search
  const time = useMemo((): TimeSearch => ({ range, from, to }), [range, from, to])
  const top = useQuery(topQuery(of, time, by))
  const measure = measureOf(by)
  return (
    <Page title={t('Top nodes')} meta={t('Which nodes are slowest, busiest or fail most.')}>
      <MeasurementsTabs time={time} />
      <div className={`panel ${classes.bar}`}>
        <div className={classes.sets}>
          <NativeSelect
            size="xs"
            aria-label={t('By what')}
            value={by}
            onChange={({ currentTarget: { value } }) => onSearch({ ...search, by: value })}
            data={groupsWith(by).map(({ group, measures }) => ({
              group,
              items: measures.map((one) => ({ value: one.by, label: one.label })),
            }))}
          />
          <span className="dim">{t('of')}</span>
          <SetField
            label={t('Of which')}
            of={of}
            onOf={(next) => onSearch({ ...search, of: next })}
          />
        </div>
        <TimeBar time={time} onTime={(next) => onSearch(withTime(search, next))} />
      </div>
      <QueryStates query={top} what={t('The nodes')} skeletonRows={8}>
        {(answer) => <Ranking answer={answer} measure={measure} range={range} />}
      </QueryStates>
    </Page>
  )
}

type RankingProps = { answer: TopNodes; measure: TopMeasure; range: RangeKey | undefined }

function Ranking({ answer, measure, range }: RankingProps) {
  const { nodes, title, from, to } = answer
  const most = nodes[0]?.value ?? 0
  const save = () => {
    const rows = nodes.map((one) => [one.nodeName, one.value, one.requests, one.coverage])
    const csv = csvOf([['node', measure.by, 'requests', 'coverage'], ...rows])
    saveAs(
      t('top nodes {label}', { label: measure.label }),
      'csv',
      new Blob([csv], { type: 'text/csv' }),
    )
  }
  return (
    <section className="panel" aria-labelledby="top-heading">
      <div className="panel-head">
        <h2 id="top-heading">
          {measure.label}
          {': '}
          {title}
        </h2>
        <span className="dim">
          {t('over {from} to {to}', { from: formatDateTime(from), to: formatDateTime(to) })}
        </span>
        <span className="grow" />
        {nodes.length > 0 && (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={save}>
            {t('CSV')}
          </Button>
        )}
      </div>
      {nodes.length === 0 ? (
        <EmptyState title={t('No node has this measurement in this time')}>
          {t('Choose a longer time, other nodes, or another measurement.')}
        </EmptyState>
      ) : (
        <ScrollBox label={t('Nodes, the highest first')}>
          <table className="grid">
            <thead>
              <tr>
                <th scope="col">{t('Node')}</th>
                <th scope="col" className="num">
                  {measure.label}
                </th>
                <th scope="col" className="wide-only">
                  <span className="visually-hidden">{t('Beside the highest')}</span>
                </th>
                <th scope="col" className="num">
                  {t('Requests')}
                </th>
                <th scope="col" className="num">
                  {t('Measured')}
                </th>
              </tr>
            </thead>
            <tbody>
              {nodes.map(({ nodeId, nodeName, value, requests, coverage }) => (
                <tr key={nodeId}>
                  <td>
                    <Link to="/nodes/$id" params={{ id: nodeId }} search={{ range }}>
                      {nodeName}
                    </Link>
                  </td>
                  <td className="num">{measure.format(value)}</td>
                  <td className={`wide-only ${classes.barCell}`} aria-hidden="true">
                    <div
                      className={classes.valueBar}
                      style={{ width: `${most > 0 ? (100 * value) / most : 0}%` }}
                    />
                  </td>
                  <td className="num">{formatCount(requests)}</td>
                  <td className="num">
                    <Quantity of={coverage} as={formatRatio} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  )
}
