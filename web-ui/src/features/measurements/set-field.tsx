// SPDX-License-Identifier: MIT

import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { NodeSelect } from '../../components/node-select.tsx'
import { t } from '../../languages/t.ts'
import { groupNamesQuery } from '../../lib/name-queries.ts'
import { configChoicesQuery, versionChoicesQuery } from './api.ts'
import classes from './measurements.module.css'
import { FARM, kindOf, kinds, type SetKind } from './sets.ts'

type Props = { label: string; of: string; onOf: (of: string) => void }

/** Whose measurements: first of what kind, then which of that kind. */
export function SetField({ label, of, onOf }: Props) {
  const { kind, what } = kindOf(of)
  // A kind that was chosen, while nobody has said which of it.
  const [chosen, setChosen] = useState<SetKind | null>(null)
  const shown = chosen ?? kind
  const isOther = shown !== kind
  const choose = (next: string) => {
    setChosen(null)
    onOf(next)
  }
  const Which = fields[shown]
  return (
    <fieldset className={classes.set} aria-label={label}>
      <NativeSelect
        size="xs"
        aria-label={t('{label}: kind', { label })}
        value={shown}
        data={kinds.map(({ kind: value, label: text }) => ({ value, label: text }))}
        onChange={({ currentTarget: { value } }) => {
          const next = kindOf(value).kind
          if (next === FARM) choose(FARM)
          else setChosen(next)
        }}
      />
      {Which && (
        <Which
          key={shown}
          label={label}
          what={isOther ? '' : what}
          onWhat={(next) => choose(`${shown}:${next}`)}
        />
      )}
    </fieldset>
  )
}

type FieldProps = { label: string; what: string; onWhat: (what: string) => void }

/** One that nothing is chosen of yet says so. */
const withNone = (choices: readonly string[], what: string) => [
  ...(what === '' ? [{ value: '', label: t('Choose …') }] : []),
  ...(what === '' || choices.includes(what) ? [] : [what]),
  ...choices,
]

function GroupField({ label, what, onWhat }: FieldProps) {
  const { data = [] } = useQuery(groupNamesQuery)
  return (
    <NativeSelect
      size="xs"
      aria-label={t('{label}: group', { label })}
      value={what}
      data={withNone(data, what)}
      onChange={({ currentTarget: { value } }) => value !== '' && onWhat(value)}
    />
  )
}

function VersionField({ label, what, onWhat }: FieldProps) {
  const [, known = '', number = ''] = /^(.+)\/(\d+)$/.exec(what) ?? []
  const configs = useQuery(configChoicesQuery)
  const [picked, setPicked] = useState('')
  const config = picked || known || (configs.data?.[0] ?? '')
  const versions = useQuery({ ...versionChoicesQuery(config), enabled: config !== '' })
  const chosen = config === known ? number : ''
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('{label}: config', { label })}
        value={config}
        data={withNone(configs.data ?? [], config)}
        onChange={({ currentTarget: { value } }) => setPicked(value)}
      />
      <NativeSelect
        size="xs"
        aria-label={t('{label}: version', { label })}
        value={chosen}
        data={withNone((versions.data ?? []).map(String), chosen)}
        onChange={({ currentTarget: { value } }) => {
          if (value === '') return
          setPicked('')
          onWhat(`${config}/${value}`)
        }}
      />
    </>
  )
}

function NodeField({ label, what, onWhat }: FieldProps) {
  const [id = '', generation] = what.split('@')
  return (
    <NodeSelect
      size="xs"
      label={t('{label}: node', { label })}
      isLabelHidden
      id={id}
      suffix={generation === undefined ? '' : t(', generation {generation}', { generation })}
      onChange={onWhat}
    />
  )
}

/** Counts with Enter, or when one goes on; until then it is not what the address has. */
function SelectorField({ label, what, onWhat }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const apply = () => {
    const next = typed?.trim() ?? ''
    setTyped(null)
    if (next !== '' && next !== what) onWhat(next)
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    apply()
  }
  return (
    <form onSubmit={handleSubmit}>
      <TextInput
        size="xs"
        aria-label={t('{label}: labels', { label })}
        placeholder={t('zone=eu,!canary')}
        value={typed ?? what}
        maxLength={400}
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
        onBlur={apply}
      />
    </form>
  )
}

const fields: Record<SetKind, React.ComponentType<FieldProps> | null> = {
  farm: null,
  group: GroupField,
  version: VersionField,
  node: NodeField,
  nodes: SelectorField,
}
