// SPDX-License-Identifier: MIT

import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import { MarkList } from '../../components/chart/mark-list.tsx'
import type { Mark } from '../../components/chart/types.ts'
import { t } from '../../languages/t.ts'
import type { SiteTraffic } from '../../lib/api-types.ts'
import { formatRate, formatSeconds } from '../../lib/format.ts'
import classes from './sites.module.css'
import { linesOf } from './traffic.ts'

type Props = {
  traffic: SiteTraffic
  nowSeconds: number
  marks: readonly Mark[]
  onZoom: (fromSeconds: number, toSeconds: number) => void
}

const ONE_CURSOR = 'site'
const HEIGHT = 180

export function TrafficCharts({ traffic, nowSeconds, marks, onZoom }: Props) {
  const { status, mean, byVersion } = useMemo(
    () => linesOf(traffic, nowSeconds),
    [traffic, nowSeconds],
  )
  const shared = { group: ONE_CURSOR, times: traffic.times, height: HEIGHT, marks, onZoom }
  return (
    <>
      <div className={classes.charts}>
        <ChartPanel
          {...shared}
          label={t('Answers per second by status')}
          series={status}
          format={formatRate}
          smallestTop={1}
          stacked
        />
        <ChartPanel
          {...shared}
          label={t('Mean time of an answer')}
          series={mean}
          format={formatSeconds}
        />
        {byVersion.length > 1 && (
          <ChartPanel
            {...shared}
            label={t('Requests per second by version')}
            series={byVersion}
            format={formatRate}
            smallestTop={1}
          />
        )}
      </div>
      <MarkList marks={marks} />
    </>
  )
}
