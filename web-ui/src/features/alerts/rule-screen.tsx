// SPDX-License-Identifier: MIT
// A rule: made, changed, turned off, tried and deleted.

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ChangedMeanwhile } from '../../components/changed-meanwhile.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { useAsShown } from '../../hooks/use-as-shown.ts'
import { t } from '../../languages/t.ts'
import { isApiError, toApiError } from '../../lib/api-error.ts'
import type { AlertRule, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import {
  alertRuleQuery,
  alertRulesQuery,
  changeRuleMutation,
  createRuleMutation,
  type TaggedRule,
} from './api.ts'
import { RuleActions } from './rule-actions.tsx'
import {
  draftOf,
  NEW_RULE,
  type RuleDraft,
  type RuleSettings,
  readDraft,
  refusalAt,
  type Troubles,
} from './rule-draft.ts'
import { ConditionFields, NameFields, TimingFields } from './rule-fields.tsx'
import { RulePreview } from './rule-preview.tsx'
import { conditionWords } from './rules.ts'

type NewProps = { session: Session; onMade: (rule: AlertRule) => void }

export function NewRuleScreen({ session, onMade }: NewProps) {
  const client = useQueryClient()
  const create = useMutation({
    ...createRuleMutation,
    onSuccess: (rule) => {
      void client.invalidateQueries({ queryKey: alertRulesQuery.queryKey })
      onMade(rule)
    },
  })
  return (
    <Page title={t('New alert rule')} meta={t('It is checked as soon as it is created.')}>
      <Editor
        before={NEW_RULE}
        submit={t('Create rule')}
        blockedBy={whyNot(session, 'alerts:write')}
        pending={create.isPending}
        error={create.error}
        onSubmit={create.mutate}
      />
    </Page>
  )
}

type Props = { id: string; session: Session; onDeleted: () => void }

export function RuleScreen({ id, session, onDeleted }: Props) {
  const rule = useQuery(alertRuleQuery(id))
  const blockedBy = whyNot(session, 'alerts:write')
  return (
    <Page
      title={rule.data?.body.name ?? t('Alert rule')}
      meta={rule.data && conditionWords(rule.data.body)}
    >
      <QueryStates query={rule} what={t('The rule')} skeletonRows={6}>
        {(found) => (
          <>
            <RuleActions {...found} blockedBy={blockedBy} onDeleted={onDeleted} />
            <EditPanel {...found} blockedBy={blockedBy} />
          </>
        )}
      </QueryStates>
    </Page>
  )
}

function EditPanel({ blockedBy, ...first }: TaggedRule & { blockedBy: string | null }) {
  const client = useQueryClient()
  const { shown, renew } = useAsShown(first)
  const { id } = first.body
  const change = useMutation({
    ...changeRuleMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: alertRulesQuery.queryKey })
      await reload()
    },
  })
  async function reload() {
    renew(await client.fetchQuery({ ...alertRuleQuery(id), staleTime: 0 }))
  }
  return (
    <>
      {isApiError(change.error, 412) && (
        <ChangedMeanwhile
          what={t('this rule')}
          onReload={() => {
            change.reset()
            void reload()
          }}
        />
      )}
      <Editor
        key={shown.etag}
        before={draftOf(shown.body)}
        submit={t('Save')}
        blockedBy={blockedBy}
        pending={change.isPending}
        error={isApiError(change.error, 412) ? null : change.error}
        onSubmit={(rule) => change.mutate({ id, etag: shown.etag, ...rule })}
      />
    </>
  )
}

type EditorProps = {
  before: RuleDraft
  submit: string
  blockedBy: string | null
  pending: boolean
  error: Error | null
  onSubmit: (rule: RuleSettings) => void
}

function Editor({ before, submit, blockedBy, pending, error, onSubmit }: EditorProps) {
  const [draft, setDraft] = useState(before)
  const [isAsked, setAsked] = useState(false)
  const read = readDraft(draft)
  const refused = error && refusalAt(toApiError(error))
  const troubles: Troubles = { ...refused, ...(isAsked && !read.ok && read.troubles) }
  const fields = {
    ...{ draft, troubles },
    onChange: (change: Partial<RuleDraft>) => setDraft({ ...draft, ...change }),
  }
  /** Errors are shown once somebody asked for something. */
  const asked = (): RuleSettings | null => {
    setAsked(true)
    return read.ok ? read.rule : null
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const rule = asked()
    if (rule !== null) onSubmit(rule)
  }
  const isUnsaved = JSON.stringify(draft) !== JSON.stringify(before)
  return (
    <>
      <section className="panel" aria-label={t('The rule')}>
        <form className="panel-body stack" onSubmit={handleSubmit} noValidate>
          <NameFields {...fields} />
          <ConditionFields {...fields} />
          <TimingFields {...fields} />
          <UnsavedGuard what={t('The rule')} isUnsaved={isUnsaved && !pending} />
          {error && refused === null && <ErrorBox what={t('Not saved')} error={error} />}
          {isAsked && !read.ok && (
            <Notice tone="warn" title={t('Some fields need attention')}>
              {t('Each of them says what is wrong.')}
            </Notice>
          )}
          <div className="row">
            <ActionButton type="submit" blockedBy={blockedBy} loading={pending}>
              {submit}
            </ActionButton>
            {isUnsaved && (
              <Button variant="default" onClick={() => setDraft(before)}>
                {t('Undo changes')}
              </Button>
            )}
          </div>
        </form>
      </section>
      {blockedBy === null && (
        <RulePreview read={asked} now={read.ok ? read.rule : null} kind={draft.kind} />
      )}
    </>
  )
}
