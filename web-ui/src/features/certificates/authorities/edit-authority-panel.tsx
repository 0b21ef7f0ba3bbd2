// SPDX-License-Identifier: MIT

import { Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ChangedMeanwhile } from '../../../components/changed-meanwhile.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
import { t } from '../../../languages/t.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { CertificateAuthority } from '../../../lib/api-types.ts'
import { AccountFields } from './account-fields.tsx'
import {
  authoritiesKey,
  authorityQuery,
  type ChangedAuthority,
  changeAuthorityMutation,
} from './api.ts'
import classes from './authorities.module.css'
import { accountTroubles, authorityRefusals, externalAccountOf, parseContact } from './rules.ts'

type Shown = { authority: CertificateAuthority; etag: string }
type Props = Shown & { blockedBy: string | null }

export function EditAuthorityPanel({ blockedBy, ...first }: Props) {
  const client = useQueryClient()
  const { shown, renew } = useAsShown<Shown>(first)
  const { name } = first.authority
  const reload = async () => {
    const now = await client.fetchQuery({ ...authorityQuery(name), staleTime: 0 })
    renew({ authority: now.body, etag: now.etag })
  }
  const change = useMutation({
    ...changeAuthorityMutation,
    onSuccess: async () => {
      await client.invalidateQueries(authoritiesKey)
      await reload()
    },
  })
  return (
    <section className="panel" aria-labelledby="edit-authority-heading">
      <div className="panel-head">
        <h2 id="edit-authority-heading">{t('Its account')}</h2>
      </div>
      <div className="panel-body stack">
        {blockedBy === null ? (
          <EditForm
            key={shown.etag}
            authority={shown.authority}
            pending={change.isPending}
            error={isApiError(change.error, 412) ? null : change.error}
            onChange={() => change.reset()}
            onSubmit={(changed) => change.mutate({ name, etag: shown.etag, ...changed })}
          />
        ) : (
          <p className="dim">{blockedBy}</p>
        )}
        {isApiError(change.error, 412) && (
          <ChangedMeanwhile
            what={t('this authority')}
            onReload={() => {
              change.reset()
              void reload()
            }}
          />
        )}
      </div>
    </section>
  )
}

type FormProps = {
  authority: CertificateAuthority
  pending: boolean
  error: Error | null
  onChange: () => void
  onSubmit: (changed: ChangedAuthority) => void
}

function EditForm({ authority, pending, error, onChange, onSubmit }: FormProps) {
  const before = {
    ...{ contact: authority.contact.join(', '), trustedRoots: '', keyId: '', hmacKey: '' },
    ...{ withoutAccount: false, withoutRoots: false },
  }
  const [draft, setDraft] = useState(before)
  const [asked, setAsked] = useState(false)
  const found = accountTroubles(draft)
  const refused = authorityRefusals(error)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(found).length > 0) return
    const externalAccount = externalAccountOf(draft)
    onSubmit({
      contact: parseContact(draft.contact),
      ...(draft.trustedRoots.trim() !== '' && { trustedRoots: draft.trustedRoots }),
      ...(externalAccount !== null && { externalAccount }),
      ...(draft.withoutRoots && { trustedRoots: null }),
      ...(draft.withoutAccount && { externalAccount: null }),
    })
  }
  const set = (changed: Partial<typeof draft>) => {
    onChange()
    setDraft({ ...draft, ...changed })
  }
  const { externalAccountKeyId } = authority
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <AccountFields
        draft={draft}
        trouble={{ ...(asked && found), ...refused }}
        externalAccount={
          externalAccountKeyId === null
            ? t('None is set. With one, a new account is made at the authority.')
            : t(
                'The one with the key id {externalAccountKeyId} is set. Enter another to create a new account with it; left empty, it stays.',
                { externalAccountKeyId },
              )
        }
        roots={
          authority.trustedRoots
            ? t(
                'PEM: roots of its own are set. Paste others to replace them; left empty, they stay',
              )
            : t(
                'PEM: for an authority of your own, whose directory has a certificate that this machine does not trust',
              )
        }
        removal={{
          externalAccount: externalAccountKeyId !== null && (
            <Checkbox
              label={t('Remove it: a new account is created without one')}
              checked={draft.withoutAccount}
              onChange={({ currentTarget: { checked } }) => set({ withoutAccount: checked })}
            />
          ),
          roots: authority.trustedRoots && (
            <Checkbox
              label={t('Remove them: only the roots of this machine are trusted')}
              checked={draft.withoutRoots}
              onChange={({ currentTarget: { checked } }) => set({ withoutRoots: checked })}
            />
          ),
        }}
        onChange={set}
      />
      <UnsavedGuard
        what={t('The authority')}
        isUnsaved={JSON.stringify(draft) !== JSON.stringify(before)}
      />
      {error !== null && Object.keys(refused).length === 0 && (
        <ErrorBox what={t('Not saved')} error={error} />
      )}
      <ActionButton type="submit" loading={pending} blockedBy={null}>
        {t('Save')}
      </ActionButton>
    </form>
  )
}
