// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Token } from '../../lib/api-types.ts'
import { revokeTokenMutation, tokensKey } from './api.ts'

export function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const client = useQueryClient()
  const revoke = useMutation({
    ...revokeTokenMutation,
    onSuccess: async () => {
      await client.invalidateQueries(tokensKey)
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title={t('Revoke {name}', { name: token.name })}>
      <div className="stack">
        <p>
          {t('What uses it is refused from this moment, and so are tokens that were made with it.')}{' '}
          {token.lastUsedAt === null ? (
            t('It was never used.')
          ) : (
            <T
              text="It was last used {lastUsedAt} from {lastUsedFrom}."
              lastUsedAt={<TimeAgo at={token.lastUsedAt} />}
              lastUsedFrom={token.lastUsedFrom}
            />
          )}
        </p>
        {revoke.isError && <ErrorBox what={t('Not revoked')} error={revoke.error} />}
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={revoke.isPending}
            onClick={() => revoke.mutate(token.id)}
          >
            {t('Revoke 1 token')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
