// SPDX-License-Identifier: MIT
// The dragged part of the picture as fields: for the keyboard, for fingers, and to the second.

import { Button, TextInput } from '@mantine/core'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import {
  type Area,
  clockOf,
  durationOf,
  everything,
  isEverything,
  momentOf,
  typedDuration,
} from './area-rules.ts'
import classes from './requests.module.css'

/** A last second is meant with all of it. */
const REST_MS = 999

type Props = { area: Area; nowMs: number; onArea: (area: Area) => void }

export function AreaFields({ area, nowMs, onArea }: Props) {
  const time = (name: 'fromMs' | 'toMs', label: string) => (
    <TextInput
      size="xs"
      type="time"
      step={1}
      aria-label={label}
      value={clockOf(area[name])}
      onChange={({ currentTarget: { value } }) => {
        const moment = momentOf(value, nowMs)
        onArea({ ...area, [name]: moment !== null && name === 'toMs' ? moment + REST_MS : moment })
      }}
    />
  )
  return (
    <fieldset className={classes.area}>
      <legend className="visually-hidden">{t('Which requests')}</legend>
      <span className={classes.ends}>
        <T
          text="Began from {time} to {time2}"
          time={time('fromMs', t('Began at or after'))}
          time2={time('toMs', t('Began at or before'))}
        />
      </span>
      <span className={classes.ends}>
        <T
          text="Took from {duration} to {duration2} ms"
          duration={<Duration area={area} name="leastSeconds" onArea={onArea} />}
          duration2={<Duration area={area} name="mostSeconds" onArea={onArea} />}
        />
      </span>
      {!isEverything(area) && (
        <Button variant="default" size="compact-xs" onClick={() => onArea(everything)}>
          {t('All requests')}
        </Button>
      )}
    </fieldset>
  )
}

type DurationProps = Pick<Props, 'area' | 'onArea'> & { name: 'leastSeconds' | 'mostSeconds' }

/** Keyed by what it holds, so that "1." may be typed on the way to "1.5". */
function Duration({ area, name, onArea }: DurationProps) {
  const held = typedDuration(area[name])
  // What is shown is rounded: unless it was changed, the area stays as it is.
  const take = (typed: string) => {
    if (typed !== held) onArea({ ...area, [name]: durationOf(typed) })
  }
  return (
    <TextInput
      key={held}
      size="xs"
      inputMode="decimal"
      className={classes.duration ?? ''}
      aria-label={name === 'leastSeconds' ? t('Milliseconds at least') : t('Milliseconds at most')}
      defaultValue={held}
      onBlur={({ currentTarget: { value } }) => take(value)}
      onKeyDown={({ key, currentTarget: { value } }) => {
        if (key === 'Enter') take(value)
      }}
    />
  )
}
