// SPDX-License-Identifier: MIT
// The draft as one types it. The server's copy lives in the query cache; what is typed beyond it
// lives here and, until the server has it, in sessionStorage: a reload, an expired session or an
// unreachable control plane loses nothing. Two people never overwrite each other: each save carries
// the ETag that the typing began on, and a 412 becomes a choice.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { isApiError } from '../../lib/api-error.ts'
import type { DraftConflict } from '../../lib/api-types.ts'
import { keptTextKey } from '../../lib/kept-texts.ts'
import { draftQuery, putDraft, type TaggedDraft } from './api.ts'
import { conflictLines } from './rules.ts'

const AUTOSAVE_MS = 800

export type Unsaved = { text: string; baseEtag: string }
export type SaveState =
  | { kind: 'idle' }
  | { kind: 'saving' }
  | { kind: 'failed'; error: unknown }
  /** `mine` is what was refused; more may have been typed since. */
  | { kind: 'conflict'; mine: string; theirs: TaggedDraft; meanwhile: DraftConflict }

export type DraftHandle = {
  text: string
  saved: TaggedDraft
  dirty: boolean
  save: SaveState
  change: (text: string) => void
  /** Saves now; resolves to true when the server has exactly `text`. */
  flush: () => Promise<boolean>
  keepMine: () => void
  takeTheirs: () => void
  /** Loads both texts put together. What both changed stands in marks and is not saved before they are gone. */
  merge: () => void
  /** Lines where such marks begin. */
  unresolved: readonly number[]
  /** The draft is another now, on the user's word. */
  replace: (saved: TaggedDraft) => void
  /** Mine, after theirs was taken: to be had back for as long as the editor is open. */
  setAside: string | null
  bringBack: () => void
}

/** `owner`: the user who types; what they leave behind is theirs. */
export function useDraft(name: string, draft: TaggedDraft, owner: string): DraftHandle {
  const storageKey = keptTextKey(owner, name)
  const client = useQueryClient()
  const [unsaved, setUnsaved] = useState<Unsaved | null>(() => recall(storageKey, draft))
  const [save, setSave] = useState<SaveState>({ kind: 'idle' })
  const [setAside, setSetAside] = useState<string | null>(null)
  // What an answer that comes late must look at: what has been typed since.
  const latest = useRef(unsaved)
  const text = unsaved?.text ?? draft.body.text
  const unresolved = conflictLines(text)
  const isUnresolved = unresolved.length > 0

  const keep = (next: Unsaved | null) => {
    latest.current = next
    setUnsaved(next)
    remember(storageKey, next)
  }

  const attempt = async (change: Unsaved): Promise<SaveState> => {
    try {
      const saved = await putDraft({ name, text: change.text, etag: change.baseEtag })
      client.setQueryData(draftQuery(name).queryKey, saved)
      void client.invalidateQueries({ queryKey: ['configs', 'one', name] })
      const since = latest.current
      const typedMore = since !== null && since.text !== change.text
      keep(typedMore ? { text: since.text, baseEtag: saved.etag } : null)
      return { kind: 'idle' }
    } catch (error) {
      const meanwhile = conflictIn(error)
      return meanwhile === null ? { kind: 'failed', error } : sawTheirs(meanwhile, change.text)
    }
  }

  const put = async (change: Unsaved): Promise<boolean> => {
    setSave({ kind: 'saving' })
    const next = await attempt(change)
    setSave(next)
    return next.kind === 'idle' && latest.current === null
  }

  /** What was typed since the refusal belongs into the merge, too. */
  const merge = async () => {
    let conflict: SaveState = save
    if (conflict.kind !== 'conflict' || unsaved === null) return
    if (conflict.mine !== unsaved.text) conflict = await attempt(unsaved)
    if (conflict.kind !== 'conflict' || conflict.meanwhile.merged === null) return setSave(conflict)
    setSetAside(unsaved.text)
    keep({ text: conflict.meanwhile.merged.text, baseEtag: conflict.theirs.etag })
    setSave({ kind: 'idle' })
  }

  const sawTheirs = (meanwhile: DraftConflict, mine: string): SaveState => {
    const theirs = { body: meanwhile.current, etag: meanwhile.etag }
    client.setQueryData(draftQuery(name).queryKey, theirs)
    if (theirs.body.text !== mine) return { kind: 'conflict', mine, theirs, meanwhile }
    keep(null)
    return { kind: 'idle' }
  }

  const autosave = useEffectEvent(() => {
    if (unsaved !== null) void put(unsaved)
  })
  useEffect(() => {
    // A failed save waits for the next key or for "Try again"; a conflict waits for a choice.
    if (unsaved === null || save.kind !== 'idle' || isUnresolved) return
    const timer = setTimeout(autosave, AUTOSAVE_MS)
    return () => clearTimeout(timer)
  }, [unsaved, save.kind, isUnresolved])

  return {
    text,
    saved: draft,
    dirty: unsaved !== null,
    save,
    change: (next) => {
      const baseEtag = latest.current?.baseEtag ?? draft.etag
      keep(next === draft.body.text && baseEtag === draft.etag ? null : { text: next, baseEtag })
      if (save.kind === 'failed') setSave({ kind: 'idle' })
    },
    flush: async () => {
      if (latest.current === null) return true
      return isUnresolved ? false : put(latest.current)
    },
    keepMine: () => {
      if (save.kind === 'conflict') void put({ text, baseEtag: save.theirs.etag })
    },
    takeTheirs: () => {
      setSetAside(text)
      keep(null)
      setSave({ kind: 'idle' })
    },
    merge: () => void merge(),
    unresolved,
    replace: (saved) => {
      if (text !== saved.body.text) setSetAside(text)
      client.setQueryData(draftQuery(name).queryKey, saved)
      void client.invalidateQueries({ queryKey: ['configs', 'one', name] })
      keep(null)
      setSave({ kind: 'idle' })
    },
    setAside,
    bringBack: () => {
      if (setAside === null) return
      keep({ text: setAside, baseEtag: draft.etag })
      setSetAside(null)
    },
  }
}

/** What the refusal of a save says of what others did; null: it is another failure. */
function conflictIn(error: unknown): DraftConflict | null {
  if (!isApiError(error, 412) || !('current' in error.problem)) return null
  return error.problem as DraftConflict
}

function remember(key: string, unsaved: Unsaved | null): void {
  try {
    if (unsaved === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(unsaved))
  } catch {
    // Full or forbidden storage: the text is still on screen and on its way to the server.
  }
}

function recall(key: string, draft: TaggedDraft): Unsaved | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    if (!('text' in kept) || !('baseEtag' in kept)) return null
    const { text, baseEtag } = kept
    if (typeof text !== 'string' || typeof baseEtag !== 'string') return null
    return text === draft.body.text ? null : { text, baseEtag }
  } catch {
    return null
  }
}
