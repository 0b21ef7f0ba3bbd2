// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import type { Version } from '../../lib/api-types.ts'
import { configQuery, draftQuery, putDraft } from './api.ts'

export function RestoreDialog({ version, onClose }: { version: Version; onClose: () => void }) {
  const { config: name, number, text } = version
  const client = useQueryClient()
  const navigate = useNavigate()
  const draft = useQuery(draftQuery(name))
  const config = useQuery(configQuery(name))
  const restore = useMutation({
    mutationFn: (etag: string) => putDraft({ name, text, etag }),
    onSuccess: (saved) => {
      client.setQueryData(draftQuery(name).queryKey, saved)
      void client.invalidateQueries({ queryKey: ['configs', 'one', name] })
      void navigate({ to: '/configs/$name', params: { name } })
    },
  })
  return (
    <Dialog onClose={onClose} title={`Restore v${number} into the draft`}>
      <div className="stack">
        <p>
          The draft gets the text of v{number}. The nodes do not change: save it as a new version
          and roll that out, so that the history shows it.
        </p>
        {config.data?.draftChanged === true && (
          <Notice tone="warn" title="The draft has changes that are in no version">
            They will be replaced.{' '}
            {config.data.latestVersion !== null && (
              <Link
                to="/configs/$name/compare"
                params={{ name }}
                search={{ from: config.data.latestVersion, to: 'draft' }}
              >
                Look at them first
              </Link>
            )}
          </Notice>
        )}
        {restore.isError && <ErrorBox what="Not restored" error={restore.error} />}
        <QueryStates query={draft} what="The draft" skeletonRows={1}>
          {({ etag }) => (
            <div className="row">
              <Button loading={restore.isPending} onClick={() => restore.mutate(etag)}>
                Replace the draft with v{number}
              </Button>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
            </div>
          )}
        </QueryStates>
      </div>
    </Dialog>
  )
}
