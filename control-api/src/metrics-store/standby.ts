// SPDX-License-Identifier: MIT
// Of a replica that is not the leader: now and then it reads what is new in PostgreSQL's record, in a thread of its own, so that
// it has all but the last minute when it becomes the leader.
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../base/places.ts'
import { metricsPath } from './metrics-store.ts'

const EVERY_MS = 60_000

/** Nobody else may have this folder's metrics.db open. */
export type CopyPlace = { dataDir: string; url: string }

/** Reads once. Rejects with the reason when it couldn't to the end. */
export async function catchUpMetrics(place: CopyPlace, signal?: AbortSignal): Promise<void> {
  const workerData: CopyOrder = { path: metricsPath(place.dataDir), url: place.url }
  const thread = new Worker(threadProgram('metrics-store/copy-worker'), { workerData })
  const stop = () => void thread.terminate()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      thread.on('error', reject)
      thread.on('exit', () => resolve())
    })
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
export type CopyOrder = { path: string; url: string }

/** Until it is stopped; then the file is closed. `onTrouble`: once for each reason. */
export function keepCopy(place: CopyPlace, onTrouble: (reason: string) => void) {
  const stopping = new AbortController()
  const { signal } = stopping
  let said = ''
  const run = async () => {
    while (!signal.aborted) {
      try {
        await catchUpMetrics(place, signal)
        said = ''
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (reason !== said) onTrouble(reason)
        said = reason
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}
