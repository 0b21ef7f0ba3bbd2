// SPDX-License-Identifier: MIT
// The rows of one subject that answer a question, each of its times once.
import type { RingStore } from './ring-store.ts'
import { type Plan, RINGS, ringOf } from './rings.ts'
import { FINEST, type Row } from './steps.ts'

/** What is not rolled up yet is in the finer rings. */
export function* rowsOf(
  { steps, rollUp }: Pick<RingStore, 'steps' | 'rollUp'>,
  subject: number,
  plan: Plan,
): Generator<Row> {
  const { toSeconds } = plan
  let { fromSeconds } = plan
  for (const ring of RINGS.slice(0, RINGS.indexOf(ringOf(plan)) + 1).reverse()) {
    const madeUntil = ring === FINEST ? toSeconds : (rollUp.madeUntil(ring) ?? fromSeconds)
    const until = Math.min(madeUntil, toSeconds)
    if (until <= fromSeconds) continue
    yield* steps.of(subject, ring, { fromSeconds, toSeconds: until })
    fromSeconds = until
  }
}
