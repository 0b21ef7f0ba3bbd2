// SPDX-License-Identifier: MIT
// Which nodes of a long list are chosen: some by their ids, or all that a filter leaves but some. Pure.

export type Selection =
  | { kind: 'some'; ids: ReadonlySet<string> }
  | { kind: 'matching'; except: ReadonlySet<string> }

export const noSelection: Selection = { kind: 'some', ids: new Set() }
export const allMatching: Selection = { kind: 'matching', except: new Set() }

export const isSelected = (selection: Selection, id: string): boolean =>
  selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id)

export const countOf = (selection: Selection, listed: number): number =>
  selection.kind === 'some' ? selection.ids.size : Math.max(0, listed - selection.except.size)

/** Whether these, and there are some, are all selected: as many others do not count. */
export const isWhole = (selection: Selection, ids: readonly string[]): boolean =>
  ids.length > 0 &&
  (selection.kind === 'some'
    ? selection.ids.size >= ids.length && ids.every((id) => selection.ids.has(id))
    : selection.except.size === 0)

export function toggled(selection: Selection, id: string): Selection {
  return selection.kind === 'some'
    ? { kind: 'some', ids: flipped(selection.ids, id) }
    : { kind: 'matching', except: flipped(selection.except, id) }
}

function flipped(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
