// SPDX-License-Identifier: MIT
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import classes from './audit.module.css'
import { auditKinds } from './rules.ts'
import { type AuditSearch, parseAuditSearch } from './search.ts'

type Props = { search: AuditSearch; onSearch: (search: AuditSearch) => void }

const byWhom = [
  { value: 'people', label: 'People and programs' },
  { value: 'nodes', label: 'Nodes' },
  { value: 'service', label: 'The control plane' },
  { value: 'all', label: 'Everybody' },
]
const kinds = [{ value: '', label: 'Everything' }, ...auditKinds]

const fields = [
  { name: 'actor', label: 'Who', placeholder: 'ana' },
  { name: 'action', label: 'Action', placeholder: 'draft-changed' },
  { name: 'object', label: 'Id of the thing', placeholder: 'node_…' },
  { name: 'q', label: 'In the details', placeholder: 'any text' },
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
    <form className={classes.filters} onSubmit={handleSubmit} aria-label="Filters">
      <NativeSelect
        label="Done by"
        data={byWhom}
        value={typed.by ?? 'people'}
        onChange={({ currentTarget: { value } }) =>
          apply(change({ by: parseAuditSearch({ by: value }).by }))
        }
      />
      <NativeSelect
        label="To"
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
          label={name === 'from' ? 'From' : 'Before'}
          value={typed[name] ?? ''}
          onChange={({ currentTarget: { value } }) => change({ [name]: value })}
        />
      ))}
      <Checkbox
        label="Each change of a draft"
        checked={typed.drafts ?? false}
        onChange={({ currentTarget: { checked } }) =>
          apply(change({ drafts: checked ? true : undefined }))
        }
      />
      <div className={classes.buttons}>
        <Button type="submit">Show</Button>
        <Button
          variant="default"
          onClick={() => {
            setTyped({})
            onSearch({})
          }}
        >
          Clear
        </Button>
      </div>
    </form>
  )
}
