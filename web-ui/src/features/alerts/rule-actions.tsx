// SPDX-License-Identifier: MIT
// What can be done with a rule as it is saved.

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useAsShown } from '../../hooks/use-as-shown.ts'
import { t } from '../../languages/t.ts'
import { alertRulesQuery, deleteRuleMutation, type TaggedRule, testRuleMutation } from './api.ts'
import { ruleVerdict } from './rules.ts'

type Props = TaggedRule & { blockedBy: string | null; onDeleted: () => void }

export function RuleActions({ body: rule, etag, blockedBy, onDeleted }: Props) {
  const [deleting, setDeleting] = useState(false)
  const test = useMutation(testRuleMutation)
  return (
    <section className="panel" aria-label={t('Its state')}>
      <div className="panel-body stack">
        <div className="row">
          <StatusBadge verdict={ruleVerdict(rule)} />
          {rule.failing !== null && <span>{rule.failing}</span>}
          <span className="grow" />
          {blockedBy === null && (
            <>
              <Button
                variant="default"
                loading={test.isPending}
                onClick={() => test.mutate(rule.id)}
              >
                {t('Send a test')}
              </Button>
              <Button variant="default" onClick={() => setDeleting(true)}>
                {t('Delete')}
              </Button>
            </>
          )}
        </div>
        {test.isError && <ErrorBox what={t('Not sent')} error={test.error} />}
        {test.data && <TestSent eventId={test.data.eventId} />}
      </div>
      {deleting && (
        <DeleteRuleDialog
          body={rule}
          etag={etag}
          onDeleted={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </section>
  )
}

export function TestSent({ eventId }: { eventId: number }) {
  return (
    <Notice tone="good" live title={t('A test is on its way')}>
      {t(
        'Every webhook that is told of alerts gets it as event {eventId}. Its page says how that went.',
        { eventId },
      )}
    </Notice>
  )
}

type DeleteProps = TaggedRule & { onDeleted: () => void; onClose: () => void }

export function DeleteRuleDialog({ onDeleted, onClose, ...opened }: DeleteProps) {
  const client = useQueryClient()
  const { body: rule, etag } = useAsShown(opened).shown
  const remove = useMutation({
    ...deleteRuleMutation,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: alertRulesQuery.queryKey, exact: true })
      onDeleted()
    },
  })
  return (
    <DeleteDialog
      title={t('Delete the rule {name}', { name: rule.name })}
      action={t('Delete 1 rule')}
      removal={remove}
      onSure={() => remove.mutate({ id: rule.id, etag })}
      onClose={onClose}
    >
      <p>
        {t('It fires no more. Its alerts that are firing are resolved and stay in the history.')}
      </p>
    </DeleteDialog>
  )
}
