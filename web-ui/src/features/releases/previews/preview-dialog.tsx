// SPDX-License-Identifier: MIT
// Which node shows a version under a name of its own, and how long; then its address and its password, this once.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyField } from '../../../components/copy-field.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { NodeSelect } from '../../../components/node-select.tsx'
import type { StartedPreview } from '../../../lib/api-types.ts'
import { previewsQuery, startPreviewMutation } from './api.ts'

export type PreviewDialogProps = { name: string; number: number; onClose: () => void }

const TIMES = [
  { value: '2', label: '2 hours' },
  { value: '8', label: '8 hours' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
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
      title={`Preview ${name} v${number} on a node`}
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
            The node fetches this version beside the one that it serves, and shows it under a name
            of its own to those who have the password. Visitors notice nothing.
          </p>
          <NativeSelect
            label="Ends by itself after"
            data={TIMES}
            value={hours}
            onChange={({ currentTarget }) => setHours(currentTarget.value)}
          />
          {/* Not the first: its list opens with the focus, and Escape would close that. */}
          <NodeSelect label="Node" id={nodeId} onChange={setNodeId} />
          {start.isError && <ErrorBox what="Not started" error={start.error} />}
          <DialogActions>
            <Button type="submit" loading={start.isPending} disabled={nodeId === ''}>
              Start preview
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}

const Started = ({ preview }: { preview: StartedPreview }) => (
  <div className="stack">
    <CopyField label="Address" value={preview.url ?? preview.host} />
    <CopyField label="User name" value={preview.username} />
    <CopyField label="Password" value={preview.password} />
    <p className="dim">
      The password is shown only here. The name must lead to {preview.node.name} in DNS. It is shown
      as soon as the node has the files.
    </p>
    <DialogActions leave="Close" />
  </div>
)
