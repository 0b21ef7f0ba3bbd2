// SPDX-License-Identifier: MIT
// The draft as one types it. The server's copy lives in the query cache; what is typed beyond it
// lives here and, until the server has it, in sessionStorage: a reload, an expired session or an
// unreachable control plane loses nothing. It is saved as one pauses, as one leaves, and again after
// a failure that may pass. Two people never overwrite each other: each save carries the ETag that
// the typing began on, and a 412 becomes a choice.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { isApiError } from '../../lib/api-error.ts'
import type { DraftConflict } from '../../lib/api-types.ts'
import { keptTextKey } from '../../lib/kept-texts.ts'
import { draftQuery, putDraft, type TaggedDraft } from './api.ts'
import { conflictLines } from './conflict-marks.ts'

const AUTOSAVE_MS = 800
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000]

/** `baseVersion`: what it was merged with; left out: what the saved draft says. */
export type Unsaved = { text: string; baseEtag: string; baseVersion?: number }
export type SaveState =
  | { kind: 'idle' }
  | { kind: 'saving' }
  /** `retryMs`: when it is tried again; null: the same would come of it. */
  | { kind: 'failed'; error: unknown; retryMs: number | null }
  /** `mine` is what was refused; more may have been typed since. */
  | { kind: 'conflict'; mine: string; theirs: TaggedDraft; meanwhile: DraftConflict }

export type DraftHandle = {
  text: string
  saved: TaggedDraft
  /** Somebody else has put the text that is shown, and nobody here has chosen it. */
  isTheirs: boolean
  dirty: boolean
  save: SaveState
  change: (text: string) => void
  /** Saves now; resolves to true when the server has exactly `text`. */
  flush: () => Promise<boolean>
  keepMine: () => void
  takeTheirs: () => void
  /** Loads both texts put together. What both changed stands in marks and is not saved before they are gone. */
  merge: () => void
  /** The version it was begun from, or that was merged into it since. */
  baseVersion: number | null
  /** Is this text now, which has the changes of that version in it. */
  mergedWith: (text: string, version: number) => void
  /** Lines where such marks begin. */
  unresolved: readonly number[]
  /** Remembers what is shown now: its ETag later on, where only own saves have moved it on, also one under way. */
  see: () => () => Promise<string>
  /** The draft is another now, on the user's word. */
  replace: (saved: TaggedDraft) => void
  /** Mine, after theirs was taken: to be had back for as long as the editor is open. */
  setAside: string | null
  bringBack: () => void
}

type SetAside = Omit<Unsaved, 'baseEtag'>
const begunFrom = (baseVersion: number | null | undefined) =>
  baseVersion == null ? {} : { baseVersion }

/** `owner`: the user who types; what they leave behind is theirs. */
export function useDraft(name: string, given: TaggedDraft, owner: string): DraftHandle {
  const storageKey = keptTextKey(owner, name)
  const client = useQueryClient()
  // What is given comes a moment after what was put into the cache here: for that moment the text
  // of before the save would be shown, and the two changes of it stand in the history of undo.
  const draft = client.getQueryData(draftQuery(name).queryKey) ?? given
  const [unsaved, setUnsaved] = useState<Unsaved | null>(() => recall(storageKey, draft))
  const [save, setSave] = useState<SaveState>({ kind: 'idle' })
  const [setAside, setSetAside] = useState<SetAside | null>(null)
  // Of the newest draft that was opened, saved or chosen here.
  const [ownEtag, setOwnEtag] = useState(draft.etag)
  const own = useRef(ownEtag)
  // What an answer that comes late must look at: what has been typed since.
  const latest = useRef(unsaved)
  const failures = useRef(0)
  // One at a time: of two at once the second would be refused for what the first has changed.
  const inFlight = useRef<Promise<boolean> | null>(null)
  const text = unsaved?.text ?? draft.body.text
  const baseVersion = unsaved?.baseVersion ?? draft.body.baseVersion
  const unresolved = conflictLines(text)
  const isUnresolved = unresolved.length > 0

  const ownIs = (etag: string) => {
    own.current = etag
    setOwnEtag(etag)
  }

  const keep = (next: Unsaved | null) => {
    latest.current = next
    setUnsaved(next)
    remember(storageKey, next)
  }

  const attempt = async (change: Unsaved): Promise<SaveState> => {
    try {
      const { text, baseEtag: etag, baseVersion } = change
      const saved = await putDraft({ name, text, etag, ...begunFrom(baseVersion) })
      ownIs(saved.etag)
      client.setQueryData(draftQuery(name).queryKey, saved)
      void client.invalidateQueries({ queryKey: ['configs', 'one', name] })
      const since = latest.current
      const typedMore = since !== null && since.text !== change.text
      keep(typedMore ? { ...since, baseEtag: saved.etag } : null)
      failures.current = 0
      return { kind: 'idle' }
    } catch (error) {
      const meanwhile = conflictIn(error)
      if (meanwhile !== null) return sawTheirs(meanwhile, change.text)
      failures.current += 1
      return { kind: 'failed', error, retryMs: retryAfter(error, failures.current) }
    }
  }

  const put = async (change: Unsaved): Promise<boolean> => {
    // A failure is shown until a save goes well, not anew with each try.
    setSave((now) => (now.kind === 'failed' ? now : { kind: 'saving' }))
    const next = await attempt(change)
    setSave(next)
    return next.kind === 'idle' && latest.current === null
  }

  const saveNow = async (): Promise<boolean> => {
    while (inFlight.current !== null) await inFlight.current
    if (latest.current === null) return true
    if (conflictLines(latest.current.text).length > 0) return false
    inFlight.current = put(latest.current).finally(() => {
      inFlight.current = null
    })
    return inFlight.current
  }

  /** What was typed since the refusal belongs into the merge, too. */
  const merge = async () => {
    let conflict: SaveState = save
    if (conflict.kind !== 'conflict' || unsaved === null) return
    if (conflict.mine !== unsaved.text) conflict = await attempt(unsaved)
    if (conflict.kind !== 'conflict' || conflict.meanwhile.merged === null) return setSave(conflict)
    setSetAside({ text: unsaved.text, ...begunFrom(unsaved.baseVersion) })
    const { text } = conflict.meanwhile.merged
    keep({ text, baseEtag: conflict.theirs.etag, ...begunFrom(unsaved.baseVersion) })
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
    if (save.kind !== 'conflict') void saveNow()
  })
  useEffect(() => {
    const waitMs = waitOf(save)
    if (unsaved === null || waitMs === null || isUnresolved) return
    const timer = setTimeout(autosave, waitMs)
    return () => clearTimeout(timer)
  }, [unsaved, save, isUnresolved])
  useSavedOnLeaving(unsaved !== null, autosave)

  return {
    text,
    saved: draft,
    isTheirs: unsaved === null && draft.etag !== ownEtag,
    dirty: unsaved !== null,
    save,
    change: (next) => {
      const baseEtag = latest.current?.baseEtag ?? draft.etag
      const isSaved = next === draft.body.text && baseEtag === draft.etag
      // Undone, a merge leaves the text that it was before, and what that was begun from.
      const { baseVersion } = (setAside?.text === next ? setAside : latest.current) ?? {}
      keep(isSaved ? null : { text: next, baseEtag, ...begunFrom(baseVersion) })
      if (save.kind === 'failed' && save.retryMs === null) setSave({ kind: 'idle' })
    },
    flush: saveNow,
    keepMine: () => {
      if (save.kind === 'conflict') void put({ ...unsaved, text, baseEtag: save.theirs.etag })
    },
    takeTheirs: () => {
      setSetAside({ text, ...begunFrom(unsaved?.baseVersion) })
      ownIs(draft.etag)
      keep(null)
      setSave({ kind: 'idle' })
    },
    merge: () => void merge(),
    baseVersion,
    mergedWith: (next, version) => {
      setSetAside({ text, ...begunFrom(baseVersion) })
      keep({ text: next, baseEtag: latest.current?.baseEtag ?? draft.etag, baseVersion: version })
    },
    unresolved,
    see: () => {
      const shown =
        save.kind === 'conflict' ? save.theirs.etag : (latest.current?.baseEtag ?? draft.etag)
      const before = own.current
      return async () => {
        while (inFlight.current !== null) await inFlight.current
        return own.current === before ? shown : own.current
      }
    },
    replace: (saved) => {
      if (text !== saved.body.text) setSetAside({ text, ...begunFrom(baseVersion) })
      ownIs(saved.etag)
      client.setQueryData(draftQuery(name).queryKey, saved)
      void client.invalidateQueries({ queryKey: ['configs', 'one', name] })
      keep(null)
      setSave({ kind: 'idle' })
    },
    setAside: setAside?.text ?? null,
    bringBack: () => {
      if (setAside === null) return
      keep({ ...setAside, baseEtag: latest.current?.baseEtag ?? draft.etag })
      setSetAside(null)
    },
  }
}

/** Also when the tab is closed or put away, which may be the last that this page hears. */
function useSavedOnLeaving(isUnsaved: boolean, save: () => void): void {
  const onAway = useEffectEvent((event: Event) => {
    if (!isUnsaved) return
    save()
    if (event.type === 'beforeunload') event.preventDefault()
  })
  useEffect(() => {
    const aways = ['beforeunload', 'pagehide', 'online'] as const
    for (const away of aways) window.addEventListener(away, onAway)
    document.addEventListener('visibilitychange', onAway)
    return () => {
      for (const away of aways) window.removeEventListener(away, onAway)
      document.removeEventListener('visibilitychange', onAway)
    }
  }, [])
}

/** A conflict waits for a choice; what the control plane refuses, for the next key. */
function waitOf(save: SaveState): number | null {
  if (save.kind === 'idle') return AUTOSAVE_MS
  return save.kind === 'failed' ? save.retryMs : null
}

/** No answer, an overload or a fault of the server may pass; a refusal would be the same. */
function retryAfter(error: unknown, failures: number): number | null {
  if (!isApiError(error)) return null
  const { status } = error
  const mayPass = status === 0 || status === 408 || status === 429 || status >= 500
  return mayPass ? (RETRY_MS[failures - 1] ?? RETRY_MS.at(-1) ?? null) : null
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
    const isNumbered = 'baseVersion' in kept && typeof kept.baseVersion === 'number'
    const baseVersion = isNumbered ? Number(kept.baseVersion) : undefined
    return text === draft.body.text ? null : { text, baseEtag, ...begunFrom(baseVersion) }
  } catch {
    return null
  }
}
