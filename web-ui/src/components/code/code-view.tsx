// SPDX-License-Identifier: MIT
import { bracketMatching, foldGutter, foldKeymap } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useRef } from 'react'
import classes from './code.module.css'
import { codeTheme } from './code-theme.ts'
import { jsonc } from './jsonc-language.ts'
import { measureAway } from './measure-away.ts'
import { offsetOfPlace, type Place } from './positions.ts'

export const readingExtensions = [
  lineNumbers(),
  foldGutter(),
  drawSelection(),
  bracketMatching(),
  jsonc(),
  codeTheme,
  measureAway,
  search(),
  keymap.of([...searchKeymap, ...foldKeymap]),
  EditorView.lineWrapping,
]

/** Focusable, so that the keyboard can scroll it. */
export const readingAttributes = (label: string) =>
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' })

export function showPlace(view: EditorView, place: Place): void {
  if (revealPlace(view, place)) view.focus()
}

/** Without the focus: one goes on working elsewhere. False: the text has no such place. */
export function revealPlace(view: EditorView, place: Place): boolean {
  const offset = offsetOfPlace(view.state.doc, place)
  if (offset === null) return false
  view.dispatch({
    selection: { anchor: offset },
    effects: EditorView.scrollIntoView(offset, { y: 'center' }),
  })
  return true
}

export type CodeViewProps = { text: string; label: string; place?: Place }

/** A config's text to read, not to change. */
export function CodeView({ text, label, place }: CodeViewProps) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (host.current === null) return
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          readingExtensions,
          highlightActiveLine(),
          highlightActiveLineGutter(),
          EditorState.readOnly.of(true),
          readingAttributes(label),
        ],
      }),
    })
    if (place !== undefined) showPlace(view, place)
    return () => view.destroy()
  }, [text, label, place])
  return <div ref={host} className={classes.code} />
}
