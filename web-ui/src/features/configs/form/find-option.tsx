// SPDX-License-Identifier: MIT
// Looks for an option while one types, and leads to it: with the mouse, or with the arrows and Enter.

import { Combobox, TextInput, useCombobox } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { t } from '../../../languages/t.ts'
import type { SchemaNode } from '../schema-walk.ts'
import { type FoundOption, find, optionsOf, sentenceWith } from './find.ts'
import classes from './form.module.css'

/** More than one reads; another word leaves fewer. */
const MOST_SHOWN = 20

type Props = {
  schema: SchemaNode
  value: Record<string, unknown>
  onFind: (pointer: string) => void
  announce: (words: string) => void
}

export function FindOption({ schema, value, onFind, announce }: Props) {
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<readonly FoundOption[]>([])
  const [isAsked, setAsked] = useState(false)
  const opened = isAsked && typed.trim() !== ''
  const combobox = useCombobox({ opened, onOpenedChange: setAsked })
  const shown = found.slice(0, MOST_SHOWN)
  const look = (words: string) => {
    const next = find(optionsOf(schema, value), words)
    setTyped(words)
    setFound(next)
    setAsked(true)
    combobox.resetSelectedOption()
    announce(
      words.trim() === ''
        ? ''
        : t('{next, plural, one {# option} other {# options}} found.', { next: next.length }),
    )
  }
  const leadTo = (pointer: string) => {
    look('')
    onFind(pointer)
  }
  /** Enter takes the first, unless the arrows have chosen another. */
  const takeFirst = (event: KeyboardEvent) => {
    const [first] = shown
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    if (first === undefined || combobox.getSelectedOptionIndex() !== -1) return
    // Else the same stroke presses the heading that has the focus by then, and closes it.
    event.preventDefault()
    leadTo(first.pointer)
  }
  return (
    <Combobox store={combobox} withinPortal={false} onOptionSubmit={leadTo}>
      <Combobox.Target withExpandedAttribute autoComplete="off">
        <TextInput
          type="search"
          aria-label={t('Find an option')}
          placeholder={t('Find an option')}
          className={classes.find ?? ''}
          leftSection={<IconSearch size={16} aria-hidden />}
          spellCheck={false}
          value={typed}
          onChange={(event) => look(event.currentTarget.value)}
          onFocus={() => look(typed)}
          onBlur={() => setAsked(false)}
          onKeyDown={takeFirst}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        {found.length === 0 ? (
          <Combobox.Empty>{t('No option has these words.')}</Combobox.Empty>
        ) : (
          <Combobox.Options aria-label={t('Options found')} className={classes.found ?? ''}>
            {shown.map((option) => (
              <Combobox.Option key={keyOf(option)} value={option.pointer}>
                <Found option={option} typed={typed} />
              </Combobox.Option>
            ))}
          </Combobox.Options>
        )}
        {found.length > MOST_SHOWN && (
          <Combobox.Footer>
            {t('{found} more have these words. Another word leaves fewer.', {
              found: found.length - MOST_SHOWN,
            })}
          </Combobox.Footer>
        )}
      </Combobox.Dropdown>
    </Combobox>
  )
}

const keyOf = ({ pointer, name }: FoundOption) => `${pointer} ${name}`

function Found({ option, typed }: { option: FoundOption; typed: string }) {
  return (
    <>
      <span className={classes.foundHead}>
        <strong>{option.title}</strong> <span>{option.within.join(' › ')}</span>{' '}
        {option.isSet && <span className={classes.isSet}>{t('set')}</span>}
      </span>
      <span className={classes.foundHelp}>{sentenceWith(option, typed)}</span>
    </>
  )
}
