// SPDX-License-Identifier: MIT
// Asks text-worker.ts, so that no config text, however large and odd, holds the event loop up. Two threads;
// who may ask at the same time is bounded before: whatever route asks is `heavy` (plugins/turns.ts), which each test
// watches. What a thread may take, and how much waits for one whoever asks, is here.
import { pathToFileURL } from 'node:url'
import { Tinypool } from 'tinypool'
import { threadProgram } from '../../base/places.ts'
import { overloaded } from '../../plugins/turns.ts'
import type { AuthorsText } from './check/validate-authors.ts'
import type { Examine } from './check/validation.ts'
import type { Comparison, Sides } from './diff/compare.ts'
import type { DraftConflict } from './drafts/conflict.ts'
import type { Merge, Merged } from './drafts/merge.ts'
import type { DraftRevision } from './drafts/store.ts'
import { hostsIn } from './text/hosts.ts'
import { sitesIn, type TextSite } from './text/sites.ts'
import type * as worker from './text-worker.ts'

export type TextWork = AuthorsText & {
  examine: Examine
  /** For which hosts its sites answer. */
  hostsIn: (text: string) => Promise<string[]>
  sitesIn: (text: string) => Promise<TextSite[]>
  compare: (sides: Sides) => Promise<Comparison>
  explainConflict: (
    revisions: readonly DraftRevision[],
    mine: string | null,
  ) => Promise<DraftConflict>
  merge: (texts: Merge) => Promise<Merged>
  close: () => Promise<void>
}

const THREADS = 2
/** Three times what the worst text of a megabyte takes. Beyond, the thread ends and only its question fails. */
const MAX_HEAP_MIB = 768
const IDLE_MS = 60_000
const SMALL = 32 * 1024
/** Far more than those who have a turn can ask: each asks for one text after the other. */
export const MAX_QUEUE = 64

type Tasks = typeof worker

export function startTextWork(): TextWork {
  const pool = new Tinypool({
    filename: pathToFileURL(threadProgram('features/configs/text-worker')).href,
    minThreads: 0,
    maxThreads: THREADS,
    maxQueue: MAX_QUEUE,
    idleTimeout: IDLE_MS,
    // A thread that waits by Atomics hears nothing else meanwhile.
    useAtomics: false,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  })
  const ask = async <Name extends keyof Tasks>(
    name: Name,
    task: Parameters<Tasks[Name]>[0],
  ): Promise<ReturnType<Tasks[Name]>> => {
    if (pool.queueSize >= MAX_QUEUE) throw overloaded()
    return await pool.run(task, { name })
  }
  return {
    examine: (text) => ask('examine', { text }),
    // Most are so small that to send them would take longer.
    hostsIn: async (text) => (text.length <= SMALL ? hostsIn(text) : await ask('hosts', { text })),
    sitesIn: async (text) => (text.length <= SMALL ? sitesIn(text) : await ask('sites', { text })),
    sampleOf: (text) => ask('sampleOf', { text }),
    judge: (text, errors) => ask('judge', { text, errors }),
    compare: (sides) => ask('compare', sides),
    explainConflict: (revisions, mine) => ask('explain', { revisions, mine }),
    merge: (texts) => ask('merge', texts),
    close: () => pool.destroy(),
  }
}
