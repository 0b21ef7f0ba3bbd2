// SPDX-License-Identifier: MIT

import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../../languages/t.ts'
import { groupNamesQuery } from '../../../lib/name-queries.ts'
import type { BulkKind, Fields } from './rules.ts'

type Props = {
  kind: BulkKind
  fields: Fields
  disabled: boolean
  onChange: (fields: Fields) => void
}

export function BulkFields({ kind, fields, disabled, onChange }: Props) {
  const groups = useQuery({ ...groupNamesQuery, enabled: kind === 'move' })
  const field = (name: keyof Fields) => ({
    disabled,
    value: fields[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ ...fields, [name]: value }),
  })
  switch (kind) {
    case 'label':
      return (
        <>
          <TextInput
            label={t('Labels to set')}
            description={t('As in rack=b2 site=fra; other labels stay')}
            spellCheck={false}
            {...field('set')}
          />
          <TextInput
            label={t('Labels to remove')}
            description={t('Their names, as in rack')}
            spellCheck={false}
            {...field('remove')}
          />
        </>
      )
    case 'move':
      return (
        <NativeSelect
          label={t('Group')}
          description={t('The labels that its selector asks for are set, and no more')}
          data={[
            { value: '', label: t('Choose one') },
            ...(groups.data ?? []).map((name) => ({ value: name, label: name })),
          ]}
          {...field('group')}
        />
      )
    case 'cordon':
      return (
        <>
          <p>
            {t(
              'They go on serving what they have. Rollouts skip them, emergencies too, until they are uncordoned.',
            )}
          </p>
          <TextInput
            label={t('Why')}
            description={t('For others who see it; it is kept in the history')}
            maxLength={500}
            {...field('reason')}
          />
        </>
      )
    case 'uncordon':
      return <p>{t('The next rollout goes to them again. What they missed comes with it.')}</p>
    case 'decommission':
      return (
        <p>
          {t(
            'Their identities are worth nothing from then on, and they leave every list. Each goes on serving what it has until it is stopped on its machine, and must join again to come back.',
          )}
        </p>
      )
  }
}
