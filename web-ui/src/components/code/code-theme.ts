// SPDX-License-Identifier: MIT
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const tint = (tone: 'good' | 'bad', percent: number) =>
  `color-mix(in srgb, var(--fs-${tone}) ${percent}%, transparent)`

const surfaces = EditorView.theme({
  '&': { backgroundColor: 'var(--fs-surface)', color: 'var(--fs-text)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--fs-mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--fs-text)', padding: '8px 0', outline: 'none' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--fs-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--fs-lamp) 28%, transparent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--fs-surface)',
    color: 'var(--fs-dim)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--fs-raised) 70%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--fs-line-strong)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--fs-raised)',
    border: '1px solid var(--fs-line)',
    color: 'var(--fs-dim)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--fs-surface)',
    border: '1px solid var(--fs-line-strong)',
    borderRadius: '4px',
    color: 'var(--fs-text)',
    maxWidth: 'min(480px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--fs-mono)', fontSize: '12px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--fs-lamp)',
    color: '#1f1e1b',
  },
  '.cm-completionDetail': { color: 'var(--fs-dim)', fontStyle: 'normal' },
  'li[aria-selected] .cm-completionDetail': { color: '#1f1e1b' },
  '.cm-completionInfo': { padding: '8px 12px', fontFamily: 'inherit' },
  '.cm-diagnostic': { padding: '4px 8px 4px 12px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--fs-bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--fs-bad) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': {
    content: '""',
    width: '9px',
    height: '9px',
    margin: '5px 2px 0',
    backgroundColor: 'var(--fs-bad)',
  },
  '.cm-panels': { backgroundColor: 'var(--fs-raised)', color: 'var(--fs-text)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--fs-line)' },
  '.cm-textfield': {
    backgroundColor: 'var(--fs-surface)',
    border: '1px solid var(--fs-line-strong)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--fs-surface)',
    border: '1px solid var(--fs-line-strong)',
  },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--fs-lamp) 35%, transparent)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: `${tint('good', 7)} !important` },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk, .cm-deletedLine': {
    backgroundColor: `${tint('bad', 7)} !important`,
  },
  // Underlined as well: the tint alone is too faint, a stronger one would swallow the text.
  '&.cm-merge-b .cm-changedText, .cm-changedText': {
    background: `${tint('good', 9)} !important`,
    boxShadow: 'inset 0 -2px var(--fs-good)',
  },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: `${tint('bad', 9)} !important`,
    boxShadow: 'inset 0 -2px var(--fs-bad)',
  },
  del: { textDecoration: 'none' },
  ins: { textDecoration: 'none' },
  '.cm-collapsedLines': {
    backgroundImage: 'none',
    backgroundColor: 'var(--fs-raised)',
    color: 'var(--fs-dim)',
    // The library's own marks are in few fonts.
    '&:before, &:after': { content: '"···"' },
  },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--fs-info)' },
  { tag: tags.string, color: 'var(--fs-good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--fs-warn)' },
  { tag: tags.comment, color: 'var(--fs-dim)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--fs-bad)' },
])

export const codeTheme: Extension = [surfaces, syntaxHighlighting(colours)]
