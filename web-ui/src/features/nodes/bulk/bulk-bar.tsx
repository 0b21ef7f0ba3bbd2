// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../../languages/t.ts'
import type { NodeList } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import classes from './bulk.module.css'
import { BulkDialog } from './bulk-dialog.tsx'
import { type BulkKind, bulkKinds, bulkWords } from './rules.ts'
import { allMatching, countOf, noSelection, type Selection } from './selection.ts'

type BulkBarProps = {
  selection: Selection
  list: NodeList
  /** How many the filter leaves. */
  listed: number
  onSelect: (selection: Selection) => void
}

/** What is selected, and what may be done with it. It stays in the window while the list moves. */
export function BulkBar({ selection, list, listed, onSelect }: BulkBarProps) {
  const [kind, setKind] = useState<BulkKind | null>(null)
  const [asked, setAsked] = useState<Selection>(selection)
  const count = countOf(selection, listed)
  if (count === 0 && kind === null) return null
  return (
    <section aria-label={t('Selected nodes')} className={classes.bar}>
      <strong role="status">
        {t('{count, plural, one {# node} other {# nodes}} selected', { count })}
      </strong>
      {count < listed && (
        <Button size="compact-sm" variant="subtle" onClick={() => onSelect(allMatching)}>
          {t('Select all {listed} listed', { listed: formatCount(listed) })}
        </Button>
      )}
      <span className={classes.actions}>
        {bulkKinds.map((one) => (
          <Button
            key={one}
            size="xs"
            variant={one === 'decommission' ? 'danger' : 'default'}
            onClick={() => {
              setAsked(selection)
              setKind(one)
            }}
          >
            {bulkWords[one].verb}…
          </Button>
        ))}
        <Button size="xs" variant="subtle" onClick={() => onSelect(noSelection)}>
          {t('Clear')}
        </Button>
      </span>
      {kind !== null && (
        <BulkDialog
          kind={kind}
          selection={asked}
          list={list}
          count={countOf(asked, listed)}
          onClose={() => setKind(null)}
          onDone={() => onSelect(noSelection)}
        />
      )}
    </section>
  )
}
