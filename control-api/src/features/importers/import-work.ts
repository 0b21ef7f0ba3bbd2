// SPDX-License-Identifier: MIT
// Asks import-worker.ts, so that no config of another server, however large and odd, holds the event loop up: its thread ends
// when it takes too long or too much memory, and only its import fails.
import { pathToFileURL } from 'node:url'
import { Tinypool } from 'tinypool'
import { threadProgram } from '../../base/places.ts'
import { HEAVY } from '../../plugins/turns.ts'
import type * as worker from './import-worker.ts'
import type { ImportBody } from './schema.ts'

type Outcome = ReturnType<typeof worker.read>

/** Configs that people have take a fraction of a second, and the start of a thread on a busy machine a few. */
const WITHIN_MS = 20_000
const MAX_HEAP_MIB = 256
const IDLE_MS = 60_000

export function startImportWork() {
  const pool = new Tinypool({
    filename: pathToFileURL(threadProgram('features/importers/import-worker')).href,
    minThreads: 0,
    // One for each that has a turn: nobody's time is over while others have the thread.
    maxThreads: HEAVY.capacity,
    idleTimeout: IDLE_MS,
    // A thread that waits by Atomics hears nothing else meanwhile.
    useAtomics: false,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  })
  return {
    async read(body: ImportBody, withinMs = WITHIN_MS): Promise<Outcome> {
      const signal = AbortSignal.timeout(withinMs)
      try {
        return await pool.run(body, { name: 'read', signal })
      } catch (error) {
        if (signal.aborted) {
          return { kind: 'too-much', why: `It was not done after ${withinMs / 1000} s` }
        }
        if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
          return { kind: 'too-much', why: `It takes more than ${MAX_HEAP_MIB} MiB of memory` }
        }
        throw error
      }
    },
    close: () => pool.destroy(),
  }
}
