// SPDX-License-Identifier: MIT

import { ActionIcon, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { ActionButton } from '../../components/action-button.tsx'
import { t } from '../../languages/t.ts'
import { errorAt, type FieldErrors, newId, type ProbeDraft } from './strategy.ts'
import classes from './strategy-form.module.css'

/** As many as the API takes. */
const MAX_PROBES = 20

type Props = {
  probes: ProbeDraft[]
  errors: FieldErrors
  onChange: (probes: ProbeDraft[]) => void
}

export function ProbeFields({ probes, errors, onChange }: Props) {
  const set = (id: number, change: Partial<ProbeDraft>) =>
    onChange(probes.map((probe) => (probe.id === id ? { ...probe, ...change } : probe)))
  const add = () => {
    const host = probes.at(-1)?.host ?? ''
    onChange([...probes, { id: newId(), host, path: '/' }])
  }
  return (
    <fieldset className={classes.part}>
      <legend>{t('Probes')}</legend>
      <p className={classes.help}>
        {t(
          'What nodes fetch from themselves where visitors make too few requests for the gates. Name pages that visitors ask for, of every site that matters. Without a host it is the node’s own address.',
        )}
      </p>
      <ol className={classes.rows}>
        {probes.map((probe, index) => (
          <li key={probe.id} className={classes.probeRow}>
            <span className={classes.number}>{index + 1}.</span>
            <TextInput
              aria-label={t('Host of probe {index}', { index: index + 1 })}
              className={classes.host}
              placeholder={t('www.example.org')}
              spellCheck={false}
              value={probe.host}
              onChange={({ currentTarget: { value } }) => set(probe.id, { host: value.trim() })}
              error={errorAt(errors, `/probes/${index}/host`)}
            />
            <TextInput
              aria-label={t('Path of probe {index}', { index: index + 1 })}
              className={classes.path}
              placeholder="/"
              spellCheck={false}
              maxLength={2048}
              value={probe.path}
              onChange={({ currentTarget: { value } }) => set(probe.id, { path: value.trim() })}
              error={errorAt(errors, `/probes/${index}/path`)}
            />
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t('Remove probe {index}', { index: index + 1 })}
              onClick={() => onChange(probes.filter(({ id }) => id !== probe.id))}
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
          probes.length >= MAX_PROBES
            ? t('There may be {maxProbes} at most.', { maxProbes: MAX_PROBES })
            : null
        }
        onClick={add}
      >
        {t('Add a probe')}
      </ActionButton>
    </fieldset>
  )
}
