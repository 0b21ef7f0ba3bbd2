// SPDX-License-Identifier: MIT
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Node, SyncState } from '../../lib/api-types.ts'
import { choicesWith, orderValue } from './farm-order.ts'
import classes from './farm-screen.module.css'
import type { FarmSearch } from './farm-search.ts'
import { syncStates, syncVerdict } from './rules.ts'

export type FarmFilterProps = {
  all: readonly Node[]
  search: FarmSearch
  onSearch: (search: FarmSearch) => void
  selectorError: string | null
  /** Where no column heads are. */
  withOrder: boolean
}

export function FarmFilter(props: FarmFilterProps) {
  const { all, search, onSearch, selectorError } = props
  const { q, state, group, cordoned } = search
  const cordonedNodes = all.filter(({ cordon }) => cordon !== null).length
  return (
    <>
      <TextInput
        size="xs"
        aria-label="Find nodes by name, host or label"
        placeholder="Name, host or label"
        value={q ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, q: value === '' ? undefined : value })
        }
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by state"
        value={state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, state: syncStates.find((one) => one === value) })
        }
        data={[
          { value: '', label: `All states (${all.length})` },
          ...syncStates.map((one) => ({ value: one, label: stateOption(all, one) })),
        ]}
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by group"
        value={group ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, group: value === '' ? undefined : value })
        }
        data={[{ value: '', label: 'All groups' }, ...groupOptions(all, group)]}
      />
      {(cordonedNodes > 0 || cordoned) && (
        <Checkbox
          size="xs"
          label={`Cordoned (${cordonedNodes})`}
          checked={cordoned ?? false}
          onChange={({ currentTarget: { checked } }) =>
            onSearch({ ...search, cordoned: checked || undefined })
          }
        />
      )}
      {props.withOrder && (
        <NativeSelect
          size="xs"
          aria-label="Order"
          value={orderValue(search)}
          onChange={({ currentTarget: { value } }) =>
            onSearch({
              ...search,
              ...choicesWith(search).find((one) => one.value === value)?.order,
            })
          }
          data={choicesWith(search).map(({ value, label }) => ({ value, label }))}
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
      aria-label="Filter by a label selector, then press Enter"
      placeholder="zone=eu,!canary"
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

function stateOption(all: readonly Node[], state: SyncState): string {
  return `${syncVerdict[state].label} (${all.filter((node) => node.sync.state === state).length})`
}

/** Those that have nodes, and the one in the address. */
function groupOptions(all: readonly Node[], chosen: string | undefined) {
  const groups = new Set([...all.map(({ group }) => group), ...(chosen ? [chosen] : [])])
  return [...groups].toSorted().map((name) => {
    const nodes = all.filter((node) => node.group === name).length
    return { value: name, label: `${name} (${nodes})` }
  })
}
