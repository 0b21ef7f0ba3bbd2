// SPDX-License-Identifier: MIT
// Finds whatever the console has a page of while one types, and leads there: with the mouse, or with the arrows and Enter.

import { Combobox, TextInput, useCombobox, useMantineColorScheme } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { t } from '../../languages/t.ts'
import { toApiError } from '../../lib/api-error.ts'
import type { Session } from '../../lib/api-types.ts'
import { type Found, kindWords, type Section, sectionsOf } from './found.ts'
import { pagesAndActions } from './pages-found.ts'
import classes from './palette.module.css'
import { useFound } from './use-found.ts'

/** What the lists of the control plane take. */
const LONGEST = 63

export type PaletteProps = {
  session: Session
  typed: string
  onType: (typed: string) => void
  showKeys: () => void
  newConfig: () => void
  onClose: () => void
}

export function Palette(props: PaletteProps) {
  const { session, typed, onType, showKeys, newConfig, onClose } = props
  const navigate = useNavigate()
  const { setColorScheme: setScheme } = useMantineColorScheme()
  const atHand = pagesAndActions(session, { navigate, showKeys, newConfig, setScheme })
  const { found, isLooking, failed } = useFound(session, typed)
  const sections = sectionsOf([...atHand, ...found], typed)
  const shown = sections.flatMap(({ items }) => items)
  const combobox = useCombobox({ opened: true })
  const listId = useId()
  const keys = shown.map(({ key }) => key).join('\n')
  // An answer that comes late moves what the arrows have chosen: the choice stays with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines are other indexes
  useEffect(() => combobox.updateSelectedOptionIndex('selected'), [keys])
  const take = ({ open }: Found) => {
    onClose()
    open()
  }
  /** Enter takes the first, unless the arrows have chosen another. */
  const takeFirst = (event: KeyboardEvent) => {
    const [first] = shown
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    if (first === undefined || combobox.getSelectedOptionIndex() !== -1) return
    event.preventDefault()
    take(first)
  }
  return (
    <Dialog title={t('Find')} size="lg" isQuick onClose={onClose}>
      <Combobox
        store={combobox}
        onOptionSubmit={(key) => {
          const chosen = shown.find((one) => one.key === key)
          if (chosen) take(chosen)
        }}
      >
        {/* The kit knows its list only after the first drawing. */}
        <Combobox.EventsTarget
          withExpandedAttribute
          autoComplete="off"
          aria-expanded
          aria-controls={listId}
        >
          <TextInput
            type="search"
            aria-label={t('Find anything')}
            placeholder={t('A node, config, version, rollout, option, person, page or action')}
            leftSection={<IconSearch size={16} aria-hidden />}
            spellCheck={false}
            maxLength={LONGEST}
            value={typed}
            onChange={({ currentTarget: { value } }) => {
              onType(value)
              combobox.resetSelectedOption()
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose()
              takeFirst(event)
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options id={listId} aria-label={t('Found')} className={classes.list ?? ''}>
          {sections.map((section) => (
            <Sections key={section.kind} {...section} />
          ))}
        </Combobox.Options>
      </Combobox>
      <p role="status" className={classes.foot}>
        {footWords({ typed, shown: shown.length, isLooking })}
        {failed !== null &&
          t(' Not all was looked through: {message}', { message: toApiError(failed).message })}
      </p>
    </Dialog>
  )
}

function Sections({ kind, items, more }: Section) {
  return (
    <Combobox.Group label={kindWords[kind]}>
      {items.map(({ key, label, detail }) => (
        <Combobox.Option key={key} value={key}>
          <span className={classes.line}>
            <span>{label}</span> <span className={classes.detail}>{detail}</span>
          </span>
        </Combobox.Option>
      ))}
      {more > 0 && (
        <div className={classes.more} aria-hidden="true">
          {t('{more} more; another word leaves fewer', { more })}
        </div>
      )}
    </Combobox.Group>
  )
}

type Foot = { typed: string; shown: number; isLooking: boolean }

function footWords({ typed, shown, isLooking }: Foot): string {
  if (typed.trim() === '') return t('Arrows choose, Enter opens, Esc closes.')
  if (shown > 0)
    return isLooking
      ? t('{shown, plural, one {# thing} other {# things}} found, still looking.', { shown })
      : t('{shown, plural, one {# thing} other {# things}} found.', { shown })
  return isLooking ? t('Looking…') : t('Nothing has these words.')
}
