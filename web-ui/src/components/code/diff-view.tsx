// SPDX-License-Identifier: MIT

import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { t } from '../../languages/t.ts'
import classes from './code.module.css'
import { readingAttributes, readingExtensions } from './code-view.tsx'

export type DiffSide = { label: string; text: string }
export type DiffViewProps = { from: DiffSide; to: DiffSide; layout: 'side-by-side' | 'unified' }

const MARGIN_LINES = 3

const reading = (label: string) => [
  readingExtensions,
  EditorState.readOnly.of(true),
  readingAttributes(label),
]

export function DiffView({ from, to, layout }: DiffViewProps) {
  const host = useRef<HTMLDivElement>(null)
  const { label: fromLabel, text: fromText } = from
  const { label: toLabel, text: toText } = to
  useEffect(() => {
    if (host.current === null) return
    const collapseUnchanged = { margin: MARGIN_LINES, minSize: 2 * MARGIN_LINES }
    const parent = host.current
    const view =
      layout === 'side-by-side'
        ? new MergeView({
            parent,
            a: { doc: fromText, extensions: reading(fromLabel) },
            b: { doc: toText, extensions: reading(toLabel) },
            gutter: true,
            collapseUnchanged,
          })
        : new EditorView({
            parent,
            doc: toText,
            extensions: [
              reading(t('{fromLabel} to {toLabel}', { fromLabel, toLabel })),
              unifiedMergeView({ original: fromText, mergeControls: false, collapseUnchanged }),
            ],
          })
    return () => view.destroy()
  }, [fromLabel, fromText, toLabel, toText, layout])
  return (
    <div className={classes.diff}>
      {/* In one column the marks beside the names are those of the lines. */}
      <div className={classes.diffHead} data-layout={layout}>
        <span>{fromLabel}</span>
        <span>{toLabel}</span>
      </div>
      <div ref={host} />
    </div>
  )
}
