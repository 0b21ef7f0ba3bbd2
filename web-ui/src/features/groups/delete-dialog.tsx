// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ImpactPanel } from '../../components/impact-panel.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { deleteGroupMutation, removalImpactQuery, taggedGroupQuery } from './api.ts'

type Props = { name: string; onClose: () => void }

export function DeleteGroupDialog({ name, onClose }: Props) {
  const tagged = useQuery(taggedGroupQuery(name))
  return (
    <Dialog onClose={onClose} title={`Remove the group ${name}`}>
      <QueryStates query={tagged} what="The group" skeletonRows={2}>
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
      <p>Its nodes go to the next group in order whose selector matches them.</p>
      <QueryStates query={impact} what="What this would do" skeletonRows={2}>
        {(found) => <ImpactPanel impact={found} doing="Removing" />}
      </QueryStates>
      {remove.isError && <ErrorBox what="Not removed" error={remove.error} />}
      <DialogActions>
        <Button
          variant="danger-filled"
          loading={remove.isPending}
          disabled={impact.data === undefined}
          onClick={() => remove.mutate({ name, etag })}
        >
          Remove group
        </Button>
      </DialogActions>
    </div>
  )
}
