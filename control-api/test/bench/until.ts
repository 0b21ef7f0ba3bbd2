// SPDX-License-Identifier: MIT
// Asks again and again until it is so, or the service is not too busy any more.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Session } from '../durability/session.ts'

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

export async function mustInTime(
  session: Session,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  for (;;) {
    const answer = await session.ask(method, path, body)
    if (answer.status < 300) return answer
    if (answer.status !== 503) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    await sleep(POLL_MS)
  }
}
