// SPDX-License-Identifier: MIT
import { useSyncExternalStore } from 'react'

const TICK_MS = 5000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Stopped timers leave an old time behind.
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const notify of listeners) notify()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, a few seconds coarse; every "4 min ago" on a screen shares one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
