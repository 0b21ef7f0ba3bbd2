// SPDX-License-Identifier: MIT
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { indentOnInput } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint'
import { Annotation, Compartment, EditorState } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
} from '@codemirror/view'
import { useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import classes from '../../../components/code/code.module.css'
import { readingExtensions, showPlace } from '../../../components/code/code-view.tsx'
import type { Place } from '../../../components/code/positions.ts'
import type { Problem } from '../problems.ts'
import type { SchemaNode } from '../schema-walk.ts'
import { completeConfig, configHover } from './complete.ts'

export type ConfigEditorHandle = { show: (place: Place) => void }
export type ConfigEditorProps = {
  ref?: React.Ref<ConfigEditorHandle>
  text: string
  label: string
  readOnly: boolean
  schema: SchemaNode | null
  problems: readonly Problem[]
  place: Place
  onChange: (text: string) => void
}

const fromOutside = Annotation.define<boolean>()

export function ConfigEditor(props: ConfigEditorProps) {
  const { text, label, readOnly, schema, problems, place } = props
  const host = useRef<HTMLDivElement>(null)
  const viewRef = useRef<EditorView | null>(null)
  const schemaPart = useRef(new Compartment())
  const onChange = useEffectEvent(props.onChange)
  const initialText = useEffectEvent(() => text)

  useLayoutEffect(() => {
    if (host.current === null) return
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: initialText(),
        extensions: [
          readingExtensions,
          history(),
          indentOnInput(),
          closeBrackets(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          lintGutter(),
          EditorState.tabSize.of(2),
          // The author's bytes are kept: what came with CR LF goes back with it.
          initialText().includes('\r\n') ? EditorState.lineSeparator.of('\r\n') : [],
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
            if (!update.docChanged) return
            if (update.transactions.some((one) => one.annotation(fromOutside))) return
            // At once: a render that lags behind the typing would put an older text back.
            flushSync(() => onChange(update.state.sliceDoc()))
          }),
        ],
      }),
    })
    viewRef.current = view
    return () => {
      view.destroy()
      viewRef.current = null
    }
  }, [label, readOnly])

  useLayoutEffect(() => {
    const view = viewRef.current
    if (view !== null) replaceText(view, text)
  }, [text])

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
  }))

  return <div ref={host} className={classes.code} />
}

/** Only what differs is replaced, so that the cursor stays where it was. */
function replaceText(view: EditorView, whole: string): void {
  if (view.state.sliceDoc() === whole) return
  const text = whole.replace(/\r\n?/g, '\n')
  const old = view.state.doc.toString()
  const shorter = Math.min(old.length, text.length)
  let head = 0
  while (head < shorter && old[head] === text[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === text.at(-1 - tail)) tail += 1
  view.dispatch({
    changes: { from: head, to: old.length - tail, insert: text.slice(head, text.length - tail) },
    annotations: fromOutside.of(true),
  })
}
