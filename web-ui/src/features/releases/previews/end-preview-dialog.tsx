// SPDX-License-Identifier: MIT
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeleteDialog } from '../../../components/delete-dialog.tsx'
import { t } from '../../../languages/t.ts'
import type { ReleasePreview } from '../../../lib/api-types.ts'
import { endPreviewMutation, previewsQuery } from './api.ts'

export type EndPreviewDialogProps = { preview: ReleasePreview; onClose: () => void }

export function EndPreviewDialog({ preview, onClose }: EndPreviewDialogProps) {
  const { release: name, number, node, id } = preview
  const client = useQueryClient()
  const removal = useMutation({
    ...endPreviewMutation,
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries(previewsQuery(name))
    },
  })
  return (
    <DeleteDialog
      title={t('End the preview of {name} v{number} on {node}', { name, number, node: node.name })}
      action={t('End preview')}
      removal={removal}
      onSure={() => removal.mutate({ name, id })}
      onClose={onClose}
    >
      <p>{t('Its address and its password will no longer work.')}</p>
    </DeleteDialog>
  )
}
