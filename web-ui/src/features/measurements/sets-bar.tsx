// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useState } from 'react'
import { seriesColour } from '../../components/chart/types.ts'
import { t } from '../../languages/t.ts'
import { colourOf } from './chart-lines.ts'
import classes from './measurements.module.css'
import { SetField } from './set-field.tsx'
import { MOST_SETS } from './sets.ts'

type Props = {
  sets: readonly string[]
  /** Those that nodes ran in the time. */
  versions: readonly string[]
  onSets: (sets: readonly string[]) => void
}

/** Whose measurements are drawn. */
export function SetsBar({ sets, versions, onSets }: Props) {
  const [isAdding, setAdding] = useState(false)
  const isNew = versions.length !== sets.length || versions.some((one) => !sets.includes(one))
  return (
    <div className={classes.sets}>
      {sets.map((of, index) => (
        // By its place, so that the keyboard stays where it is when another is chosen there.
        <div key={colourOf(index)} className={classes.chosen}>
          {sets.length > 1 && (
            <span
              className={classes.swatch}
              style={{ background: `var(${seriesColour(colourOf(index))})` }}
              aria-hidden="true"
            />
          )}
          <SetField
            label={sets.length > 1 ? t('Whose, {index}', { index: index + 1 }) : t('Whose')}
            of={of}
            onOf={(next) => onSets(sets.with(index, next))}
          />
          {sets.length > 1 && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              aria-label={t('Remove number {index}', { index: index + 1 })}
              onClick={() => onSets(sets.filter((one) => one !== of))}
            >
              {t('Remove')}
            </Button>
          )}
        </div>
      ))}
      {isAdding && (
        <SetField
          label={t('And whose')}
          of=""
          onOf={(next) => {
            setAdding(false)
            onSets([...sets, next])
          }}
        />
      )}
      {!isAdding && sets.length < MOST_SETS && (
        <Button variant="default" size="xs" onClick={() => setAdding(true)}>
          {t('Add another')}
        </Button>
      )}
      {versions.length > 1 && isNew && (
        <Button variant="default" size="xs" onClick={() => onSets(versions)}>
          {t('Draw {versions, plural, one {# version} other {# versions}} of this time', {
            versions: versions.length,
          })}
        </Button>
      )}
    </div>
  )
}
