// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { t } from '../../../languages/t.ts'
import type { Node } from '../../../lib/api-types.ts'
import { revokeIdentityMutation } from '../api.ts'

export function RevokeDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const client = useQueryClient()
  const revoke = useMutation({
    ...revokeIdentityMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['nodes'] })
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title={t('Revoke the identity of {name}', { name: node.name })}>
      <div className="stack">
        <ul className="bullets">
          <li>
            {t('Its connection to this control plane ends at once, and nobody can speak for it.')}
          </li>
          <li>{t('It goes on serving what it serves now, and visitors see no difference.')}</li>
          <li>{t('It gets no new version and reports nothing.')}</li>
          <li>
            {t(
              'The way back is a new token for {name}, and the command it gives on its machine. Nothing else brings the old identity back.',
              { name: node.name },
            )}
          </li>
        </ul>
        {revoke.isError && <ErrorBox what={t('Not revoked')} error={revoke.error} />}
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={revoke.isPending}
            onClick={() => revoke.mutate(node.id)}
          >
            {t('Revoke the identity of 1 node')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
