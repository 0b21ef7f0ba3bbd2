// SPDX-License-Identifier: MIT
import type { App } from './app-types.ts'

const CLOSE_GRACE_MS = 1000

/**
 * Requests under way may end; connections kept alive after them are closed as they fall idle, and what
 * is left after the grace is cut off.
 */
export async function closeListeners(listeners: readonly App[]): Promise<void> {
  const startedAt = performance.now()
  const sweep = setInterval(() => {
    for (const { server } of listeners) {
      if (performance.now() - startedAt > CLOSE_GRACE_MS) server.closeAllConnections()
      else server.closeIdleConnections()
    }
  }, 20)
  await Promise.all(listeners.map((listener) => listener.close()))
  clearInterval(sweep)
}
