// SPDX-License-Identifier: MIT

import { ActionIcon, Checkbox, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { ActionButton } from '../../components/action-button.tsx'
import { t } from '../../languages/t.ts'
import classes from './rollout-rules.module.css'
import { dayNames, days, newWindow, type WindowDraft, windowWords } from './rules.ts'

/** As many as the API takes. */
const MAX_WINDOWS = 20

type Props = {
  windows: WindowDraft[]
  errors: ReadonlyMap<number, string> | undefined
  onChange: (windows: WindowDraft[]) => void
}

export function WindowFields({ windows, errors, onChange }: Props) {
  const set = (id: number, change: Partial<WindowDraft>) =>
    onChange(windows.map((window) => (window.id === id ? { ...window, ...change } : window)))
  return (
    <>
      {windows.length > 0 && (
        <ol className={classes.windows}>
          {windows.map((window, index) => (
            <li key={window.id}>
              <WindowRow
                window={window}
                number={index + 1}
                error={errors?.get(window.id)}
                onChange={(change) => set(window.id, change)}
                onRemove={() => onChange(windows.filter(({ id }) => id !== window.id))}
              />
            </li>
          ))}
        </ol>
      )}
      <ActionButton
        size="compact-sm"
        variant="default"
        blockedBy={
          windows.length >= MAX_WINDOWS
            ? t('There may be {maxWindows} windows at most.', { maxWindows: MAX_WINDOWS })
            : null
        }
        onClick={() => onChange([...windows, newWindow()])}
      >
        {t('Add a window')}
      </ActionButton>
    </>
  )
}

type RowProps = {
  window: WindowDraft
  number: number
  error: string | undefined
  onChange: (change: Partial<WindowDraft>) => void
  onRemove: () => void
}

function WindowRow({ window, number, error, onChange, onRemove }: RowProps) {
  const { days: chosen, from, to } = window
  const choose = (day: (typeof days)[number], isChosen: boolean) =>
    onChange({ days: days.filter((one) => (one === day ? isChosen : chosen.includes(one))) })
  return (
    <fieldset className={classes.window}>
      <legend>{t('Window {number}', { number })}</legend>
      <div className={classes.days}>
        {days.map((day) => (
          <Checkbox
            key={day}
            label={dayNames[day]}
            checked={chosen.includes(day)}
            onChange={(event) => choose(day, event.currentTarget.checked)}
          />
        ))}
      </div>
      <div className="row">
        <TextInput
          type="time"
          aria-label={t('Window {number} opens', { number })}
          value={from}
          onChange={({ currentTarget: { value } }) => onChange({ from: value })}
        />
        {t('to')}
        <TextInput
          type="time"
          aria-label={t('Window {number} closes', { number })}
          value={to}
          onChange={({ currentTarget: { value } }) => onChange({ to: value })}
        />
        <span className="dim">{windowWords(window)}</span>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('Remove window {number}', { number })}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </div>
      {error !== undefined && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
