// SPDX-License-Identifier: MIT
// Lets the engine's time pass: by a clock that knows no jumps, from the moment the service starts.
// While it is down no time passes, so nobody is called late for what we did not hear.
import { performance } from 'node:perf_hooks'
import type { Engine } from './engine.ts'

const TICK_MS = 1_000

type Options = { engine: Pick<Engine, 'tick'>; onError: (error: unknown) => void }

/** Returns how to stop; resolves when the last tick is through. */
export function startTicker({ engine, onError }: Options): () => Promise<void> {
  let last = performance.now()
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    // A tick that waits for the disk is not overtaken: the next one brings its time too.
    if (running) return
    const at = performance.now()
    const elapsedMs = Math.round(at - last)
    running = engine
      .tick(elapsedMs)
      .then(() => {
        last = at
      }, onError)
      .finally(() => {
        running = null
      })
  }, TICK_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
