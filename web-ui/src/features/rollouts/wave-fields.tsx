// SPDX-License-Identifier: MIT

import { ActionIcon, NativeSelect, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { ActionButton } from '../../components/action-button.tsx'
import { t } from '../../languages/t.ts'
import { errorAt, type FieldErrors, newId, type WaveDraft, type WaveKind } from './strategy.ts'
import classes from './strategy-form.module.css'
import { waveKinds } from './strategy-words.ts'

/** As many as the API takes. */
const MAX_WAVES = 20

type Props = {
  waves: WaveDraft[]
  errors: FieldErrors
  onChange: (waves: WaveDraft[]) => void
}

export function WaveFields({ waves, errors, onChange }: Props) {
  const set = (id: number, change: Partial<WaveDraft>) =>
    onChange(waves.map((wave) => (wave.id === id ? { ...wave, ...change } : wave)))
  /** Before the last, which takes all that is left. */
  const add = () => {
    const last = waves.at(-1)
    const next: WaveDraft = { id: newId(), kind: last?.kind ?? 'percent', size: '50' }
    onChange([...waves.slice(0, -1), next, ...(last ? [last] : [])])
  }
  return (
    <fieldset className={classes.part}>
      <legend>{t('Waves')}</legend>
      <p className={classes.help}>
        {t(
          'Sizes count from the first wave on: 25 % is all that has it by then. The last wave takes every node that is left.',
        )}
      </p>
      <ol className={classes.rows}>
        {waves.map((wave, index) => (
          <li key={wave.id} className={classes.waveRow}>
            <span className={classes.number}>{index + 1}.</span>
            <TextInput
              aria-label={t('Size of wave {index}', { index: index + 1 })}
              inputMode="decimal"
              className={classes.size}
              value={wave.size}
              onChange={({ currentTarget: { value } }) => set(wave.id, { size: value.trim() })}
              error={errorAt(errors, `/waves/${index}`)}
            />
            <NativeSelect
              aria-label={t('What wave {index} counts', { index: index + 1 })}
              className={classes.kind}
              value={wave.kind}
              onChange={({ currentTarget: { value } }) => set(wave.id, { kind: value as WaveKind })}
              data={Object.entries(waveKinds).map(([value, label]) => ({ value, label }))}
            />
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t('Remove wave {index}', { index: index + 1 })}
              disabled={waves.length === 1}
              onClick={() => onChange(waves.filter(({ id }) => id !== wave.id))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ol>
      <ActionButton
        size="compact-sm"
        variant="default"
        blockedBy={
          waves.length >= MAX_WAVES
            ? t('There may be {maxWaves} at most.', { maxWaves: MAX_WAVES })
            : null
        }
        onClick={add}
      >
        {t('Add a wave')}
      </ActionButton>
    </fieldset>
  )
}
