// SPDX-License-Identifier: MIT
// A node, found by a part of its name. What is kept is its id; what is shown is its name.

import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../languages/t.ts'
import { nodeNameQuery, nodesNamedQuery } from '../lib/name-queries.ts'
import { SearchSelect } from './search-select.tsx'

const TYPING_MS = 250

type Props = {
  label: string
  isLabelHidden?: true
  size?: 'xs'
  /** '': none is chosen yet. */
  id: string
  /** Stands behind the name, as what else was chosen of it. */
  suffix?: string
  error?: string | undefined
  onChange: (id: string) => void
}

export function NodeSelect({ id, suffix = '', onChange, ...field }: Props) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const found = useQuery(nodesNamedQuery(part))
  const name = useQuery({ ...nodeNameQuery(id), enabled: id !== '' })
  const named = name.isError ? t('a node that is gone') : (name.data ?? '…')
  // With more to say of it than its name it is none of the list.
  const value = `${id}${suffix}`
  return (
    <SearchSelect
      {...field}
      value={{ value, label: id === '' ? t('Choose one') : `${named}${suffix}` }}
      choices={(found.data?.items ?? []).map((node) => ({ value: node.id, label: node.name }))}
      onSearch={setTyped}
      onChange={(chosen) => chosen !== value && onChange(chosen)}
      none={t('No node of that name')}
    />
  )
}
