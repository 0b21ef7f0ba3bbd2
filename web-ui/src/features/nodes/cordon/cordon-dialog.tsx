// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { t } from '../../../languages/t.ts'
import type { Node } from '../../../lib/api-types.ts'
import { cordonMutation } from '../api.ts'

export function CordonDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const cordon = useMutation({
    ...cordonMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['nodes'] })
      onClose()
    },
  })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    cordon.mutate({ id: node.id, reason: reason.trim() })
  }
  return (
    <Dialog onClose={onClose} title={t('Cordon {name}', { name: node.name })}>
      <form className="stack" onSubmit={handleSubmit}>
        <ul className="bullets">
          <li>{t('It goes on serving what it has, and visitors see no difference.')}</li>
          <li>{t('Rollouts skip it, emergencies too, until it is uncordoned.')}</li>
          <li>{t('What it was offered already goes on, and can be taken back.')}</li>
          <li>{t('What it misses comes with the first rollout after that.')}</li>
        </ul>
        <TextInput
          label={t('Why')}
          description={t('For others who see it; it is kept in the history')}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {cordon.isError && <ErrorBox what={t('Not cordoned')} error={cordon.error} />}
        <DialogActions>
          <ActionButton
            type="submit"
            loading={cordon.isPending}
            blockedBy={reason.trim() === '' ? t('Give a reason first.') : null}
          >
            {t('Cordon {name}', { name: node.name })}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}
