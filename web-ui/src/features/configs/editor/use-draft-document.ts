// SPDX-License-Identifier: MIT
import { useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { createDraftDocument, type DraftDocument } from './draft-document.ts'

export type Steps = {
  document: DraftDocument
  /** For a change that is not made in the editor. */
  change: (text: string) => void
  past: { undo: (() => void) | null; redo: (() => void) | null }
}

type Shown = { text: string; isTheirs: boolean }

/**
 * Follows the draft's text, which is the truth: it may become another by a merge, a choice, or
 * somebody else.
 */
export function useDraftDocument(draft: Shown, onChange: (text: string) => void): Steps {
  const { text, isTheirs } = draft
  const [document] = useState(() => createDraftDocument(text))
  useLayoutEffect(() => {
    if (isTheirs) document.follow(text)
    else document.become(text)
  }, [document, text, isTheirs])
  const reach = useSyncExternalStore(document.subscribe, document.reach)
  const [back, forth] = reach.split(' ')
  const after = (step: () => void) => () => {
    step()
    onChange(document.text())
  }
  return {
    document,
    change: (next) => {
      document.become(next)
      onChange(next)
    },
    past: {
      undo: back === '0' ? null : after(document.undo),
      redo: forth === '0' ? null : after(document.redo),
    },
  }
}
