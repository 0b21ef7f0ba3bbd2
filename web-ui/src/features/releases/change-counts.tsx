// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import { formatCount } from '../../lib/format.ts'

type Counts = { added: number; changed: number; removed: number }

/** Signs for the eye, words for who listens. */
export function ChangeCounts({ added, changed, removed }: Counts) {
  return (
    <span className="nowrap">
      <span aria-hidden="true">
        +{formatCount(added)}
        {' ~'}
        {formatCount(changed)}
        {' −'}
        {formatCount(removed)}
      </span>
      <span className="visually-hidden">
        {t('{added} added, {changed} changed, {removed} removed', { added, changed, removed })}
      </span>
    </span>
  )
}
