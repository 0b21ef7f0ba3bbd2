// SPDX-License-Identifier: MIT

import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SavedViews } from '../../components/saved-views.tsx'
import { t } from '../../languages/t.ts'
import type { FarmSummary } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { choicesWith, orderValue } from './farm-order.ts'
import classes from './farm-screen.module.css'
import { type FarmSearch, parseFarmSearch } from './farm-search.ts'
import { syncStates, syncVerdict } from './rules.ts'

export type FarmFilterProps = {
  /** Of the whole farm; undefined: not known yet. */
  counts: FarmSummary['nodes'] | undefined
  groups: readonly string[]
  /** How many the filter leaves. */
  listed: number
  search: FarmSearch
  onSearch: (search: FarmSearch) => void
  selectorError: string | null
  /** Where no column heads are. */
  withOrder: boolean
}

export function FarmFilter(props: FarmFilterProps) {
  const { counts, groups, search, onSearch, selectorError } = props
  const { q, state, group, cordoned } = search
  const orders = choicesWith(search, props.listed)
  return (
    <>
      <TextInput
        size="xs"
        aria-label={t('Find nodes by name, host or label')}
        placeholder={t('Name, host or label')}
        value={q ?? ''}
        maxLength={200}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, q: value === '' ? undefined : value })
        }
      />
      <NativeSelect
        size="xs"
        aria-label={t('Filter by state')}
        value={state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, state: syncStates.find((one) => one === value) })
        }
        data={[
          { value: '', label: counted(t('All states'), counts?.total) },
          ...syncStates.map((one) => ({
            value: one,
            label: counted(syncVerdict[one].label, counts?.byState[one]),
          })),
        ]}
      />
      <NativeSelect
        size="xs"
        aria-label={t('Filter by group')}
        value={group ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, group: value === '' ? undefined : value })
        }
        data={[{ value: '', label: t('All groups') }, ...groupOptions(groups, group)]}
      />
      {((counts && counts.cordoned > 0) || cordoned) && (
        <Checkbox
          size="xs"
          label={counted(t('Cordoned'), counts?.cordoned)}
          checked={cordoned ?? false}
          onChange={({ currentTarget: { checked } }) =>
            onSearch({ ...search, cordoned: checked || undefined })
          }
        />
      )}
      <SavedViews list="nodes" search={search} read={parseFarmSearch} onSearch={onSearch} />
      {!props.withOrder && <ColumnsMenu search={search} onSearch={onSearch} />}
      {props.withOrder && (
        <NativeSelect
          size="xs"
          aria-label={t('Order')}
          value={orderValue(search)}
          onChange={({ currentTarget: { value } }) =>
            onSearch({
              ...search,
              ...orders.find((one) => one.value === value)?.order,
            })
          }
          data={orders.map(({ value, label, disabled }) => ({ value, label, disabled }))}
        />
      )}
      <SelectorField
        key={search.selector}
        search={search}
        onSearch={onSearch}
        error={selectorError}
      />
    </>
  )
}

type SelectorFieldProps = Pick<FarmFilterProps, 'search' | 'onSearch'> & { error: string | null }

/** Asked for when it is whole: half a selector is an error. */
function SelectorField({ search, onSearch, error }: SelectorFieldProps) {
  const [given, setGiven] = useState(search.selector ?? '')
  const apply = () => {
    const selector = given.trim() === '' ? undefined : given.trim()
    if (selector !== search.selector) onSearch({ ...search, selector })
  }
  return (
    <TextInput
      className={classes.selector}
      size="xs"
      aria-label={t('Filter by a label selector, then press Enter')}
      placeholder={t('zone=eu,!canary')}
      spellCheck={false}
      value={given}
      onChange={({ currentTarget: { value } }) => setGiven(value)}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply()
      }}
      error={error}
    />
  )
}

const counted = (words: string, count: number | undefined) =>
  count === undefined ? words : `${words} (${formatCount(count)})`

/** The one in the address may be gone, or not known yet. */
const groupOptions = (groups: readonly string[], chosen: string | undefined) =>
  [...new Set([...groups, ...(chosen ? [chosen] : [])])].toSorted()
