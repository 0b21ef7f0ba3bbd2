// SPDX-License-Identifier: MIT

import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { t } from '../languages/t.ts'
import { fieldOf, momentOf } from '../lib/moments.ts'
import {
  chosenSpan,
  fixedSpan,
  isRange,
  type RangeKey,
  ranges,
  spanOf,
  type TimeSearch,
} from '../lib/time-range.ts'
import classes from './time-bar.module.css'

type Props = { time: TimeSearch; standard?: RangeKey; onTime: (time: TimeSearch) => void }

const FIXED = 'fixed'

/** Which time all charts are about. `standard` is that of an address without one. */
export function TimeBar({ time: asked, standard = '15m', onTime }: Props) {
  const fixed = fixedSpan(asked)
  const range = asked.range ?? standard
  const time = fixed ?? { range }
  const shift = (factor: number) => {
    const now = Date.now() / 1000
    const { from, to } = spanOf(time, now)
    const by = (to - from) * factor
    // Never past now, and as long as before.
    const end = Math.min(to + by, now)
    onTime(chosenSpan(end - (to - from), end, now))
  }
  const zoomOut = () => {
    const now = Date.now() / 1000
    const { from, to } = spanOf(time, now)
    const half = (to - from) / 2
    onTime(chosenSpan(from - half, to + half, now))
  }
  return (
    <div className={classes.time}>
      <SegmentedControl
        aria-label={t('Time range')}
        value={fixed ? FIXED : range}
        onChange={(value) =>
          onTime(isRange(value) ? { range: value } : spanOf(time, Date.now() / 1000))
        }
        data={[
          ...Object.entries(ranges).map(([value, { label }]) => ({ value, label })),
          { value: FIXED, label: t('From … to') },
        ]}
      />
      <Button.Group aria-label={t('Move the time range')}>
        <Button variant="default" size="xs" onClick={() => shift(-0.5)}>
          {t('Earlier')}
        </Button>
        <Button variant="default" size="xs" disabled={!fixed} onClick={() => shift(0.5)}>
          {t('Later')}
        </Button>
        <Button variant="default" size="xs" onClick={zoomOut}>
          {t('Zoom out')}
        </Button>
      </Button.Group>
      {fixed && (
        <Moments
          key={`${fixed.from} ${fixed.to}`}
          from={fixed.from}
          to={fixed.to}
          onTime={onTime}
        />
      )}
    </div>
  )
}

/** To the minute, on the reader's own clock. */
function Moments({ from, to, onTime }: { from: number; to: number; onTime: Props['onTime'] }) {
  const [typed, setTyped] = useState({ from: fieldOf(from), to: fieldOf(to) })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const [begin, end] = [momentOf(typed.from), momentOf(typed.to)]
    if (begin !== null && end !== null) onTime(chosenSpan(begin, end, Date.now() / 1000))
  }
  return (
    <form className={classes.moments} onSubmit={handleSubmit} aria-label={t('From and to')}>
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          size="xs"
          type="datetime-local"
          step={1}
          aria-label={name === 'from' ? t('From') : t('To')}
          value={typed[name]}
          onChange={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
        />
      ))}
      <Button type="submit" variant="default" size="xs">
        {t('Show')}
      </Button>
    </form>
  )
}
