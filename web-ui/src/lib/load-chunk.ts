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
