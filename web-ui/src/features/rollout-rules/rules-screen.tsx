// SPDX-License-Identifier: MIT

import { NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { t } from '../../languages/t.ts'
import type { RolloutRules, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { rolloutRulesQuery, saveRulesMutation } from './api.ts'
import classes from './rollout-rules.module.css'
import { draftOf, type RulesDraft, readRules, timeZonesWith } from './rules.ts'
import { WindowFields } from './window-fields.tsx'

export function RolloutRulesScreen({ session }: { session: Session }) {
  const tagged = useQuery(rolloutRulesQuery)
  // Here, not in the form: that begins anew with what was saved.
  const [hasSaved, setSaved] = useState(false)
  return (
    <Page
      width="text"
      title={t('Rollout rules')}
      meta={t(
        'Rules that apply to every rollout of the farm. An emergency goes past approvals and windows, and says why.',
      )}
    >
      <QueryStates query={tagged} what={t('The rules')} skeletonRows={6}>
        {({ body, etag }) => (
          <RulesForm
            key={etag}
            before={body}
            etag={etag}
            hasSaved={hasSaved}
            onSaved={setSaved}
            blockedBy={whyNot(session, 'rollouts:rules')}
          />
        )}
      </QueryStates>
    </Page>
  )
}

type FormProps = {
  before: RolloutRules
  etag: string
  hasSaved: boolean
  onSaved: (hasSaved: boolean) => void
  blockedBy: string | null
}

function RulesForm({ before, etag, hasSaved, onSaved, blockedBy }: FormProps) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(before))
  const save = useMutation({
    ...saveRulesMutation,
    onSuccess: async () => {
      await client.invalidateQueries(rolloutRulesQuery)
      onSaved(true)
    },
  })
  const reading = readRules(draft)
  const errors = reading.ok ? null : reading.errors
  const set = (change: Partial<RulesDraft>) => {
    onSaved(false)
    setDraft({ ...draft, ...change })
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!reading.ok) return
    save.mutate({ rules: reading.rules, etag })
  }
  const isSame = reading.ok && JSON.stringify(reading.rules) === JSON.stringify(before)
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <fieldset className={`panel ${classes.part}`} disabled={blockedBy !== null}>
        <legend>{t('Approvals')}</legend>
        <div className={classes.fields}>
          <TextInput
            label={t('People who must agree')}
            description={t('Others than who ordered it. 0: nobody')}
            inputMode="numeric"
            value={draft.approvals}
            onChange={({ currentTarget: { value } }) => set({ approvals: value.trim() })}
            error={errors?.approvals}
          />
          <TextInput
            label={t('An order waits for them, in hours')}
            description={t('After that it has expired')}
            inputMode="numeric"
            value={draft.approvalHours}
            onChange={({ currentTarget: { value } }) => set({ approvalHours: value.trim() })}
            error={errors?.approvalHours}
          />
        </div>
      </fieldset>
      <fieldset className={`panel ${classes.part}`} disabled={blockedBy !== null}>
        <legend>{t('Change windows')}</legend>
        <p className="dim">
          {t('Rollouts begin, and their waves, while one of these is open. Without any: always.')}
        </p>
        <div className={classes.fields}>
          <NativeSelect
            label={t('Time zone')}
            description={t('Whose clocks the windows go by')}
            value={draft.timeZone}
            onChange={({ currentTarget: { value } }) => set({ timeZone: value })}
            data={timeZonesWith(draft.timeZone)}
          />
        </div>
        <WindowFields
          windows={draft.windows}
          errors={errors?.windows}
          onChange={(windows) => set({ windows })}
        />
      </fieldset>
      <fieldset className={`panel ${classes.part}`} disabled={blockedBy !== null}>
        <legend>{t('Blast budget of the farm')}</legend>
        <div className={classes.fields}>
          <TextInput
            label={t('Nodes (optional)')}
            description={t(
              'Most nodes of all rollouts between two configs at once. Empty: no limit',
            )}
            inputMode="numeric"
            value={draft.blastBudget}
            onChange={({ currentTarget: { value } }) => set({ blastBudget: value.trim() })}
            error={errors?.blastBudget}
          />
        </div>
      </fieldset>
      {save.isError && <ErrorBox what={t('The rules were not saved')} error={save.error} />}
      <UnsavedGuard what={t('What you changed in the rules')} isUnsaved={!isSame} />
      {hasSaved && isSame && <Notice tone="good" live title={t('The rules are saved')} />}
      <ActionButton
        type="submit"
        loading={save.isPending}
        blockedBy={
          blockedBy ??
          (reading.ok ? null : t('Fix the marked fields first.')) ??
          (isSame ? t('Nothing is changed.') : null)
        }
      >
        {t('Save the rules')}
      </ActionButton>
    </form>
  )
}
