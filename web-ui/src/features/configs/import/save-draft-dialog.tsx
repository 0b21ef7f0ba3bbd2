// SPDX-License-Identifier: MIT
// The draft becomes the first version of a new config, or the draft of one that there is, to be compared and saved there.

import { SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { SearchSelect } from '../../../components/search-select.tsx'
import { t } from '../../../languages/t.ts'
import type { Config } from '../../../lib/api-types.ts'
import { configsQuery, createVersionMutation, draftQuery, putDraft } from '../api.ts'
import { whyNotName } from '../new-config-rules.ts'

type Props = {
  draft: string
  /** A version is what farmstead-node accepts; a draft may be mended. */
  isAccepted: boolean
  message: string
  onClose: () => void
}
const ways = [
  { value: 'new', label: t('A new config') },
  { value: 'draft', label: t('An existing config') },
] as const
type Way = (typeof ways)[number]['value']

export function SaveDraftDialog({ draft, isAccepted, message, onClose }: Props) {
  const [way, setWay] = useState<Way>(isAccepted ? 'new' : 'draft')
  const [name, setName] = useState('')
  const [config, setConfig] = useState<Config | null>(null)
  const begun = useQuery({ ...draftQuery(config?.name ?? ''), enabled: config !== null })
  const etag = begun.data?.etag
  const create = useMutation({ ...createVersionMutation, ...useOpenEditor() })
  const put = useMutation({ mutationFn: putDraft, ...useOpenEditor() })
  const asked = way === 'new' ? create : put
  const blockedBy =
    way === 'new'
      ? isAccepted
        ? whyNotName(name)
        : t(
            'farmstead-node does not accept it yet: make it the draft of a config and mend it there.',
          )
      : config === null
        ? t('Choose the config.')
        : etag === undefined
          ? t('Its draft is being read…')
          : null
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (blockedBy !== null) return
    if (way === 'new') create.mutate({ name, text: draft, message, parent: null })
    else if (config !== null && etag !== undefined) {
      put.mutate({ name: config.name, text: draft, etag })
    }
  }
  return (
    <Dialog title={t('Use the draft')} size="lg" onClose={onClose}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <SegmentedControl
          aria-label={t('Use it for')}
          value={way}
          onChange={setWay}
          data={[...ways]}
          fullWidth
        />
        {way === 'new' ? (
          <TextInput
            label={t('Name')}
            description={t(
              'Small letters, digits, dots and hyphens, as in shop-eu. It can’t be changed later.',
            )}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={63}
            spellCheck={false}
            autoComplete="off"
            data-autofocus
          />
        ) : (
          <ConfigField config={config} onChange={setConfig} />
        )}
        {way === 'draft' && begun.isError && (
          <ErrorBox what={t('Its draft could not be read')} error={begun.error} />
        )}
        {way === 'draft' && config?.draftChanged && (
          <Notice
            tone="warn"
            live
            title={t('The draft of {name} has unsaved changes', { name: config.name })}
          >
            {t(
              'They give way to the import. Save them as a version first if they are still wanted.',
            )}
          </Notice>
        )}
        {asked.isError && <ErrorBox what={t('The draft was not saved')} error={asked.error} />}
        <p className="dim">
          {way === 'new'
            ? t(
                'Its first version is saved and opens in the editor. No node gets it before a rollout.',
              )
            : t(
                'It opens in the editor as the draft of that config: compare it with the latest version there, and save it as the next. No node gets it before a rollout.',
              )}
        </p>
        <DialogActions>
          <ActionButton type="submit" loading={asked.isPending} blockedBy={blockedBy}>
            {way === 'new' ? t('Create config') : t('Open as draft in the editor')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const TYPING_MS = 250
type FieldProps = { config: Config | null; onChange: (config: Config) => void }

function ConfigField({ config, onChange }: FieldProps) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const found = useInfiniteQuery(configsQuery(part)).data?.pages[0]?.items ?? []
  return (
    <SearchSelect
      label={t('Config')}
      value={config === null ? { value: '', label: t('Choose a config') } : choiceOf(config)}
      choices={found.map(choiceOf)}
      onSearch={setTyped}
      onChange={(name) => {
        const chosen = found.find((one) => one.name === name)
        if (chosen) onChange(chosen)
      }}
      none={t('No config of that name')}
    />
  )
}

const choiceOf = ({ name, latestVersion }: Config) => ({
  value: name,
  label: latestVersion === null ? name : `${name} v${latestVersion}`,
})

/** What is in the cache of that config is old; the editor reads anew. */
function useOpenEditor() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return {
    onSuccess: (_answer: unknown, { name }: { name: string }) => {
      client.removeQueries({ queryKey: draftQuery(name).queryKey })
      void client.invalidateQueries({ queryKey: ['configs'] })
      void navigate({ to: '/configs/$name', params: { name } })
    },
  }
}
