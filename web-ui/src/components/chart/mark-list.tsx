// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import { formatDateTime, formatExact } from '../../lib/time.ts'
import { ScrollBox } from '../scroll-box.tsx'
import classes from './chart.module.css'
import { MarkFlag } from './mark-flag.tsx'
import type { Mark } from './types.ts'

/** What the lines across a chart are, or across several of one time. */
export function MarkList({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null
  return (
    <ScrollBox label={t('Marked in the chart')} className={classes.marks}>
      <ul>
        {marks.map(({ kind, atSeconds, text }) => (
          <li key={`${atSeconds} ${text}`}>
            <MarkFlag {...(kind && { kind })} />{' '}
            <span title={formatExact(atSeconds * 1000)}>{formatDateTime(atSeconds * 1000)}</span>
            {': '}
            {text}
          </li>
        ))}
      </ul>
    </ScrollBox>
  )
}
