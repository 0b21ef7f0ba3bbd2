// SPDX-License-Identifier: MIT
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 100

/**
 * Looks until nothing is wrong ('' is said), or, under `.not`, until something is; what was wrong at the end.
 * Without the turn, `.not` would wait out its time before it agrees.
 */
export async function lookUntil(
  look: () => Promise<string>,
  { withinMs, isNot }: { withinMs: number; isNot: boolean },
): Promise<string> {
  const deadline = performance.now() + withinMs
  let wrong = await look()
  while ((wrong === '') === isNot && performance.now() < deadline) {
    await sleep(POLL_MS)
    wrong = await look()
  }
  return wrong
}
