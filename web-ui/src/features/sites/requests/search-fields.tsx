// SPDX-License-Identifier: MIT

import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { t } from '../../../languages/t.ts'
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
  { name: 'nodes', label: t('Nodes with labels'), placeholder: t('All nodes, or zone=eu') },
  { name: 'config', label: t('Running config'), placeholder: t('Any') },
  { name: 'site', label: t('Site'), placeholder: t('Any, or one of its hosts') },
  { name: 'host', label: t('Host asked for'), placeholder: t('A part of it') },
  { name: 'path', label: t('Path'), placeholder: t('/begins-so, or a part') },
  { name: 'method', label: t('Method'), placeholder: t('Any, or GET') },
  { name: 'status', label: t('Status'), placeholder: t('Any, 404, 5xx, 400-403') },
  { name: 'slower', label: t('Milliseconds at least'), placeholder: '0' },
  { name: 'bytes', label: t('Bytes sent at least'), placeholder: '0' },
]
const clientField: Field = {
  name: 'client',
  label: t('Client'),
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
        label={t('For')}
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
          label={t('Show who asked')}
          checked={search.clients ?? false}
          onChange={({ currentTarget: { checked } }) =>
            onSearch({ ...search, clients: checked ? true : undefined })
          }
        />
      )}
    </div>
  )
}
