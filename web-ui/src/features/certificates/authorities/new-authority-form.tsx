// SPDX-License-Identifier: MIT

import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import { AccountFields } from './account-fields.tsx'
import { authoritiesKey, createAuthorityMutation } from './api.ts'
import classes from './authorities.module.css'
import {
  authorityOf,
  authorityRefusals,
  authorityTroubles,
  draftFor,
  PRESETS,
  type Preset,
} from './rules.ts'

type Props = { blockedBy: string | null; onCreated: (name: string) => void }

export function NewAuthorityForm({ blockedBy, onCreated }: Props) {
  const client = useQueryClient()
  const [preset, setPreset] = useState<Preset>(PRESETS[0])
  const [draft, setDraft] = useState(draftFor(preset))
  const [asked, setAsked] = useState(false)
  const create = useMutation({
    ...createAuthorityMutation,
    onSuccess: async ({ name }) => {
      await client.invalidateQueries(authoritiesKey)
      onCreated(name)
    },
  })
  const isAnother = preset.id === 'another'
  const needsAccount = preset.externalAccount !== null && !isAnother
  const found = authorityTroubles(draft, needsAccount)
  const refused = authorityRefusals(create.error)
  const trouble = { ...(asked && found), ...refused }
  const set = (change: Partial<typeof draft>) => {
    create.reset()
    setDraft({ ...draft, ...change })
  }
  const choose = (id: string) => {
    const chosen = PRESETS.find((one) => one.id === id) ?? PRESETS[0]
    create.reset()
    setAsked(false)
    setPreset(chosen)
    setDraft({ ...draftFor(chosen), contact: draft.contact })
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(found).length === 0) create.mutate(authorityOf(draft))
  }
  const isTyped = JSON.stringify(draft) !== JSON.stringify(draftFor(preset))
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <div className={classes.pair}>
        <NativeSelect
          label={t('Authority')}
          description={preset.about}
          value={preset.id}
          onChange={({ currentTarget: { value } }) => choose(value)}
          data={PRESETS.map(({ id, label }) => ({ value: id, label }))}
        />
        <TextInput
          label={t('Name')}
          description={t('As orders will say it')}
          value={draft.name}
          error={trouble.name ?? null}
          spellCheck={false}
          autoCapitalize="off"
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
      </div>
      <TextInput
        label={t('Address of its directory')}
        placeholder="https://acme.example.org/directory"
        value={draft.directoryUrl}
        readOnly={!isAnother}
        error={trouble.directoryUrl ?? null}
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => set({ directoryUrl: value })}
      />
      <AccountFields
        draft={draft}
        trouble={trouble}
        externalAccount={preset.externalAccount}
        roots={
          isAnother
            ? t(
                'PEM: for an authority of your own, whose directory has a certificate that this machine does not trust',
              )
            : null
        }
        onChange={set}
      />
      <Checkbox
        label={
          preset.terms === null ? (
            t('I agree to the terms of service of this authority')
          ) : (
            <T
              text="I agree to the <a>terms of service of {label}</a>"
              a={<a href={preset.terms} target="_blank" rel="noreferrer" />}
              label={preset.label}
            />
          )
        }
        checked={draft.agreed}
        error={trouble.termsOfServiceAgreed ?? null}
        onChange={({ currentTarget: { checked } }) => set({ agreed: checked })}
      />
      <UnsavedGuard what={t('The authority')} isUnsaved={isTyped && !create.isSuccess} />
      {create.isError && Object.keys(refused).length === 0 && (
        <ErrorBox what={t('No authority was added')} error={create.error} />
      )}
      <ActionButton type="submit" loading={create.isPending} blockedBy={blockedBy}>
        {t('Add the authority')}
      </ActionButton>
    </form>
  )
}
