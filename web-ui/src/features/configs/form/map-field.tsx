// SPDX-License-Identifier: MIT
// An object whose keys its author chooses: MIME types by suffix, error pages by status.

import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { inSentence, t } from '../../../languages/t.ts'
import type { Path, SchemaNode } from '../schema-walk.ts'
import classes from './form.module.css'
import { removeValue, renameKey, setValue } from './form-edits.ts'
import { fieldSelector, pointerOf, problemsAt, problemWords, useForm } from './form-state.ts'
import { itemName } from './form-words.ts'

export type MapFieldProps = { name: string; path: Path; schema: SchemaNode; value: object }

const columns: Record<string, [key: string, value: string]> = {
  mimeTypes: [t('Suffix'), t('Type')],
  errorPages: [t('Status'), t('File')],
}

export function MapField({ name, path, value }: MapFieldProps) {
  const { readOnly } = useForm()
  const [keyLabel, valueLabel] = columns[name] ?? [t('Name'), t('Value')]
  const keys = Object.keys(value)
  return (
    <>
      {Object.entries(value).map(([key, one]) => (
        <Entry
          key={key}
          path={[...path, key]}
          value={one}
          labels={[
            t('{keyLabel} of {name}', { keyLabel, name: key }),
            t('{valueLabel} of {name}', { valueLabel, name: key }),
          ]}
          taken={keys}
        />
      ))}
      {!readOnly && (
        <NewEntry
          key={t('{keys, plural, one {# entry} other {# entries}}', { keys: keys.length })}
          path={path}
          labels={[keyLabel, valueLabel]}
          what={itemName(name)}
          taken={keys}
        />
      )}
    </>
  )
}

type EntryProps = {
  path: Path
  value: unknown
  labels: [key: string, value: string]
  taken: readonly string[]
}

function Entry({ path, value, labels, taken }: EntryProps) {
  const { problems, readOnly, edit, focusLater, announce } = useForm()
  const key = String(path.at(-1))
  const [name, setName] = useState(key)
  const pointer = pointerOf(path)
  const wrong = problemsAt(problems, pointer).map((problem) => problemWords(problem))
  const isTaken = name !== key && taken.includes(name)
  const rename = () => {
    if (isTaken || name === key) return
    edit((text) => renameKey(text, path, name))
  }
  return (
    <div className={classes.entry}>
      <TextInput
        label={labels[0]}
        value={name}
        spellCheck={false}
        readOnly={readOnly}
        error={isTaken ? t('There is one for {name} already.', { name }) : null}
        classNames={{ input: classes.input ?? '' }}
        onChange={(event) => setName(event.currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === 'Enter') rename()
        }}
      />
      <TextInput
        label={labels[1]}
        data-field={pointer}
        value={typeof value === 'string' ? value : JSON.stringify(value)}
        spellCheck={false}
        readOnly={readOnly}
        error={wrong.length === 0 ? null : wrong.join(' ')}
        classNames={{ input: classes.input ?? '' }}
        onChange={(event) => {
          const typed = event.currentTarget.value
          edit((text) => setValue(text, path, typed))
        }}
      />
      {!readOnly && (
        <ActionIcon
          variant="subtle"
          color="gray"
          mt={24}
          aria-label={t('Remove {name}', { name: key })}
          title={t('Remove {name}', { name: key })}
          onClick={() => {
            edit((text) => removeValue(text, path))
            focusLater(fieldSelector(pointerOf(path.slice(0, -1))))
            announce(t('{name} is removed.', { name: key }))
          }}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}

type NewEntryProps = {
  path: Path
  labels: [key: string, value: string]
  what: string
  taken: readonly string[]
}

function NewEntry({ path, labels, what, taken }: NewEntryProps) {
  const { edit, announce } = useForm()
  const [name, setName] = useState('')
  const [value, setValueTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const missing = name === '' ? t('Say the {labels}.', { labels: inSentence(labels[0]) }) : null
  const trouble = taken.includes(name) ? t('There is one for {name} already.', { name }) : missing
  const add = () => {
    setAsked(true)
    if (trouble !== null) return
    edit((text) => setValue(text, [...path, name], value))
    announce(t('{name} is added.', { name }))
  }
  return (
    <div className={classes.entry}>
      <TextInput
        label={t('New {labels}', { labels: inSentence(labels[0]) })}
        value={name}
        spellCheck={false}
        error={asked ? trouble : null}
        classNames={{ input: classes.input ?? '' }}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={labels[1]}
        aria-label={t('{labels} of the new {labels2}', {
          labels: labels[1],
          labels2: inSentence(labels[0]),
        })}
        value={value}
        spellCheck={false}
        classNames={{ input: classes.input ?? '' }}
        onChange={(event) => setValueTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add()
        }}
      />
      <Button variant="default" mt={20} aria-label={t('Add {what}', { what })} onClick={add}>
        {t('Add')}
      </Button>
    </div>
  )
}
