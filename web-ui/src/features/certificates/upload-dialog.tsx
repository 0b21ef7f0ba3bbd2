// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import { certificatesKey, uploadMutation } from './api.ts'
import { PemField } from './pem-field.tsx'
import { troubleOf, whyIncomplete } from './rules.ts'

type Props = {
  /** Which one is renewed; null: a new one. */
  of: { name: string; etag: string } | null
  onClose: () => void
  onKept?: ((name: string) => void) | undefined
}

export function UploadDialog({ of, onClose, onKept }: Props) {
  const title =
    of === null ? t('Upload a certificate') : t('A new version of {name}', { name: of.name })
  return (
    <Dialog onClose={onClose} size="lg" title={title}>
      <UploadForm of={of} onClose={onClose} onKept={onKept} />
    </Dialog>
  )
}

function UploadForm({ of, onClose, onKept }: Props) {
  const client = useQueryClient()
  const [given, setGiven] = useState({ name: of?.name ?? '', chain: '', key: '' })
  const upload = useMutation({
    ...uploadMutation,
    onSuccess: async (_kept, { name }) => {
      await client.invalidateQueries(certificatesKey)
      onClose()
      onKept?.(name)
    },
  })
  const set = (change: Partial<typeof given>) => {
    // What was said is about what was sent.
    upload.reset()
    setGiven({ ...given, ...change })
  }
  const errors = isApiError(upload.error, 422) ? upload.error.errors : []
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    upload.mutate({ ...given, etag: of?.etag ?? null })
  }
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      {of === null && (
        <TextInput
          label={t('Name')}
          description={t('As configs will say it')}
          value={given.name}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
          spellCheck={false}
          data-autofocus
        />
      )}
      <PemField
        label={t('Certificate and chain')}
        description={t(
          'PEM: the server’s certificate first, then those that issued it (often fullchain.pem)',
        )}
        value={given.chain}
        trouble={troubleOf(errors, '/chain')}
        onChange={(chain) => set({ chain })}
      />
      <PemField
        label={t('Key')}
        description={t('PEM, without a passphrase. It is sealed at once, and never shown again.')}
        value={given.key}
        trouble={troubleOf(errors, '/key')}
        onChange={(key) => set({ key })}
      />
      {errors.length > 0 ? (
        <Notice tone="bad" title={t('Nothing was kept')}>
          {t('Each field says what is wrong and what to do.')}
        </Notice>
      ) : (
        upload.isError && <ErrorBox what={t('Nothing was kept')} error={upload.error} />
      )}
      <DialogActions>
        <ActionButton type="submit" loading={upload.isPending} blockedBy={whyIncomplete(given)}>
          {of === null ? t('Upload certificate') : t('Upload the new version')}
        </ActionButton>
      </DialogActions>
    </form>
  )
}
