// SPDX-License-Identifier: MIT
// The draft as a document with a history, for as long as its config is open. Both views of it, text
// and form, change this one: what was done in either is undone in either.
import { history, isolateHistory, redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import { presentableDiff } from '@codemirror/merge'
import {
  Annotation,
  type ChangeSpec,
  Compartment,
  EditorState,
  type Extension,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { authorsText, keepLineEnds, lineEndsOf, plainLineEnds, setLineEnds } from './line-ends.ts'

export type DraftDocument = {
  text: () => string
  /** The text is this now, by another hand than that of the view. */
  become: (text: string) => void
  /** Somebody else has made it this: no step of ours, so Undo goes past it and leaves it. */
  follow: (text: string) => void
  undo: () => void
  redo: () => void
  /** How far back and forth, as something that can be compared. */
  reach: () => string
  subscribe: (listener: () => void) => () => void
  /** Shows it in an editor; the view is closed before another is opened. */
  open: (parent: Element, extensions: Extension) => EditorView
  close: () => void
}

const byAnotherHand = Annotation.define<boolean>()
export const isOwn = (transaction: Transaction) => transaction.annotation(byAnotherHand) !== true

export function createDraftDocument(text: string): DraftDocument {
  const viewPart = new Compartment()
  let kept = EditorState.create({
    doc: text,
    extensions: [history(), keepLineEnds(text), viewPart.of([])],
  })
  let view: EditorView | null = null
  const listeners = new Set<() => void>()
  const stateNow = () => view?.state ?? kept
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const apply = (transaction: Transaction) => {
    if (view === null) kept = transaction.state
    else view.dispatch(transaction)
    tell()
  }
  const target = () => ({ state: stateNow(), dispatch: apply })
  return {
    text: () => authorsText(stateNow()),
    become: (whole) => {
      const state = stateNow()
      if (authorsText(state) !== whole) apply(state.update(replacement(state, whole)))
    },
    follow: (whole) => {
      const state = stateNow()
      if (authorsText(state) !== whole) apply(state.update(theirChange(state, whole)))
    },
    undo: () => undo(target()),
    redo: () => redo(target()),
    reach: () => `${undoDepth(stateNow())} ${redoDepth(stateNow())}`,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (parent, extensions) => {
      const effects = viewPart.reconfigure([extensions, EditorView.updateListener.of(tell)])
      view = new EditorView({ parent, state: kept.update({ effects }).state })
      return view
    },
    close: () => {
      if (view === null) return
      kept = view.state.update({ effects: viewPart.reconfigure([]) }).state
      view.destroy()
      view = null
    },
  }
}

/**
 * Only what differs is replaced, so that the cursor stays where it was. What changes whole lines was pressed, not typed:
 * however soon after another change it comes, it is undone by itself.
 */
function replacement(state: EditorState, whole: string): TransactionSpec {
  const text = plainLineEnds(whole)
  const old = state.doc.toString()
  const shorter = Math.min(old.length, text.length)
  let head = 0
  while (head < shorter && old[head] === text[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === text.at(-1 - tail)) tail += 1
  const insert = text.slice(head, text.length - tail)
  const to = old.length - tail
  const { annotations: foreign, ...rest } = exchange({ from: head, to, insert }, whole)
  const isStep = `${old.slice(head, to)}${insert}`.includes('\n')
  return { ...rest, annotations: isStep ? [foreign, isolateHistory.of('full')] : [foreign] }
}

/** Place by place: what of ours lies between two of theirs can still be undone where it stands. */
function theirChange(state: EditorState, whole: string): TransactionSpec {
  const text = plainLineEnds(whole)
  const changes = presentableDiff(state.doc.toString(), text).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: text.slice(fromB, toB),
  }))
  const { annotations: foreign, ...rest } = exchange(changes, whole)
  return { ...rest, annotations: [foreign, Transaction.addToHistory.of(false)] }
}

const exchange = (changes: ChangeSpec, whole: string) => ({
  changes,
  effects: setLineEnds.of(lineEndsOf(whole)),
  annotations: byAnotherHand.of(true),
})
