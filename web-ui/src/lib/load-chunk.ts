// SPDX-License-Identifier: MIT
// Parts of the console that are loaded when they are needed. One that cannot be loaded has two causes:
// the control plane is away, then it is waited for; or a new console was installed while this one
// was open and the old parts are gone, then only starting anew helps.

import { restOfWords } from '../languages/language.ts'
import { basePath } from './base-path.ts'

const RETRY_MS = 3000
const RELOAD_AGAIN_AFTER_MS = 60_000
const RELOADED_AT = 'farmstead.reloaded-at'

export type ChunkDeps = {
  /** Does the control plane answer? */
  isReachable: () => Promise<boolean>
  wait: (ms: number) => Promise<void>
  reload: () => void
}

const browser: ChunkDeps = {
  isReachable: () =>
    fetch(basePath, { method: 'HEAD', cache: 'no-store' }).then(
      (response) => response.ok,
      () => false,
    ),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  reload: () => window.location.reload(),
}

type Load<T> = () => Promise<T>

/** Those that have not been asked for ahead, in the order in which they were named. */
const all = new Set<Load<unknown>>()

/** A part that a link or a button leads to: loaded when it is asked for, or before, when there is nothing else to do. */
export function part<T>(load: Load<T>, parts = all): Load<T> {
  parts.add(load)
  return () => loadChunk(load)
}

export type IdleDeps = {
  /** Calls back when there is nothing else to do. */
  whenIdle: (then: () => void) => void
  /** Somebody waits for data: what is shown comes first. */
  isBusy: () => boolean
}

/**
 * One part after the other, so that the first visit of a page is as quick as the second. One that does not come is left to who
 * asks for it (`loadChunk`): nobody has a page started anew for what they did not want.
 */
export function loadAhead({ whenIdle, isBusy }: IdleDeps, parts = all): () => void {
  let isOver = false
  const next = async () => {
    if (isOver) return
    if (!isBusy()) {
      const [load] = parts
      if (load === undefined) return
      parts.delete(load)
      try {
        await restOfWords()
        await load()
      } catch {
        return
      }
    }
    whenIdle(() => void next())
  }
  whenIdle(() => void next())
  return () => {
    isOver = true
  }
}

export async function loadChunk<T>(part: () => Promise<T>, deps: ChunkDeps = browser): Promise<T> {
  // A part asks for words while it is loaded.
  const load = () => restOfWords().then(part)
  try {
    return await load()
  } catch {
    while (!(await deps.isReachable())) await deps.wait(RETRY_MS)
  }
  try {
    return await load()
  } catch (error) {
    // Once, not in a loop.
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_AGAIN_AFTER_MS)
      throw error
    sessionStorage.setItem(RELOADED_AT, String(Date.now()))
    deps.reload()
    return new Promise(() => {})
  }
}
