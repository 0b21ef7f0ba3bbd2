// SPDX-License-Identifier: MIT
import { Select } from '@mantine/core'

export type Choice = { value: string; label: string }

type Props = {
  label: string
  /** What it is goes without saying, but not for who can't see it. */
  isLabelHidden?: true
  description?: string
  size?: 'xs'
  error?: string | undefined
  value: Choice
  /** What the server found of what was typed, and what can always be chosen. */
  choices: readonly Choice[]
  /** What was typed; '': nothing is looked for. */
  onSearch: (typed: string) => void
  onChange: (value: string) => void
  none: string
}

/** One of more than a menu could hold: what is typed is looked for where all of them are. */
export function SearchSelect(props: Props) {
  const { label, isLabelHidden, description, size, error } = props
  const { value, choices, onSearch, onChange, none } = props
  const isListed = choices.some((choice) => choice.value === value.value)
  return (
    <Select
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      {...(description !== undefined && { description })}
      {...(size && { size })}
      error={error}
      value={value.value}
      data={isListed ? [...choices] : [value, ...choices]}
      // What was chosen stands in the field as if it had been typed.
      onSearchChange={(typed) => onSearch(typed === value.label ? '' : typed.trim())}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
      // What does not fit was left out by the server.
      filter={({ options }) => options}
      nothingFoundMessage={none}
      searchable
      allowDeselect={false}
      spellCheck={false}
      comboboxProps={{ withinPortal: false }}
      maxDropdownHeight={320}
    />
  )
}
