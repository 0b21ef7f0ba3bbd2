// SPDX-License-Identifier: MIT
// Freezing can't be undone, and leaves the farm on two versions: it is asked for, and the way back stands beside it.

import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { backTo, brings } from './brought-words.ts'
import { consequenceOf } from './next-steps.ts'
import { nodesBegun, whyNotFreeze, whyNotSteer } from './rules.ts'
import { Step } from './step.tsx'
import { useAction } from './use-action.ts'

type Props = { rollout: Rollout; session: Session }

export function FreezeButton({ rollout, session }: Props) {
  const [seen, setSeen] = useState<Rollout | null>(null)
  const blockedBy = whyNot(session, 'rollouts:run') ?? whyNotFreeze(rollout)
  return (
    <>
      <Step
        consequence={consequenceOf('freeze', rollout)}
        blockedBy={blockedBy}
        onClick={() => setSeen(rollout)}
      >
        {t('Freeze…')}
      </Step>
      {seen !== null && <FreezeDialog seen={seen} onClose={() => setSeen(null)} />}
    </>
  )
}

/** The version of the state is that of when the dialog opened. */
function FreezeDialog({ seen, onClose }: { seen: Rollout; onClose: () => void }) {
  const freeze = useAction('freeze')
  const revert = useAction('revert')
  const { id, config, version, stateVersion, planDigest } = seen
  const begun = nodesBegun(seen)
  const others = seen.totalNodes - begun
  const act = (action: typeof freeze) =>
    action.mutate({ id, stateVersion, planDigest }, { onSuccess: onClose })
  const mayNotRevert = whyNotSteer(seen)
  return (
    <Dialog
      title={t('Freeze the rollout of {config} v{version}', { config, version })}
      onClose={onClose}
    >
      <div className="stack-tight">
        <p>
          {t(
            '{begun, plural, one {It ends as it is, and that can’t be undone. # node keeps {brings}, {othersKeep} A node that is not well with {brings} stays as it is.} other {It ends as it is, and that can’t be undone. # nodes keep {brings}, {othersKeep} A node that is not well with {brings} stays as it is.}}',
            { begun, brings: brings(seen), othersKeep: othersKeep(others) },
          )}
        </p>
        {freeze.isError && <ErrorBox what={t('Not frozen')} error={freeze.error} />}
        {revert.isError && <ErrorBox what={t('Not taken back')} error={revert.error} />}
        <DialogActions>
          {begun > 0 && mayNotRevert === null && (
            <ActionButton blockedBy={null} loading={revert.isPending} onClick={() => act(revert)}>
              {t('Instead, give {begun, plural, one {# node} other {# nodes}} {backTo} again', {
                begun,
                backTo: backTo(seen),
              })}
            </ActionButton>
          )}
          <ActionButton
            variant="default"
            blockedBy={null}
            loading={freeze.isPending}
            onClick={() => act(freeze)}
          >
            {t('Freeze')}
          </ActionButton>
        </DialogActions>
      </div>
    </Dialog>
  )
}

const othersKeep = (others: number) =>
  others === 0
    ? t('and nodes that are not of it keep what they have.')
    : t(
        '{others, plural, one {# other keeps what it has: the farm stays on two versions until another rollout makes it one.} other {# others keep what they have: the farm stays on two versions until another rollout makes it one.}}',
        { others },
      )
