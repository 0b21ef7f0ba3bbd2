// SPDX-License-Identifier: MIT
// One stream for all windows of a browser: whoever joins hears what is said from then on, and what was said just before.
import type { Listen, Said } from './stream.ts'

/** What a window says to the worker; it hears what was said on the stream. */
export type Asked = { join: string } | 'leave'
export type Window = { postMessage: (said: Said) => void }

/** As far back as a stream of one's own would begin: see FETCHED_WITHIN_SECONDS. */
const KEPT_MS = 10_000
/** Of more, who joins reads everything again. */
const KEPT_EVENTS = 500

export function createHub(listen: Listen) {
  const windows = new Set<Window>()
  let close: (() => void) | null = null
  let state: Extract<Said, { is: 'open' | 'lost' }> | null = null
  let kept: { atMs: number; said: Said }[] = []

  const hear = (said: Said) => {
    if (said.is === 'open' || said.is === 'lost') state = said
    else keep(said)
    for (const window of windows) window.postMessage(said)
  }
  const keep = (said: Said) => {
    const nowMs = Date.now()
    kept = [...kept.filter(({ atMs }) => atMs > nowMs - KEPT_MS), { atMs: nowMs, said }]
    if (kept.length > KEPT_EVENTS) kept = [{ atMs: nowMs, said: { is: 'resync' } }]
  }
  const end = () => {
    close?.()
    close = null
    state = null
    kept = []
  }
  return {
    join(window: Window, url: string): void {
      windows.add(window)
      if (state?.is === 'lost' && state.isOver) end()
      if (close === null) {
        close = listen(url, hear)
        return
      }
      if (state) window.postMessage(state)
      const sinceMs = Date.now() - KEPT_MS
      for (const { atMs, said } of kept) if (atMs > sinceMs) window.postMessage(said)
    },
    leave(window: Window): void {
      windows.delete(window)
      if (windows.size === 0) end()
    },
  }
}
