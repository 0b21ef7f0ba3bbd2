// SPDX-License-Identifier: MIT
// Of a list that may be very long the first rows, and more of them for who wants them: what stands below on the page
// stays within reach.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../languages/t.ts'
import { formatCount } from '../lib/format.ts'

const FIRST = 20
const STEP = 100

export function useFirstRows<Row>(rows: readonly Row[]) {
  const [most, setMost] = useState(FIRST)
  return {
    first: rows.slice(0, most),
    more: {
      shown: Math.min(most, rows.length),
      total: rows.length,
      onMore: () => setMost(most + STEP),
    },
  }
}

type Props = { shown: number; total: number; onMore: () => void }

export function MoreRows({ shown, total, onMore }: Props) {
  if (shown >= total) return null
  return (
    <div className="panel-body row">
      <span className="dim">
        {t('{shown} of {total} shown', {
          shown: formatCount(shown),
          total: formatCount(total),
        })}
      </span>
      <Button variant="default" size="xs" onClick={onMore}>
        {t('Show {more} more', { more: formatCount(Math.min(STEP, total - shown)) })}
      </Button>
    </div>
  )
}
