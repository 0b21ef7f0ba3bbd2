// SPDX-License-Identifier: MIT

import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SavedViews } from '../../components/saved-views.tsx'
import { type Choice, SearchSelect } from '../../components/search-select.tsx'
import { t } from '../../languages/t.ts'
import { configsNamedQuery } from './api.ts'
import classes from './rollouts.module.css'
import { rolloutStates, rolloutVerdict } from './rules.ts'
import { parseRolloutsSearch, type RolloutsSearch } from './search.ts'

type Props = { search: RolloutsSearch; onSearch: (search: RolloutsSearch) => void }

const states = rolloutStates.map((value) => ({ value, label: rolloutVerdict[value].label }))
const TYPING_MS = 250

export function RolloutFilters({ search, onSearch }: Props) {
  return (
    <div className={classes.filters}>
      <NativeSelect
        size="xs"
        label={t('State')}
        value={search.state ?? ''}
        data={[{ value: '', label: t('any') }, ...states]}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, state: rolloutStates.find((one) => one === value) })
        }
      />
      <ConfigField
        config={search.config ?? ''}
        onConfig={(config) => onSearch({ ...search, config: config || undefined })}
      />
      <TextInput
        size="xs"
        label={t('By')}
        value={search.author ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, author: value || undefined })
        }
        spellCheck={false}
      />
      <SavedViews list="rollouts" search={search} read={parseRolloutsSearch} onSearch={onSearch} />
    </div>
  )
}

const ANY: Choice = { value: '', label: t('any') }

function ConfigField({ config, onConfig }: { config: string; onConfig: (name: string) => void }) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const names = useQuery(configsNamedQuery(part)).data ?? []
  return (
    <SearchSelect
      size="xs"
      label={t('Config')}
      value={config === '' ? ANY : { value: config, label: config }}
      choices={[ANY, ...names.map((name) => ({ value: name, label: name }))]}
      onSearch={setTyped}
      onChange={onConfig}
      none={t('No config of that name')}
    />
  )
}
