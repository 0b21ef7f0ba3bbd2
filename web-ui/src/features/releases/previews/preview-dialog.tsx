// SPDX-License-Identifier: MIT
// Which node shows a version under a name of its own, and how long; then its address and its password, this once.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyField } from '../../../components/copy-field.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { NodeSelect } from '../../../components/node-select.tsx'
import { t } from '../../../languages/t.ts'
import type { StartedPreview } from '../../../lib/api-types.ts'
import { previewsQuery, startPreviewMutation } from './api.ts'

export type PreviewDialogProps = { name: string; number: number; onClose: () => void }

const TIMES = [
  { value: '2', label: t('2 hours') },
  { value: '8', label: t('8 hours') },
  { value: '24', label: t('1 day') },
  { value: '72', label: t('3 days') },
  { value: '168', label: t('7 days') },
]

export function PreviewDialog({ name, number, onClose }: PreviewDialogProps) {
  const client = useQueryClient()
  const [nodeId, setNodeId] = useState('')
  const [hours, setHours] = useState('24')
  const start = useMutation({
    ...startPreviewMutation,
    onSuccess: () => client.invalidateQueries(previewsQuery(name)),
  })
  return (
    <Dialog
      title={t('Preview {name} v{number} on a node', { name, number })}
      shownOnce={start.isSuccess}
      onClose={onClose}
    >
      {start.isSuccess ? (
        <Started preview={start.data} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            start.mutate({ name, number, nodeId, hours: Number(hours) })
          }}
        >
          <p>
            {t(
              'The node fetches this version beside the one that it serves, and shows it under a name of its own to those who have the password. Visitors notice nothing.',
            )}
          </p>
          <NativeSelect
            label={t('Ends by itself after')}
            data={TIMES}
            value={hours}
            onChange={({ currentTarget }) => setHours(currentTarget.value)}
          />
          {/* Not the first: its list opens with the focus, and Escape would close that. */}
          <NodeSelect label={t('Node')} id={nodeId} onChange={setNodeId} />
          {start.isError && <ErrorBox what={t('Not started')} error={start.error} />}
          <DialogActions>
            <Button type="submit" loading={start.isPending} disabled={nodeId === ''}>
              {t('Start preview')}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}

const Started = ({ preview }: { preview: StartedPreview }) => (
  <div className="stack">
    <CopyField label={t('Address')} value={preview.url ?? preview.host} />
    <CopyField label={t('User name')} value={preview.username} />
    <CopyField label={t('Password')} value={preview.password} />
    <p className="dim">
      {t(
        'The password is shown only here. The name must lead to {node} in DNS. It is shown as soon as the node has the files.',
        { node: preview.node.name },
      )}
    </p>
    <DialogActions leave={t('Close')} />
  </div>
)
