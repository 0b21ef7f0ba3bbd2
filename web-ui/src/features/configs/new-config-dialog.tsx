// SPDX-License-Identifier: MIT
// A config begins with its first version: the smallest that serves a folder, a copy of another config, or a file of one's own.

import { SegmentedControl, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { createVersionMutation, versionQuery } from './api.ts'
import { type Copied, CopyField, TextField } from './new-config-fields.tsx'
import { type Start, smallestConfig, starts, whyNotCreate } from './new-config-rules.ts'

export function NewConfigButton({ session }: { session: Session }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton blockedBy={whyNot(session, 'configs:write')} onClick={() => setOpen(true)}>
        {t('New config')}
      </ActionButton>
      {isOpen && <NewConfigDialog onClose={() => setOpen(false)} />}
    </>
  )
}

export function NewConfigDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [start, setStart] = useState<Start>('smallest')
  const [folder, setFolder] = useState('')
  const [copied, setCopied] = useState<Copied | null>(null)
  const [text, setText] = useState('')
  const copy = useQuery({
    ...versionQuery(copied?.name ?? '', copied?.version ?? 0),
    enabled: copied !== null,
  })
  const create = useCreate()
  const isCopy = start === 'copy' && copied !== null
  const texts = { smallest: smallestConfig(folder.trim()), copy: copy.data?.text ?? '', text }
  const blockedBy = whyNotCreate({ name, start, folder, text: texts[start] })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (blockedBy !== null) return
    const message = isCopy
      ? t('A copy of {name} v{version}', { name: copied.name, version: copied.version })
      : t('First version')
    create.mutate({ name, text: texts[start], message, parent: null })
  }
  const errors = isApiError(create.error) ? create.error.errors : []
  return (
    <Dialog title={t('New config')} size="lg" onClose={onClose}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <TextInput
          label={t('Name')}
          description={t(
            'Small letters, digits, dots and hyphens, as in shop-eu. It can’t be changed later.',
          )}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={63}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
        />
        <SegmentedControl
          aria-label={t('Begin with')}
          value={start}
          onChange={setStart}
          data={starts}
          fullWidth
        />
        {start === 'smallest' && (
          <TextInput
            label={t('Folder')}
            description={t('On the nodes. Its files are served under every host name.')}
            placeholder="/srv/www"
            value={folder}
            onChange={(event) => setFolder(event.currentTarget.value)}
            spellCheck={false}
          />
        )}
        {start === 'copy' && <CopyField copied={copied} onChange={setCopied} />}
        {start === 'copy' && copy.isError && (
          <ErrorBox what={t('Its text could not be read')} error={copy.error} />
        )}
        {start === 'text' && <TextField text={text} onChange={setText} />}
        {create.isError && <ErrorBox what={t('No config was made')} error={create.error} />}
        {errors.length > 0 && <ConfigErrors config={null} errors={errors} />}
        <p className="dim">
          {t(
            'Its first version is saved and opens in the editor. No node gets it before a rollout.',
          )}
        </p>
        <DialogActions>
          <ActionButton type="submit" loading={create.isPending} blockedBy={blockedBy}>
            {t('Create config')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function useCreate() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    ...createVersionMutation,
    onSuccess: (version) => {
      void client.invalidateQueries({ queryKey: ['configs'] })
      void navigate({ to: '/configs/$name', params: { name: version.config } })
    },
  })
}
