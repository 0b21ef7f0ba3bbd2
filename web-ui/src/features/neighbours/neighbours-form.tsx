// SPDX-License-Identifier: MIT
import { Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { t } from '../../languages/t.ts'
import type { NeighbourSettings } from '../../lib/api-types.ts'
import { neighboursQuery, saveNeighboursMutation } from './api.ts'
import classes from './neighbours.module.css'
import { draftOf, type NeighboursDraft, readDraft } from './rules.ts'

type Props = {
  before: NeighbourSettings
  etag: string
  hasSaved: boolean
  onSaved: (hasSaved: boolean) => void
  blockedBy: string | null
}

export function NeighboursForm({ before, etag, hasSaved, onSaved, blockedBy }: Props) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(before))
  const save = useMutation({
    ...saveNeighboursMutation,
    onSuccess: async () => {
      await client.invalidateQueries(neighboursQuery)
      onSaved(true)
    },
  })
  const reading = readDraft(draft)
  const errors = reading.ok ? null : reading.errors
  const set = (change: Partial<NeighboursDraft>) => {
    onSaved(false)
    setDraft({ ...draft, ...change })
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (reading.ok) save.mutate({ settings: reading.settings, etag })
  }
  const isSame = reading.ok && JSON.stringify(reading.settings) === JSON.stringify(before)
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <fieldset className={`panel ${classes.part}`} disabled={blockedBy !== null}>
        <legend>{t('Who gives to whom')}</legend>
        <p className="dim">
          {t(
            'A node gives only where the owner of its machine lets it listen for others, in its policy file. One that does not may still take.',
          )}
        </p>
        <div className={classes.fields}>
          <TextInput
            label={t('Label that makes a zone (optional)')}
            description={t('Nodes with the same value of it are neighbours. Empty: off')}
            value={draft.zoneLabel}
            onChange={({ currentTarget: { value } }) => set({ zoneLabel: value.trim() })}
            error={errors?.zoneLabel}
          />
          <TextInput
            label={t('Nodes that one gives to at once')}
            description={t('1 to 8')}
            inputMode="numeric"
            value={draft.atOnce}
            onChange={({ currentTarget: { value } }) => set({ atOnce: value.trim() })}
            error={errors?.atOnce}
          />
          <TextInput
            label={t('MB a second that one gives (optional)')}
            description={t('To all others together. Empty: no limit')}
            inputMode="decimal"
            value={draft.rate}
            onChange={({ currentTarget: { value } }) => set({ rate: value.trim() })}
            error={errors?.rate}
          />
        </div>
        <Checkbox
          label={t('Across zones')}
          description={t(
            'The first node of a zone takes from another zone that has the release, instead of from the control plane',
          )}
          checked={draft.acrossZones}
          onChange={({ currentTarget: { checked } }) => set({ acrossZones: checked })}
        />
      </fieldset>
      {save.isError && <ErrorBox what={t('The setting was not saved')} error={save.error} />}
      <UnsavedGuard what={t('What you changed of neighbours')} isUnsaved={!isSame} />
      {hasSaved && isSame && <Notice tone="good" live title={t('The setting is saved')} />}
      <ActionButton
        type="submit"
        loading={save.isPending}
        blockedBy={
          blockedBy ??
          (reading.ok ? null : t('Fix the marked fields first.')) ??
          (isSame ? t('Nothing is changed.') : null)
        }
      >
        {t('Save the setting')}
      </ActionButton>
    </form>
  )
}
