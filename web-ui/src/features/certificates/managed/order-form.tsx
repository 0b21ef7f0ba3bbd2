// SPDX-License-Identifier: MIT
// What to order, whom from and how it is proven: for a new one, and to change one that is managed.

import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx'
import { t } from '../../../languages/t.ts'
import type { CertificateAuthority, DnsWebhook } from '../../../lib/api-types.ts'
import type { Wish } from './api.ts'
import { AuthoritiesField } from './authorities-field.tsx'
import { ChallengeField } from './challenge-field.tsx'
import { HostsField } from './hosts-field.tsx'
import classes from './managed.module.css'
import { keyNames } from './rules.ts'
import { type Draft, refusalsOf, troublesOf, wishOf } from './wish.ts'

export type OrderFormProps = {
  before: Draft
  /** It is there already, and its name is not to be changed. */
  isNamed: boolean
  /** There is a certificate of this name that nobody has ordered so far. */
  isUploaded: boolean
  authorities: readonly CertificateAuthority[]
  webhooks: readonly DnsWebhook[]
  submit: string
  pending: boolean
  /** It was sent, and is no more what is not saved. */
  isDone: boolean
  error: Error | null
  onSubmit: (name: string, wish: Wish, orderNow: boolean) => void
  /** What was said is about what was sent. */
  onChange: () => void
}

export function OrderForm(props: OrderFormProps) {
  const { before, isNamed, isUploaded, authorities, webhooks, pending, error } = props
  const [draft, setDraft] = useState(before)
  const [asked, setAsked] = useState(false)
  const set = (change: Partial<Draft>) => {
    props.onChange()
    setDraft({ ...draft, ...change })
  }
  const wish = wishOf(draft)
  const troubles = troublesOf(draft)
  const { at, rest } = refusalsOf(error, wish)
  const isPlaced = Object.keys(at).length > 0 && rest.length === 0
  const wrong = (field: keyof typeof troubles) =>
    at[field] ?? (asked ? (troubles[field] ?? null) : null)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(troubles).length === 0) props.onSubmit(draft.name, wish, draft.orderNow)
  }
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      {!isNamed && (
        <TextInput
          className={classes.short ?? ''}
          label={t('Name')}
          description={t('As configs will say it')}
          placeholder={t('shop')}
          value={draft.name}
          error={wrong('name')}
          spellCheck={false}
          autoCapitalize="off"
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
      )}
      <HostsField
        value={draft.hostsText}
        challenge={draft.challenge}
        error={wrong('hosts')}
        onChange={(hostsText) => set({ hostsText })}
      />
      <AuthoritiesField
        known={authorities}
        chosen={draft.authorities}
        error={wrong('authorities')}
        onChosen={(chosen) => set({ authorities: chosen })}
      />
      <ChallengeField draft={draft} webhooks={webhooks} error={wrong('webhook')} onChange={set} />
      <NativeSelect
        className={classes.short ?? ''}
        label={t('Key')}
        description={t('RSA is for clients that are more than ten years old')}
        value={draft.keyType}
        error={at.keyType ?? null}
        onChange={({ currentTarget: { value } }) =>
          set({ keyType: value === 'rsa-2048' ? value : 'ecdsa-p256' })
        }
        data={Object.entries(keyNames).map(([value, label]) => ({ value, label }))}
      />
      <TextInput
        className={classes.short ?? ''}
        label={t('Preferred chain (optional)')}
        description={t('Name of the root, for an authority that offers several')}
        placeholder={t('ISRG Root X1')}
        value={draft.preferredChain}
        error={at.preferredChain ?? null}
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => set({ preferredChain: value })}
      />
      <Checkbox
        label={t('Roll out automatically')}
        description={t(
          'Once a new version is there, nodes that serve an older one get it by a rollout. Otherwise you start that rollout.',
        )}
        checked={draft.rollOut}
        onChange={({ currentTarget: { checked } }) => set({ rollOut: checked })}
      />
      {isUploaded && (
        <Checkbox
          label={t('Order the first one now')}
          description={t(
            'Otherwise it is ordered when the certificate that is there is to be renewed.',
          )}
          checked={draft.orderNow}
          onChange={({ currentTarget: { checked } }) => set({ orderNow: checked })}
        />
      )}
      <UnsavedGuard
        what={isNamed ? t('The change') : t('The order')}
        isUnsaved={!props.isDone && JSON.stringify(draft) !== JSON.stringify(before)}
      />
      {isPlaced ? (
        <Notice tone="bad" title={t('Nothing was ordered')}>
          {t('Each field says what is wrong and what to do.')}
        </Notice>
      ) : (
        error !== null && <ErrorBox what={t('Nothing was saved')} error={error} />
      )}
      {asked && Object.keys(troubles).length > 0 && (
        <p className={classes.error} role="alert">
          {Object.values(troubles)[0]}
        </p>
      )}
      <ActionButton type="submit" loading={pending} blockedBy={null}>
        {props.submit}
      </ActionButton>
    </form>
  )
}
