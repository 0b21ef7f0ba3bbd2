// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import type { Alert } from '../../lib/api-types.ts'
import { acknowledgeMutation } from './api.ts'

export function AcknowledgeDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const client = useQueryClient()
  const [comment, setComment] = useState('')
  const acknowledge = useMutation({
    ...acknowledgeMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['alerts'] })
      onClose()
    },
  })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    acknowledge.mutate({ id: alert.id, comment: comment.trim() })
  }
  return (
    <Dialog
      onClose={onClose}
      title={t('Acknowledge {ruleName}: {name}', {
        ruleName: alert.ruleName,
        name: alert.subject.name,
      })}
    >
      <form className="stack" onSubmit={handleSubmit}>
        <p>{t('Others see that you are on it. It keeps firing until it resolves.')}</p>
        <TextInput
          label={t('Comment (optional)')}
          maxLength={1000}
          value={comment}
          onChange={({ currentTarget: { value } }) => setComment(value)}
        />
        {acknowledge.isError && <ErrorBox what={t('Not acknowledged')} error={acknowledge.error} />}
        <DialogActions>
          <ActionButton type="submit" blockedBy={null} loading={acknowledge.isPending}>
            {t('Acknowledge')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}
