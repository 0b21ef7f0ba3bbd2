// SPDX-License-Identifier: MIT
import { Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import type { Recovery } from '../../lib/api-types.ts'
import { namesOf, plural } from '../../lib/format.ts'
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
    ? 'First confirm that no other control plane of these nodes is running.'
    : unheard.length > 0 && !withoutUnheard
      ? `Wait for ${namesOf(unheard)}, or go on without.`
      : null
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (blockedBy === null) confirm.mutate(withoutUnheard)
  }
  return (
    <Dialog onClose={onClose} title="Let this control plane drive the farm">
      <form className="stack" onSubmit={handleSubmit}>
        <p>
          It takes an epoch above every one that a node told it ({recovery.highestEpoch}). Nodes
          obey it from then on, and no older copy of it. No text is pushed by this: nodes whose
          version the backup does not know are shown out of sync until your next rollout.
        </p>
        <Checkbox
          label="No other control plane of these nodes is running"
          checked={isOnlyOne}
          onChange={(event) => setOnlyOne(event.currentTarget.checked)}
        />
        {unheard.length > 0 && (
          <Checkbox
            label={`Go on without ${plural(unheard.length, 'node')} that said nothing`}
            description={`${namesOf(unheard)}: one that obeyed a higher epoch than the others will refuse this control plane, and be shown so.`}
            checked={withoutUnheard}
            onChange={(event) => setWithoutUnheard(event.currentTarget.checked)}
          />
        )}
        {confirm.isError && <ErrorBox what="Not confirmed" error={confirm.error} />}
        <DialogActions>
          <ActionButton type="submit" loading={confirm.isPending} blockedBy={blockedBy}>
            Go on from the backup
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}
