// SPDX-License-Identifier: MIT

import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useAsShown } from '../../hooks/use-as-shown.ts'
import { t } from '../../languages/t.ts'
import type { Version } from '../../lib/api-types.ts'
import { configQuery, draftQuery, putDraft, restoreVersionMutation } from './api.ts'
import { MAX_MESSAGE_LENGTH } from './rules.ts'

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
  const latest = config.data?.latestVersion ?? null
  return (
    <Dialog onClose={onClose} title={t('Restore v{number}', { number })}>
      <div className="stack">
        {latest !== null && latest !== number && (
          <>
            <RestoreForm version={version} latest={latest} />
            <h3>{t('Or edit it first')}</h3>
          </>
        )}
        <p>
          {t(
            'The draft gets the text of v{number}. The nodes do not change: save it as a new version and roll that out, so that the history shows it.',
            { number },
          )}
        </p>
        {config.data?.draftChanged === true && (
          <Notice tone="warn" title={t('The draft has changes that are in no version')}>
            {t('They will be replaced.')}{' '}
            {config.data.latestVersion !== null && (
              <Link
                to="/configs/$name/compare"
                params={{ name }}
                search={{ from: config.data.latestVersion, to: 'draft' }}
              >
                {t('Look at them first')}
              </Link>
            )}
          </Notice>
        )}
        {restore.isError && <ErrorBox what={t('Not restored')} error={restore.error} />}
        <QueryStates query={draft} what={t('The draft')} skeletonRows={1}>
          {({ etag }) => (
            <ReplaceDraft
              etag={etag}
              number={number}
              pending={restore.isPending}
              onReplace={restore.mutate}
            />
          )}
        </QueryStates>
      </div>
    </Dialog>
  )
}

type ReplaceProps = {
  etag: string
  number: number
  pending: boolean
  onReplace: (etag: string) => void
}

/** Replaces the draft that there was when the dialog opened: what somebody types meanwhile is asked about anew. */
function ReplaceDraft({ etag, number, pending, onReplace }: ReplaceProps) {
  const { shown } = useAsShown(etag)
  return (
    <DialogActions>
      <Button variant="default" loading={pending} onClick={() => onReplace(shown)}>
        {t('Replace the draft with v{number}', { number })}
      </Button>
    </DialogActions>
  )
}

/** The shortest way back: the old text is the newest version, and one rolls that out. */
function RestoreForm({ version, latest: first }: { version: Version; latest: number }) {
  // The version it was said to stand on, not what somebody saves meanwhile.
  const latest = useAsShown(first).shown
  const { config: name, number } = version
  const client = useQueryClient()
  const navigate = useNavigate()
  const [message, setMessage] = useState(t('Back to v{number}', { number }))
  const restore = useMutation({
    ...restoreVersionMutation,
    onSuccess: (restored) => {
      void client.invalidateQueries({ queryKey: ['configs'] })
      void client.invalidateQueries({ queryKey: ['drafts', name] })
      void navigate({
        to: '/configs/$name/versions/$number',
        params: { name, number: restored.number },
      })
    },
  })
  const isBlank = message.trim() === ''
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBlank) restore.mutate({ name, number, message: message.trim(), parent: latest })
      }}
    >
      <p>
        {t(
          'The text of v{number} becomes version {latest}, on top of v{latest2}. The nodes do not change before it is rolled out.',
          { number, latest: latest + 1, latest2: latest },
        )}
      </p>
      <Textarea
        label={t('Message')}
        description={t('Why, for those who read the history')}
        withAsterisk
        required
        maxLength={MAX_MESSAGE_LENGTH}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        error={isBlank ? t('Say why.') : null}
      />
      {restore.isError && <ErrorBox what={t('No version was saved')} error={restore.error} />}
      <div>
        <Button type="submit" loading={restore.isPending}>
          {t('Save it as version {latest}', { latest: latest + 1 })}
        </Button>
      </div>
    </form>
  )
}
