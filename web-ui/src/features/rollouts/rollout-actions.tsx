// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { RolloutButton } from '../../components/rollout-link.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import type { RolloutAction } from './api.ts'
import { FreezeButton } from './freeze-dialog.tsx'
import { consequenceOf, recommended } from './next-steps.ts'
import { ReportButton } from './report-button.tsx'
import classes from './rollout-state.module.css'
import { isOver, isWaiting, whyNotApprove, whyNotSkipGate, whyNotSteer } from './rules.ts'
import { Step } from './step.tsx'
import { useAction } from './use-action.ts'

type Props = { rollout: Rollout; session: Session }

export function RolloutActions({ rollout, session }: Props) {
  const needed = recommended(rollout)
  return (
    <div className="stack-tight">
      <h2>{t('What you can do')}</h2>
      {needed === null && <p className="dim">{t('Nothing is needed of you.')}</p>}
      <ul className={classes.steps}>
        {isWaiting(rollout.state) ? (
          <BeforeTheStart rollout={rollout} session={session} />
        ) : (
          <WhileItGoes rollout={rollout} session={session} />
        )}
      </ul>
    </div>
  )
}

/** What there is to take along, and, once it is over, where one goes from there. */
export function RolloutHeadActions({ rollout, session }: Props) {
  return (
    <>
      <ReportButton rollout={rollout} session={session} />
      <Afterwards rollout={rollout} session={session} />
    </>
  )
}

/** What ended before it began lost nothing but its turn; of what brought a version one may go back to the one before. */
function Afterwards({ rollout, session }: Props) {
  const { id, config, version, previousVersion, selector, startedAt, state } = rollout
  if (!isOver(state)) return null
  if (startedAt === null) {
    return (
      <ButtonLink
        to="/rollouts/new"
        search={{ config, version, again: id, ...(selector !== '' && { selector }) }}
      >
        {t('Order again')}
      </ButtonLink>
    )
  }
  const isBrought = state === 'succeeded' || state === 'frozen'
  if (!isBrought || previousVersion === null || previousVersion >= version) return null
  return (
    <RolloutButton
      variant="default"
      config={config}
      version={previousVersion}
      latest={version}
      session={session}
    />
  )
}

function BeforeTheStart({ rollout, session }: Props) {
  const mayNotApprove = whyNot(session, 'rollouts:approve')
  return (
    <>
      {rollout.state === 'awaiting_approval' && (
        <>
          <Act
            rollout={rollout}
            action="approve"
            blockedBy={mayNotApprove ?? whyNotApprove(rollout, session.user.username)}
          >
            {t('Approve this plan')}
          </Act>
          <Explained
            rollout={rollout}
            action="reject"
            title={t('Reject this rollout')}
            isReasonNeeded
            blockedBy={mayNotApprove}
          >
            {t('Reject')}
          </Explained>
        </>
      )}
      <Act rollout={rollout} action="cancel" blockedBy={whyNot(session, 'rollouts:run')}>
        {t('Cancel')}
      </Act>
    </>
  )
}

function WhileItGoes({ rollout, session }: Props) {
  const mayNot = whyNot(session, 'rollouts:run')
  const isPaused = rollout.state === 'paused'
  const mayNotSteer = mayNot ?? whyNotSteer(rollout)
  const isForFiles = rollout.phase === 'files'
  return (
    <>
      <Act rollout={rollout} action={isPaused ? 'resume' : 'pause'} blockedBy={mayNotSteer}>
        {isPaused ? t('Resume') : t('Pause')}
      </Act>
      {(rollout.waves.length > 1 || isForFiles) && (
        <Explained
          rollout={rollout}
          action="skip-gate"
          title={
            isForFiles
              ? t('Begin the first wave without waiting')
              : t('Begin the next wave without waiting')
          }
          isReasonNeeded
          blockedBy={mayNot ?? whyNotSkipGate(rollout)}
        >
          {isForFiles ? t('Do not wait for files') : t('Skip gate')}
        </Explained>
      )}
      <Explained
        rollout={rollout}
        action="revert"
        title={t('Give back to every node what it had before')}
        blockedBy={mayNotSteer}
      >
        {t('Revert')}
      </Explained>
      <FreezeButton rollout={rollout} session={session} />
    </>
  )
}

type ActProps = {
  rollout: Rollout
  action: RolloutAction
  blockedBy: string | null
  children: React.ReactNode
}

const REFUSED: Record<RolloutAction, string> = {
  freeze: t('Not frozen'),
  pause: t('Not paused'),
  resume: t('Not resumed'),
  'skip-gate': t('It waits on'),
  revert: t('Not taken back'),
  approve: t('Not approved'),
  reject: t('Not rejected'),
  cancel: t('Not cancelled'),
}

function Act({ rollout, action, blockedBy, children }: ActProps) {
  const act = useAction(action)
  const { id, stateVersion, planDigest } = rollout
  return (
    <Step
      consequence={consequenceOf(action, rollout)}
      blockedBy={blockedBy}
      isRecommended={recommended(rollout) === action}
      isPending={act.isPending}
      onClick={() => act.mutate({ id, stateVersion, planDigest })}
      trouble={act.isError ? { what: REFUSED[action], error: act.error } : null}
    >
      {children}
    </Step>
  )
}

type ExplainedProps = ActProps & { title: string; isReasonNeeded?: boolean }

/** What is worth a sentence in the history. The version of the state is that of when the dialog opened. */
function Explained({ title, isReasonNeeded = false, ...props }: ExplainedProps) {
  const { rollout, action, blockedBy, children } = props
  const [seen, setSeen] = useState<Rollout | null>(null)
  const [reason, setReason] = useState('')
  const act = useAction(action)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (seen === null) return
    const { id, stateVersion, planDigest } = seen
    const order = { id, stateVersion, planDigest, reason: reason.trim() }
    act.mutate(order, { onSuccess: () => setSeen(null) })
  }
  const needsReason = isReasonNeeded && reason.trim() === ''
  return (
    <>
      <Step
        consequence={consequenceOf(action, rollout)}
        blockedBy={blockedBy}
        isRecommended={recommended(rollout) === action}
        onClick={() => setSeen(rollout)}
      >
        {children}
      </Step>
      {seen !== null && (
        <Dialog title={title} onClose={() => setSeen(null)}>
          <form className="stack-tight" onSubmit={handleSubmit}>
            <p>{consequenceOf(action, seen)}</p>
            <TextInput
              label={isReasonNeeded ? t('Why') : t('Why (optional)')}
              description={t('It is kept in the history')}
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            {act.isError && <ErrorBox what={REFUSED[action]} error={act.error} />}
            <DialogActions>
              <ActionButton
                type="submit"
                loading={act.isPending}
                blockedBy={needsReason ? t('Give a reason first.') : null}
              >
                {title}
              </ActionButton>
            </DialogActions>
          </form>
        </Dialog>
      )}
    </>
  )
}
