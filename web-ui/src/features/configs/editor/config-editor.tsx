// SPDX-License-Identifier: MIT
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, historyKeymap } from '@codemirror/commands'
import { indentOnInput } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
} from '@codemirror/view'
import { useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import classes from '../../../components/code/code.module.css'
import { readingExtensions, revealPlace, showPlace } from '../../../components/code/code-view.tsx'
import type { Place } from '../../../components/code/positions.ts'
import type { Problem } from '../problems.ts'
import type { SchemaNode } from '../schema-walk.ts'
import { completeConfig, configHover } from './complete.ts'
import { type DraftDocument, isOwn } from './draft-document.ts'

export type ConfigEditorHandle = {
  show: (place: Place) => void
  /** Leaves the focus where it is. */
  reveal: (place: Place) => void
}
export type ConfigEditorProps = {
  ref?: React.Ref<ConfigEditorHandle>
  draft: DraftDocument
  label: string
  readOnly: boolean
  schema: SchemaNode | null
  problems: readonly Problem[]
  place: Place
  onChange: (text: string) => void
}

export function ConfigEditor(props: ConfigEditorProps) {
  const { draft, label, readOnly, schema, problems, place } = props
  const host = useRef<HTMLDivElement>(null)
  const viewRef = useRef<EditorView | null>(null)
  const schemaPart = useRef(new Compartment())
  const onChange = useEffectEvent(props.onChange)

  useLayoutEffect(() => {
    if (host.current === null) return
    const view = draft.open(host.current, [
      readingExtensions,
      indentOnInput(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      lintGutter(),
      EditorState.tabSize.of(2),
      EditorState.readOnly.of(readOnly),
      schemaPart.current.of([]),
      keymap.of([
        { key: 'F8', run: nextDiagnostic },
        { key: 'Shift-F8', run: previousDiagnostic },
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      EditorView.contentAttributes.of({
        'aria-label': label,
        'aria-multiline': 'true',
        tabindex: '0',
      }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || !update.transactions.some(isOwn)) return
        // At once: a render that lags behind the typing would put an older text back.
        flushSync(() => onChange(draft.text()))
      }),
    ])
    viewRef.current = view
    return () => {
      draft.close()
      viewRef.current = null
    }
  }, [draft, label, readOnly])

  useEffect(() => {
    viewRef.current?.dispatch({
      effects: schemaPart.current.reconfigure([
        autocompletion({ override: [completeConfig(schema)], icons: false }),
        configHover(schema),
      ]),
    })
  }, [schema])

  useEffect(() => {
    const view = viewRef.current
    if (view === null) return
    const { length } = view.state.doc
    const diagnostics = problems.map(({ from, to, message, hint }) => ({
      from: Math.min(from, length),
      to: Math.min(Math.max(from, to), length),
      severity: 'error' as const,
      message: hint === '' ? message : `${message} ${hint}`,
    }))
    view.dispatch(setDiagnostics(view.state, diagnostics))
  }, [problems])

  useEffect(() => {
    if (viewRef.current !== null) showPlace(viewRef.current, place)
  }, [place])

  useImperativeHandle(props.ref, () => ({
    show: (target) => {
      if (viewRef.current !== null) showPlace(viewRef.current, target)
    },
    reveal: (target) => {
      if (viewRef.current !== null) revealPlace(viewRef.current, target)
    },
  }))

  return <div ref={host} className={classes.code} />
}
