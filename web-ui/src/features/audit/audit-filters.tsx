// SPDX-License-Identifier: MIT

import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { t } from '../../languages/t.ts'
import classes from './audit.module.css'
import { auditKinds } from './rules.ts'
import { type AuditSearch, parseAuditSearch } from './search.ts'

type Props = { search: AuditSearch; onSearch: (search: AuditSearch) => void }

const byWhom = [
  { value: 'people', label: t('People and programs') },
  { value: 'nodes', label: t('Nodes') },
  { value: 'service', label: t('The control plane') },
  { value: 'all', label: t('Everybody') },
]
const kinds = [{ value: '', label: t('Everything') }, ...auditKinds]

const fields = [
  { name: 'actor', label: t('Who'), placeholder: 'ana' },
  { name: 'action', label: t('Action'), placeholder: 'draft-changed' },
  { name: 'object', label: t('Id of the thing'), placeholder: 'node_…' },
  { name: 'q', label: t('In the details'), placeholder: t('any text') },
] as const

/** A choice counts at once; what is typed counts with Enter. */
export function AuditFilters({ search, onSearch }: Props) {
  const [typed, setTyped] = useState(search)
  const change = (part: AuditSearch) => {
    const next = { ...typed, ...part }
    setTyped(next)
    return next
  }
  const apply = (next: AuditSearch) => onSearch(parseAuditSearch(next))
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    apply(typed)
  }
  return (
    <form className={classes.filters} onSubmit={handleSubmit} aria-label={t('Filters')}>
      <NativeSelect
        label={t('Done by')}
        data={byWhom}
        value={typed.by ?? 'people'}
        onChange={({ currentTarget: { value } }) =>
          apply(change({ by: parseAuditSearch({ by: value }).by }))
        }
      />
      <NativeSelect
        label={t('To')}
        data={kinds}
        value={typed.kind ?? ''}
        onChange={({ currentTarget: { value } }) => apply(change({ kind: value || undefined }))}
      />
      {fields.map(({ name, label, placeholder }) => (
        <TextInput
          key={name}
          label={label}
          placeholder={placeholder}
          value={typed[name] ?? ''}
          maxLength={128}
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => change({ [name]: value })}
        />
      ))}
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type="datetime-local"
          label={name === 'from' ? t('From') : t('Before')}
          value={typed[name] ?? ''}
          onChange={({ currentTarget: { value } }) => change({ [name]: value })}
        />
      ))}
      <Checkbox
        label={t('Each change of a draft')}
        checked={typed.drafts ?? false}
        onChange={({ currentTarget: { checked } }) =>
          apply(change({ drafts: checked ? true : undefined }))
        }
      />
      <div className={classes.buttons}>
        <Button type="submit">{t('Show')}</Button>
        <Button
          variant="default"
          onClick={() => {
            setTyped({})
            onSearch({})
          }}
        >
          {t('Clear')}
        </Button>
      </div>
    </form>
  )
}
