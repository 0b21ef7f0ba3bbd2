// SPDX-License-Identifier: MIT
// Slows guessing down without locking anybody out: after some free failures each further one doubles
// the wait, up to a limit. An attempt counts as failed until it succeeded, so that a burst in parallel is
// slowed as well. Kept in memory: a restart forgives.
import { TooManyAttempts } from '../../api-shapes/errors.ts'

type Entry = { failures: number; openAtMs: number }

type Limits = { free: number; maxWaitMs: number; forgetAfterMs: number; maxKeys: number }

export class Throttle {
  readonly #limits: Limits
  readonly #entries = new Map<string, Entry>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Milliseconds until the next attempt is let in; 0: this one is, and counts until `succeeded`. */
  attempt(key: string, nowMs: number): number {
    const { free, maxWaitMs, forgetAfterMs, maxKeys } = this.#limits
    let entry = this.#entries.get(key)
    if (entry && nowMs - entry.openAtMs > forgetAfterMs) entry = undefined
    // Farther off than any wait we set: the clock was put back.
    if (entry && entry.openAtMs - nowMs > maxWaitMs) entry = undefined
    if (entry && entry.openAtMs > nowMs) return entry.openAtMs - nowMs
    const failures = (entry?.failures ?? 0) + 1
    const wait =
      failures <= free ? 0 : Math.min(1000 * 2 ** Math.min(failures - free - 1, 20), maxWaitMs)
    // Taken out and put in again, the map's order is the order of use: the oldest goes first.
    this.#entries.delete(key)
    this.#entries.set(key, { failures, openAtMs: nowMs + wait })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxKeys) break
      this.#entries.delete(oldest)
    }
    return 0
  }

  /** Whoever this is may be trusted again: all failures are forgiven. */
  succeeded(key: string): void {
    this.#entries.delete(key)
  }

  /** Only the one attempt was none; the failures before it stay, and so does the wait they earned. */
  undo(key: string, nowMs: number): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    entry.failures = Math.max(0, entry.failures - 1)
    entry.openAtMs = Math.min(entry.openAtMs, nowMs)
  }
}

/** Throws TooManyAttempts unless the wait is over. */
export function refuseWhile(waitMs: number): void {
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  throw new TooManyAttempts(seconds).withHeaders({ 'retry-after': String(seconds) })
}
