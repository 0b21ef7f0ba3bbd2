// SPDX-License-Identifier: MIT
// Freezing can't be undone, and leaves the farm on two versions: it is asked for, and the way back stands beside it.
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
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
        Freeze…
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
    <Dialog title={`Freeze the rollout of ${config} v${version}`} onClose={onClose}>
      <div className="stack-tight">
        <p>
          It ends as it is, and that can’t be undone. {plural(begun, 'node')}{' '}
          {begun === 1 ? 'keeps' : 'keep'} {brings(seen)}, {othersKeep(others)} A node that is not
          well with {brings(seen)} stays as it is.
        </p>
        {freeze.isError && <ErrorBox what="Not frozen" error={freeze.error} />}
        {revert.isError && <ErrorBox what="Not taken back" error={revert.error} />}
        <DialogActions>
          {begun > 0 && mayNotRevert === null && (
            <ActionButton blockedBy={null} loading={revert.isPending} onClick={() => act(revert)}>
              Instead, give {plural(begun, 'node')} {backTo(seen)} again
            </ActionButton>
          )}
          <ActionButton
            variant="default"
            blockedBy={null}
            loading={freeze.isPending}
            onClick={() => act(freeze)}
          >
            Freeze
          </ActionButton>
        </DialogActions>
      </div>
    </Dialog>
  )
}

const othersKeep = (others: number) =>
  others === 0
    ? 'and nodes that are not of it keep what they have.'
    : `${plural(others, 'other')} ${others === 1 ? 'keeps what it has' : 'keep what they have'}: the farm stays on two versions until another rollout makes it one.`
