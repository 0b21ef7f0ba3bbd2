// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ImpactPanel } from '../../components/impact-panel.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import { deleteGroupMutation, removalImpactQuery, taggedGroupQuery } from './api.ts'

type Props = { name: string; onClose: () => void }

export function DeleteGroupDialog({ name, onClose }: Props) {
  const tagged = useQuery(taggedGroupQuery(name))
  return (
    <Dialog onClose={onClose} title={t('Remove the group {name}', { name })}>
      <QueryStates query={tagged} what={t('The group')} skeletonRows={2}>
        {({ etag }) => <Removal name={name} etag={etag} onClose={onClose} />}
      </QueryStates>
    </Dialog>
  )
}

function Removal({ name, etag, onClose }: Props & { etag: string }) {
  const client = useQueryClient()
  const impact = useQuery(removalImpactQuery({ name, etag }))
  const remove = useMutation({
    ...deleteGroupMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['groups'] })
      await client.invalidateQueries({ queryKey: ['nodes'] })
      onClose()
    },
  })
  return (
    <div className="stack">
      <p>{t('Its nodes go to the next group in order whose selector matches them.')}</p>
      <QueryStates query={impact} what={t('What this would do')} skeletonRows={2}>
        {(found) => <ImpactPanel impact={found} doing={t('Removing')} />}
      </QueryStates>
      {remove.isError && <ErrorBox what={t('Not removed')} error={remove.error} />}
      <DialogActions>
        <Button
          variant="danger-filled"
          loading={remove.isPending}
          disabled={impact.data === undefined}
          onClick={() => remove.mutate({ name, etag })}
        >
          {t('Remove group')}
        </Button>
      </DialogActions>
    </div>
  )
}
