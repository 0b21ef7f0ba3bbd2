// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { csvOf } from '../../../components/chart/csv.ts'
import { t } from '../../../languages/t.ts'
import type { NodeResult } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import { saveFile } from '../../../lib/save-file.ts'
import classes from './bulk.module.css'
import { type Alike, alikeOf, resultRows } from './rules.ts'

const NAMES_SHOWN = 12

const outcomeWords: Record<Alike['outcome'], string> = {
  refused: t('Refused'),
  unchanged: t('As wanted already'),
  changed: t('Changed'),
}

const trialWords = { ...outcomeWords, changed: t('Would change') }

type Props = {
  results: readonly NodeResult[]
  /** Nothing is done yet. */
  isTrial: boolean
}

/** What is to say of them, those that are alike together; the file has a line for each node. */
export function BulkResults({ results, isTrial }: Props) {
  const alike = alikeOf(results)
  const handleSave = () =>
    saveFile('nodes.csv', new Blob([csvOf(resultRows(results))], { type: 'text/csv' }))
  return (
    <div className="stack-tight">
      {alike.length > 0 && (
        <ul className={classes.alike}>
          {alike.map(({ outcome, message, names }) => (
            <li key={`${outcome} ${message}`} data-outcome={outcome}>
              <strong>{isTrial ? trialWords[outcome] : outcomeWords[outcome]}</strong>{' '}
              <span>{names.slice(0, NAMES_SHOWN).join(', ')}</span>
              {names.length > NAMES_SHOWN && (
                <span className="dim">
                  {' '}
                  {t('and {names} more', { names: formatCount(names.length - NAMES_SHOWN) })}
                </span>
              )}
              {message !== '' && `: ${message}`}
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button size="compact-xs" variant="subtle" onClick={handleSave}>
          {t('Save a line for each node as CSV')}
        </Button>
      </div>
    </div>
  )
}
