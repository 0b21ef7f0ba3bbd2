// SPDX-License-Identifier: MIT
// Asks again and again until it is so.
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 1_000

export async function until(
  what: string,
  { withinMs, everyMs = POLL_MS }: { withinMs: number; everyMs?: number },
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs / 1000} s: ${what}`)
    await sleep(everyMs)
  }
}
