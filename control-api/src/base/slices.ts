// SPDX-License-Identifier: MIT
// Long work in parts, with a turn of the event loop between them: better-sqlite3 answers at once, so what awaits only
// the database never lets anybody else in.
import { setImmediate } from 'node:timers/promises'

/** Whoever waits has a turn: requests, timers, other work. */
export const nextTurn = (): Promise<void> => setImmediate()

export function* inSlices<T>(list: readonly T[], most: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += most) yield list.slice(from, from + most)
}

const TURN_MS = 10

/** Of work that waits for nothing: lets others have their turn, when it is time for it. */
export function inTurns(): () => Promise<void> {
  let sinceMs = performance.now()
  return async () => {
    if (performance.now() - sinceMs <= TURN_MS) return
    await nextTurn()
    sinceMs = performance.now()
  }
}
