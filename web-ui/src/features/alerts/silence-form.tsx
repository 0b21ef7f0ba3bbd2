// SPDX-License-Identifier: MIT
// A silence: about what, why, and until when.

import { NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { t } from '../../languages/t.ts'
import type { Alert, AlertRule } from '../../lib/api-types.ts'
import classes from './alerts.module.css'
import { silenceMutation } from './api.ts'
import { NEW_SILENCE, SPANS, silenceOf } from './rules.ts'

function useSilence(first: Partial<typeof NEW_SILENCE>, onDone: () => void) {
  const client = useQueryClient()
  const before = { ...NEW_SILENCE, ...first }
  const [draft, setDraft] = useState(before)
  const [isAsked, setAsked] = useState(false)
  const create = useMutation({
    ...silenceMutation,
    onSuccess: async () => {
      setDraft(before)
      setAsked(false)
      await Promise.all([
        client.invalidateQueries({ queryKey: ['alert-silences'] }),
        client.invalidateQueries({ queryKey: ['alerts'] }),
      ])
      onDone()
    },
  })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    const made = silenceOf(draft, Date.now())
    if (made.ok) create.mutate(made.silence)
  }
  const made = silenceOf(draft, Date.now())
  const troubles = isAsked && !made.ok ? made.troubles : {}
  return { draft, setDraft, troubles, create, handleSubmit }
}

type FieldsProps = Pick<ReturnType<typeof useSilence>, 'draft' | 'setDraft' | 'troubles'>

function When({ draft, setDraft, troubles }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t('Why')}
        value={draft.reason}
        maxLength={1000}
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, reason: value })}
        error={troubles.reason}
      />
      <NativeSelect
        label={t('For')}
        value={draft.span}
        data={SPANS.map(({ value, label }) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, span: value })}
      />
      {draft.span === 'own' && (
        <TextInput
          label={t('Until')}
          type="datetime-local"
          value={draft.until}
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, until: value })}
          error={troubles.until}
        />
      )}
    </>
  )
}

function Nodes({ draft, setDraft }: FieldsProps) {
  return (
    <TextInput
      label={t('Only nodes with labels (optional)')}
      placeholder={t('zone=eu,!canary')}
      value={draft.selector}
      maxLength={1024}
      spellCheck={false}
      onChange={({ currentTarget: { value } }) => setDraft({ ...draft, selector: value })}
    />
  )
}

const nothing = () => {}

export function SilenceForm(props: { rules: AlertRule[]; blockedBy: string | null }) {
  const { rules, blockedBy } = props
  const silence = useSilence({}, nothing)
  const { draft, setDraft, troubles, create, handleSubmit } = silence
  const isUnsaved = draft.selector !== '' || draft.reason !== ''
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <div className={classes.four}>
        <NativeSelect
          label={t('Rule')}
          value={draft.ruleId}
          data={[
            { value: '', label: t('Every rule') },
            ...rules.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, ruleId: value })}
          error={troubles.ruleId}
        />
        <Nodes {...silence} />
        <When {...silence} />
      </div>
      <UnsavedGuard what={t('The silence')} isUnsaved={isUnsaved} />
      {create.isError && <ErrorBox what={t('Not silenced')} error={create.error} />}
      <div className="row">
        <ActionButton type="submit" blockedBy={blockedBy} loading={create.isPending}>
          {t('Silence')}
        </ActionButton>
      </div>
    </form>
  )
}

/** From the row of an alert: its rule is chosen already. */
export function SilenceDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const silence = useSilence({ ruleId: alert.ruleId }, onClose)
  const { create, handleSubmit } = silence
  return (
    <Dialog onClose={onClose} title={t('Silence {ruleName}', { ruleName: alert.ruleName })}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <p>
          {t(
            'Webhooks are not told of this rule’s alerts for a while. The alerts are still shown, and those that are firing at the end are sent then.',
          )}
        </p>
        <When {...silence} />
        <Nodes {...silence} />
        {create.isError && <ErrorBox what={t('Not silenced')} error={create.error} />}
        <DialogActions>
          <ActionButton type="submit" blockedBy={null} loading={create.isPending}>
            {t('Silence')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}
