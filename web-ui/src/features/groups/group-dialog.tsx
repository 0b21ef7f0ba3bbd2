// SPDX-License-Identifier: MIT

import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ImpactPanel } from '../../components/impact-panel.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useImpact } from '../../hooks/use-impact.ts'
import { t } from '../../languages/t.ts'
import { parseOverride } from '../../lib/merge-patch.ts'
import {
  askGroupImpact,
  configNamesQuery,
  type GroupSettings,
  groupsQuery,
  saveGroupMutation,
  taggedGroupQuery,
} from './api.ts'
import { parseHours } from './rules.ts'

const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/

type Props = { name: string | null; onClose: () => void }

/** `name`: of the group to change; null: a new one. */
export function GroupDialog({ name, onClose }: Props) {
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={name === null ? t('New group') : t('Group {name}', { name })}
    >
      {name === null ? (
        <GroupForm before={null} etag={null} onClose={onClose} />
      ) : (
        <KnownGroup name={name} onClose={onClose} />
      )}
    </Dialog>
  )
}

function KnownGroup({ name, onClose }: { name: string; onClose: () => void }) {
  const tagged = useQuery(taggedGroupQuery(name))
  return (
    <QueryStates query={tagged} what={t('The group')} skeletonRows={4}>
      {({ body, etag }) => <GroupForm key={etag} before={body} etag={etag} onClose={onClose} />}
    </QueryStates>
  )
}

type FormProps = {
  before: (GroupSettings & { isDefault: boolean }) | null
  etag: string | null
  onClose: () => void
}
const NEW: GroupSettings = {
  name: '',
  description: '',
  selector: '',
  config: null,
  mergePatch: {},
  forgetAfterHours: null,
}

function GroupForm({ before, etag, onClose }: FormProps) {
  const client = useQueryClient()
  const configs = useQuery(configNamesQuery)
  const from = before ?? NEW
  const [given, setGiven] = useState(from)
  const [patchText, setPatchText] = useState(JSON.stringify(from.mergePatch, null, 2))
  const [hoursText, setHoursText] = useState(from.forgetAfterHours?.toString() ?? '')
  const set = (change: Partial<GroupSettings>) => setGiven({ ...given, ...change })
  const patch = parseOverride(patchText)
  const hours = parseHours(hoursText)
  const { name, description, selector, config } = given
  const mergePatch = patch.ok ? patch.mergePatch : from.mergePatch
  const forgetAfterHours = hours.ok ? hours.hours : from.forgetAfterHours
  const settings = { name, description, selector, config, mergePatch, forgetAfterHours }
  const wrongName = before === null && !NAME.test(name)
  const isWhole = !wrongName && patch.ok && hours.ok
  const { impact, refused } = useImpact(isWhole ? { settings, etag } : null, askGroupImpact)
  const save = useMutation({
    ...saveGroupMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: groupsQuery.queryKey.slice(0, 1) })
      await client.invalidateQueries({ queryKey: ['nodes'] })
      onClose()
    },
  })
  const wrongSelector = refused?.code === 'selector_invalid' ? refused.message : null
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate({ settings, etag })
  }
  const blockedBy =
    (wrongName ? t('Give it a name first: small letters, digits, dots and dashes.') : null) ??
    (patch.ok ? null : t('Fix the JSON first.')) ??
    (hours.ok ? null : t('Fix the hours first.')) ??
    refused?.message ??
    (impact === undefined ? t('Finding out what this would do…') : null)
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      {before === null && (
        <TextInput
          label={t('Name')}
          value={name}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
          spellCheck={false}
          data-autofocus
        />
      )}
      <TextInput
        label={t('Description (optional)')}
        value={description}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
      />
      <TextInput
        label={t('Selector')}
        description={
          before?.isDefault
            ? t('The default group takes every node that no other group takes')
            : t('Which labels its nodes have, as in zone=eu,tier in (edge, core),!canary')
        }
        value={selector}
        disabled={before?.isDefault ?? false}
        onChange={({ currentTarget: { value } }) => set({ selector: value })}
        error={wrongSelector}
        spellCheck={false}
      />
      <NativeSelect
        label={t('Config')}
        description={t(
          'What its nodes get. A config that is a group’s own goes to no other nodes.',
        )}
        value={config ?? ''}
        onChange={({ currentTarget: { value } }) => set({ config: value === '' ? null : value })}
        data={[
          { value: '', label: t('None of its own: what is rolled out to all others') },
          ...(configs.data ?? []).map((one) => ({ value: one, label: one })),
        ]}
      />
      <Textarea
        label={t('Override')}
        description={t('What differs on its nodes: merged over the version’s document (RFC 7396)')}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
        value={patchText}
        onChange={({ currentTarget: { value } }) => setPatchText(value)}
        error={patch.ok ? null : patch.message}
      />
      <TextInput
        label={t('Forget nodes after hours (optional)')}
        description={t(
          'A node that was away this long is removed automatically; empty: never. A shorter time of its token takes precedence.',
        )}
        inputMode="numeric"
        value={hoursText}
        onChange={({ currentTarget: { value } }) => setHoursText(value)}
        error={hours.ok ? null : hours.message}
      />
      {impact !== undefined && <ImpactPanel impact={impact} />}
      {refused !== null && wrongSelector === null && (
        <ErrorBox what={t('This cannot be saved')} error={refused} />
      )}
      {save.isError && <ErrorBox what={t('The group was not saved')} error={save.error} />}
      <DialogActions>
        <ActionButton type="submit" loading={save.isPending} blockedBy={blockedBy}>
          {t('Save group')}
        </ActionButton>
      </DialogActions>
    </form>
  )
}
