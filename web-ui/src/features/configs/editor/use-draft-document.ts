// SPDX-License-Identifier: MIT
import { useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { createDraftDocument, type DraftDocument } from './draft-document.ts'

export type Steps = {
  document: DraftDocument
  /** For a change that is not made in the editor. */
  change: (text: string) => void
  past: { undo: (() => void) | null; redo: (() => void) | null }
}

/** Follows the draft's text, which is the truth: it may become another by a merge or a choice. */
export function useDraftDocument(text: string, onChange: (text: string) => void): Steps {
  const [document] = useState(() => createDraftDocument(text))
  useLayoutEffect(() => document.become(text), [document, text])
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
