// SPDX-License-Identifier: MIT
// The config as a form: the other view of the same text. Built from the node's schema alone.

import { Button } from '@mantine/core'
import {
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../languages/t.ts'
import type { Problem } from '../problems.ts'
import { type SchemaNode, schemaAt } from '../schema-walk.ts'
import type { SchemaTrouble } from '../use-problems.ts'
import { FindOption } from './find-option.tsx'
import classes from './form.module.css'
import {
  FormContext,
  type FormState,
  fieldSelector,
  isWithin,
  type Reading,
  readText,
} from './form-state.ts'
import { OptionFields, Sites } from './option-fields.tsx'
import { foldsOver } from './order.ts'

const BEGINNING = '{\n  "sites": []\n}\n'

/** Steps back and forth; null: there are none. */
export type Past = { undo: (() => void) | null; redo: (() => void) | null }
/** Whether the form could show it: what is wrong with the whole text has no field. */
export type ConfigFormHandle = { show: (pointer: string) => boolean }
export type ConfigFormProps = {
  ref?: React.Ref<ConfigFormHandle>
  text: string
  label: string
  readOnly: boolean
  schema: SchemaNode | null
  schemaTrouble: SchemaTrouble | null
  problems: readonly Problem[]
  /** The history that the text view has, too. */
  past: Past
  /** What the address leads to. */
  place?: string | undefined
  onChange: (text: string) => void
  onShowInText: (pointer: string) => void
  /** One works on this option now. */
  onReach?: ((pointer: string) => void) | undefined
}

export function ConfigForm(props: ConfigFormProps) {
  const { text, label, readOnly, schema, schemaTrouble, problems, past } = props
  const { onChange, onShowInText, onReach } = props
  const reading = readText(text)
  const root = useRef<HTMLFieldSetElement>(null)
  const [open, setOpen] = useState(() => firstOpen(reading))
  const [wanted, setWanted] = useState<readonly string[]>([])
  const [said, setSaid] = useState('')
  // Two changes of one event, as a blur and a click are, build on each other.
  const latest = useRef(text)
  useEffect(() => {
    latest.current = text
  }, [text])
  useEffect(() => {
    if (wanted.length === 0) return
    setWanted([])
    const found = wanted.map((selector) => root.current?.querySelector<HTMLElement>(selector))
    found.find((one) => one != null)?.focus()
  }, [wanted])
  const show = (pointer: string) => {
    if (!reading.ok || schema === null || pointer === '') return false
    const folds = foldsOver(pointer, schema, reading.value, problems)
    setOpen((now) => new Set([...now, ...outerPointers(pointer), ...folds]))
    setWanted(outerPointers(pointer).toReversed().map(fieldSelector))
    return true
  }
  useImperativeHandle(props.ref, () => ({ show }))
  const { place } = props
  const isReady = reading.ok && schema !== null
  const showPlace = useEffectEvent(show)
  useEffect(() => {
    if (isReady && place !== undefined) showPlace(place)
  }, [isReady, place])
  const showText = (
    <Button size="xs" variant="default" onClick={() => onShowInText('')}>
      {t('Show the text')}
    </Button>
  )
  if (schemaTrouble !== null) {
    return (
      <div className={classes.form}>
        <ErrorBox what={t('The node’s schema, which the form is made from')} {...schemaTrouble} />
      </div>
    )
  }
  if (schema === null) {
    return (
      <NoForm tone="info" title={t('The form waits for the node’s schema.')} action={showText}>
        {t('The text can be edited.')}
      </NoForm>
    )
  }
  if (text.trim() === '' && !readOnly) {
    return (
      <NoForm
        tone="info"
        title={t('There is no text yet.')}
        action={
          <Button size="xs" onClick={() => onChange(BEGINNING)}>
            {t('Begin a config')}
          </Button>
        }
      >
        {t('The form then says what a config must have.')}
      </NoForm>
    )
  }
  if (!reading.ok) {
    return (
      <NoForm tone="warn" title={reading.why} action={showText}>
        {t('Fix it as text, and the form shows it again.')}
      </NoForm>
    )
  }
  const state: FormState = {
    schema,
    problems,
    readOnly,
    edit: (change) => {
      const next = change(latest.current)
      if (next === latest.current) return
      latest.current = next
      onChange(next)
    },
    isOpen: (pointer) => open.has(pointer),
    setOpen: (pointer, isOpen) =>
      setOpen((now) => {
        const next = new Set(now)
        if (isOpen) next.add(pointer)
        else next.delete(pointer)
        return next
      }),
    renumber: (list, newIndex) => setOpen((now) => renumbered(now, list, newIndex)),
    focusLater: (selector) => setWanted([selector]),
    announce: setSaid,
    showInText: onShowInText,
  }
  const sites = schemaAt(schema, ['sites'])
  return (
    <FormContext value={state}>
      <fieldset
        ref={root}
        className={classes.form}
        aria-label={label}
        onFocus={({ target }) => {
          const field = target.closest<HTMLElement>('[data-field]')?.dataset.field
          if (field !== undefined) onReach?.(field)
        }}
        onKeyDown={(event) => {
          if (!readOnly) stepByKey(event, past)
        }}
      >
        <div className={classes.formHead}>
          <FindOption schema={schema} value={reading.value} onFind={show} announce={setSaid} />
          {!readOnly && <Steps past={past} />}
        </div>
        <p className="dim">
          {t('Each change here edits only its part of the text. An empty field means the default.')}
        </p>
        {sites !== null && <Sites schema={sites} value={reading.value.sites} level={2} />}
        <section className={classes.part}>
          <h2>{t('Node')}</h2>
          <p className={classes.help}>
            {t('What holds for the whole node, whichever site is asked for.')}
          </p>
          <OptionFields path={[]} schema={schema} value={reading.value} level={3} />
        </section>
        <span role="status" className="visually-hidden">
          {said}
        </span>
      </fieldset>
    </FormContext>
  )
}

type NoFormProps = {
  tone: 'info' | 'warn'
  title: string
  action: React.ReactNode
  children: string
}

function NoForm(props: NoFormProps) {
  return (
    <div className={classes.form}>
      <Notice {...props} />
    </div>
  )
}

/** The browser's own undo knows one field, and brings back there what the text has no more. */
function stepByKey(event: KeyboardEvent, { undo, redo }: Past): void {
  // What is looked for is no part of the text.
  if (event.target instanceof HTMLInputElement && event.target.type === 'search') return
  const key = event.key.toLowerCase()
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== 'z' && key !== 'y')) return
  event.preventDefault()
  if (key === 'y' || event.shiftKey) redo?.()
  else undo?.()
}

function Steps({ past: { undo, redo } }: { past: Past }) {
  return (
    <Button.Group>
      <Button size="compact-xs" variant="default" disabled={undo === null} onClick={() => undo?.()}>
        {t('Undo')}
      </Button>
      <Button size="compact-xs" variant="default" disabled={redo === null} onClick={() => redo?.()}>
        {t('Redo')}
      </Button>
    </Button.Group>
  )
}

/** The sites are what one comes for; a single one is shown at once. */
function firstOpen(reading: Reading): ReadonlySet<string> {
  const sites = reading.ok ? reading.value.sites : undefined
  return new Set(Array.isArray(sites) && sites.length === 1 ? ['/sites/0'] : [])
}

const outerPointers = (pointer: string) => {
  const keys = pointer.split('/')
  return keys.map((_, index) => keys.slice(0, index + 1).join('/')).filter((one) => one !== '')
}

function renumbered(
  open: ReadonlySet<string>,
  list: string,
  newIndex: (index: number) => number | null,
): ReadonlySet<string> {
  const next = new Set<string>()
  for (const pointer of open) {
    if (pointer === list || !isWithin(pointer, list)) {
      next.add(pointer)
      continue
    }
    const [index = '', ...rest] = pointer.slice(list.length + 1).split('/')
    const now = newIndex(Number(index))
    if (now !== null) next.add([list, now, ...rest].join('/'))
  }
  return next
}
