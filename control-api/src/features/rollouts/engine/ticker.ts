// SPDX-License-Identifier: MIT
// Lets the engine's time pass: by a clock that knows no jumps, from the moment the service starts.
// While it is down no time passes, so nobody is called late for what we did not hear; nor while it
// stands still (a full disk, a stopped process): what nodes said meanwhile was not taken either.
import { performance } from 'node:perf_hooks'
import { RHYTHM, type Rhythm } from '../../../fleet/rhythm.ts'
import type { Engine } from './engine.ts'

/** Longer than any write waits its turn: whoever missed this many ticks did not answer nodes either. */
const STANDSTILL_MS = 10_000

type Options = {
  engine: Pick<Engine, 'tick' | 'heardAgain'>
  /** Looks at what was measured. */
  evaluate: () => Promise<void>
  onError: (error: unknown) => void
  rhythm?: Rhythm
  monotonicMs?: () => number
}

/** Returns how to stop; resolves when the last tick is through. */
export function startTicker({
  engine,
  evaluate,
  onError,
  rhythm = RHYTHM,
  monotonicMs = () => performance.now(),
}: Options): () => Promise<void> {
  /** null: not since the start. */
  let last: number | null = null
  let evaluatedAt = monotonicMs()
  let running: Promise<void> | null = null
  const pass = async () => {
    const at = monotonicMs()
    const elapsedMs = last === null ? Number.POSITIVE_INFINITY : Math.round(at - last)
    if (elapsedMs > STANDSTILL_MS) await engine.heardAgain()
    else await engine.tick(elapsedMs)
    last = at
    if (at - evaluatedAt < rhythm.reportEveryMs) return
    evaluatedAt = at
    await evaluate()
  }
  const step = () => {
    // A tick that waits for the disk is not overtaken: the next one brings its time too.
    if (running) return
    running = pass()
      .catch(onError)
      .finally(() => {
        running = null
      })
  }
  step()
  const timer = setInterval(step, rhythm.tickMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
