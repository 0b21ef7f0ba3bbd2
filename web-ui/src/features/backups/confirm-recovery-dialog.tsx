// SPDX-License-Identifier: MIT

import { Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import type { Recovery } from '../../lib/api-types.ts'
import { namesOf } from '../../lib/format.ts'
import { confirmRecoveryMutation } from './api.ts'

type ConfirmRecoveryDialogProps = { recovery: Recovery; onClose: () => void }

export function ConfirmRecoveryDialog({ recovery, onClose }: ConfirmRecoveryDialogProps) {
  const client = useQueryClient()
  const [isOnlyOne, setOnlyOne] = useState(false)
  const [withoutUnheard, setWithoutUnheard] = useState(false)
  const confirm = useMutation({
    ...confirmRecoveryMutation,
    // Its epoch is another one, and so is what every node is to run.
    onSuccess: () => client.invalidateQueries(),
  })
  const { unheard } = recovery
  const blockedBy = !isOnlyOne
    ? t('First confirm that no other control plane of these nodes is running.')
    : unheard.length > 0 && !withoutUnheard
      ? t('Wait for {unheard}, or go on without.', { unheard: namesOf(unheard) })
      : null
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (blockedBy === null) confirm.mutate(withoutUnheard)
  }
  return (
    <Dialog onClose={onClose} title={t('Let this control plane drive the farm')}>
      <form className="stack" onSubmit={handleSubmit}>
        <p>
          {t(
            'It takes an epoch above every one that a node told it ({highestEpoch}). Nodes obey it from then on, and no older copy of it. No text is pushed by this: nodes whose version the backup does not know are shown out of sync until your next rollout.',
            { highestEpoch: recovery.highestEpoch },
          )}
        </p>
        <Checkbox
          label={t('No other control plane of these nodes is running')}
          checked={isOnlyOne}
          onChange={(event) => setOnlyOne(event.currentTarget.checked)}
        />
        {unheard.length > 0 && (
          <Checkbox
            label={t(
              'Go on without {unheard, plural, one {# node} other {# nodes}} that said nothing',
              { unheard: unheard.length },
            )}
            description={t(
              '{unheard}: one that obeyed a higher epoch than the others will refuse this control plane, and be shown so.',
              { unheard: namesOf(unheard) },
            )}
            checked={withoutUnheard}
            onChange={(event) => setWithoutUnheard(event.currentTarget.checked)}
          />
        )}
        {confirm.isError && <ErrorBox what={t('Not confirmed')} error={confirm.error} />}
        <DialogActions>
          <ActionButton type="submit" loading={confirm.isPending} blockedBy={blockedBy}>
            {t('Go on from the backup')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}
