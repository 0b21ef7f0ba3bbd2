// SPDX-License-Identifier: MIT
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import type { Session } from '../../../lib/api-types.ts'
import { may } from '../../../lib/permissions.ts'
import { NodeField } from './node-field.tsx'
import classes from './requests.module.css'
import {
  DEFAULT_SECONDS,
  durations,
  type RequestsSearch,
  secondsOf,
  type TextName,
  type Wrong,
} from './search.ts'

type Props = {
  search: RequestsSearch
  wrong: Wrong
  session: Session
  onSearch: (search: RequestsSearch) => void
}

type Field = { name: TextName; label: string; placeholder: string }

const fields: readonly Field[] = [
  { name: 'nodes', label: 'Nodes with labels', placeholder: 'All nodes, or zone=eu' },
  { name: 'config', label: 'Running config', placeholder: 'Any' },
  { name: 'site', label: 'Site', placeholder: 'Any, or one of its hosts' },
  { name: 'host', label: 'Host asked for', placeholder: 'A part of it' },
  { name: 'path', label: 'Path', placeholder: '/begins-so, or a part' },
  { name: 'method', label: 'Method', placeholder: 'Any, or GET' },
  { name: 'status', label: 'Status', placeholder: 'Any, 404, 5xx, 400-403' },
  { name: 'slower', label: 'Milliseconds at least', placeholder: '0' },
  { name: 'bytes', label: 'Bytes sent at least', placeholder: '0' },
]
const clientField: Field = {
  name: 'client',
  label: 'Client',
  placeholder: '203.0.113.7 or 203.0.113.0/24',
}

/** All that is said must hold. */
export function SearchFields({ search, wrong, session, onSearch }: Props) {
  const seesClients = may(session, 'requests:clients')
  const shown = seesClients ? [...fields, clientField] : fields
  return (
    <div className={classes.fields}>
      {shown.map(({ name, label, placeholder }) =>
        name === 'nodes' && search.node !== undefined ? (
          <NodeField
            key={name}
            id={search.node}
            onAll={() => onSearch({ ...search, node: undefined })}
          />
        ) : (
          <TextInput
            key={name}
            size="xs"
            label={label}
            placeholder={placeholder}
            spellCheck={false}
            autoCapitalize="off"
            value={search[name] ?? ''}
            error={wrong[name]}
            onChange={({ currentTarget: { value } }) =>
              onSearch({ ...search, [name]: value === '' ? undefined : value })
            }
          />
        ),
      )}
      <NativeSelect
        size="xs"
        label="For"
        value={String(search.seconds ?? DEFAULT_SECONDS)}
        onChange={({ currentTarget: { value } }) => {
          const seconds = secondsOf(value)
          onSearch({ ...search, seconds: seconds === DEFAULT_SECONDS ? undefined : seconds })
        }}
        data={Object.entries(durations).map(([value, label]) => ({ value, label }))}
      />
      {seesClients && (
        <Checkbox
          size="xs"
          className={classes.check ?? ''}
          label="Show who asked"
          checked={search.clients ?? false}
          onChange={({ currentTarget: { checked } }) =>
            onSearch({ ...search, clients: checked ? true : undefined })
          }
        />
      )}
    </div>
  )
}
