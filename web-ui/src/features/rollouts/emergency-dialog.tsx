// SPDX-License-Identifier: MIT
// For when waiting does more harm than the change can: one node first all the same.

import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { type Order, planQuery } from './api.ts'
import { useRefusalConsent } from './plan-refusals.tsx'
import { blastRadius } from './plan-rules.ts'
import { whyNotStart } from './rules.ts'
import { useStart } from './use-start.ts'

type Props = { order: Order; session: Session; onStarted: (rollout: Rollout) => void }

export function EmergencyButton({ order, session, onStarted }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (whyNot(session, 'rollouts:emergency') !== null) return null
  return (
    <>
      <ActionButton variant="default" blockedBy={null} onClick={() => setOpen(true)}>
        {t('Emergency…')}
      </ActionButton>
      {isOpen && (
        <EmergencyDialog order={order} onStarted={onStarted} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

type DialogProps = Omit<Props, 'session'> & { onClose: () => void }

/** A plan does not depend on why. */
const TO_PLAN = { reason: t('Planned in the console') }

function EmergencyDialog({ order, onStarted, onClose }: DialogProps) {
  const [reason, setReason] = useState('')
  const plan = useQuery(planQuery({ ...order, emergency: TO_PLAN }))
  const start = useStart(onStarted)
  const consent = useRefusalConsent(plan.data)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (plan.data === undefined) return
    const { planDigest } = plan.data
    start.mutate({ ...order, emergency: { reason: reason.trim() }, planDigest })
  }
  const blockedBy =
    plan.data === undefined
      ? t('The plan is being made…')
      : (whyNotStart(plan.data) ??
        (reason.trim() === '' ? t('Give a reason first.') : consent.blockedBy))
  return (
    <Dialog
      title={t('Emergency: {config} v{version}', { config: order.config, version: order.version })}
      onClose={onClose}
    >
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <p>
          {t(
            'It begins now: without approvals and change windows, and in place of every rollout that has these nodes. One node gets it first. What fails goes back; nothing waits for clear evidence.',
          )}
        </p>
        <QueryStates query={plan} what={t('The plan')} skeletonRows={1}>
          {(data) => <p>{blastRadius(data)}.</p>}
        </QueryStates>
        <TextInput
          label={t('Why')}
          description={t('Everybody sees it, and the audit keeps it')}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        {consent.field}
        {start.isError && <ErrorBox what={t('No rollout was started')} error={start.error} />}
        <DialogActions>
          <ActionButton type="submit" loading={start.isPending} blockedBy={blockedBy}>
            {t('Start it now')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}
