// SPDX-License-Identifier: MIT
// What is to be imported, kept in this tab: a reload or a session that ran out loses no file.
import { useState } from 'react'
import { keptFilesKey } from '../../../lib/kept-texts.ts'
import { emptyInput, type ImportInput } from './input.ts'

export type Kept = { input: ImportInput; isAsked: boolean }

const nothing: Kept = { input: emptyInput, isAsked: false }

export function useImportInput(owner: string) {
  const key = keptFilesKey(owner)
  const [kept, setKept] = useState(() => recall(key))
  const [isKept, setIsKept] = useState(true)
  const keep = (next: Kept) => {
    setKept(next)
    setIsKept(remember(key, next))
  }
  return {
    ...kept,
    /** false: the browser has no room for it. */
    isKept,
    /** What was read of the files before is not of these. */
    change: (input: ImportInput) => keep({ input, isAsked: false }),
    ask: () => keep({ ...kept, isAsked: true }),
    clear: () => keep(nothing),
  }
}

function remember(key: string, kept: Kept): boolean {
  try {
    if (kept === nothing) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(kept))
    return true
  } catch {
    return false
  }
}

function recall(key: string): Kept {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    return isOurs(kept) ? kept : nothing
  } catch {
    return nothing
  }
}

/** Another version of the console may have left something else there. */
const isOurs = (kept: unknown): kept is Kept =>
  typeof kept === 'object' &&
  kept !== null &&
  'input' in kept &&
  typeof kept.input === 'object' &&
  kept.input !== null &&
  Object.keys(emptyInput).every((member) => member in (kept.input as object))
