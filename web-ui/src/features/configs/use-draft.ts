// SPDX-License-Identifier: MIT
// The draft as one types it. The server's copy lives in the query cache; what is typed beyond it
// lives here and, until the server has it, in sessionStorage: a reload, an expired session or an
// unreachable control plane loses nothing. Two people never overwrite each other: each save carries
// the ETag that the typing began on, and a 412 becomes a choice.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { isApiError } from '../../lib/api-error.ts'
import { draftQuery, putDraft, type TaggedDraft } from './api.ts'

const AUTOSAVE_MS = 800

export type Unsaved = { text: string; baseEtag: string }
export type SaveState =
  | { kind: 'idle' }
  | { kind: 'saving' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'conflict'; theirs: TaggedDraft }

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
  /** Mine, after theirs was taken: to be had back for as long as the editor is open. */
  setAside: string | null
  bringBack: () => void
}

const storageKey = (name: string) => `farmstead.draft.${name}`

export function useDraft(name: string, draft: TaggedDraft): DraftHandle {
  const client = useQueryClient()
  const [unsaved, setUnsaved] = useState<Unsaved | null>(() => recall(name, draft))
  const [save, setSave] = useState<SaveState>({ kind: 'idle' })
  const [setAside, setSetAside] = useState<string | null>(null)
  // What an answer that comes late must look at: what has been typed since.
  const latest = useRef(unsaved)
  const text = unsaved?.text ?? draft.body.text

  const keep = (next: Unsaved | null) => {
    latest.current = next
    setUnsaved(next)
    remember(name, next)
  }

  const put = async (change: Unsaved): Promise<boolean> => {
    setSave({ kind: 'saving' })
    try {
      const saved = await putDraft({ name, text: change.text, etag: change.baseEtag })
      client.setQueryData(draftQuery(name).queryKey, saved)
      void client.invalidateQueries({ queryKey: ['configs', 'one', name] })
      const since = latest.current
      const typedMore = since !== null && since.text !== change.text
      keep(typedMore ? { text: since.text, baseEtag: saved.etag } : null)
      setSave({ kind: 'idle' })
      return !typedMore
    } catch (error) {
      setSave(isApiError(error, 412) ? await whatTheyWrote(change.text) : { kind: 'failed', error })
      return false
    }
  }

  const whatTheyWrote = async (mine: string): Promise<SaveState> => {
    try {
      const theirs = await client.fetchQuery(draftQuery(name))
      if (theirs.body.text !== mine) return { kind: 'conflict', theirs }
      keep(null)
      return { kind: 'idle' }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  const autosave = useEffectEvent(() => {
    if (unsaved !== null) void put(unsaved)
  })
  useEffect(() => {
    // A failed save waits for the next key or for "Try again"; a conflict waits for a choice.
    if (unsaved === null || save.kind !== 'idle') return
    const timer = setTimeout(autosave, AUTOSAVE_MS)
    return () => clearTimeout(timer)
  }, [unsaved, save.kind])

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
    flush: async () => (latest.current === null ? true : put(latest.current)),
    keepMine: () => {
      if (save.kind === 'conflict') void put({ text, baseEtag: save.theirs.etag })
    },
    takeTheirs: () => {
      setSetAside(text)
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

function remember(name: string, unsaved: Unsaved | null): void {
  try {
    if (unsaved === null) sessionStorage.removeItem(storageKey(name))
    else sessionStorage.setItem(storageKey(name), JSON.stringify(unsaved))
  } catch {
    // Full or forbidden storage: the text is still on screen and on its way to the server.
  }
}

function recall(name: string, draft: TaggedDraft): Unsaved | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey(name)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    if (!('text' in kept) || !('baseEtag' in kept)) return null
    const { text, baseEtag } = kept
    if (typeof text !== 'string' || typeof baseEtag !== 'string') return null
    return text === draft.body.text ? null : { text, baseEtag }
  } catch {
    return null
  }
}
