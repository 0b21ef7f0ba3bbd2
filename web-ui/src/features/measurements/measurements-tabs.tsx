// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { TabBar } from '../../components/tab-bar.tsx'
import { t } from '../../languages/t.ts'
import type { TimeSearch } from '../../lib/time-range.ts'

const pages = [
  { to: '/measurements', label: t('Over time') },
  { to: '/measurements/compare', label: t('Compare') },
  { to: '/measurements/top', label: t('Top nodes') },
] as const

/** The time goes along from one to the other. */
export function MeasurementsTabs({ time: { range, from, to } }: { time: TimeSearch }) {
  return (
    <TabBar label={t('Views of the measurements')}>
      {pages.map((page) => (
        <Link
          key={page.to}
          to={page.to}
          search={{ range, from, to }}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {page.label}
        </Link>
      ))}
    </TabBar>
  )
}
