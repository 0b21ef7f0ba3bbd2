// SPDX-License-Identifier: MIT
// Asks worker.ts for a backup.
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../base/places.ts'
import type { BackupFacts, BackupOrder } from './create.ts'
import type { WorkerAnswer } from './worker.ts'

export type BackupRun = { done: Promise<BackupFacts>; cancel: () => Promise<void> }

/** Cancelled, it fails and leaves its unfinished files to the next start. */
export function backUpInWorker(order: BackupOrder): BackupRun {
  const worker = new Worker(threadProgram('backup/worker'), { workerData: order })
  const done = new Promise<BackupFacts>((resolve, reject) => {
    worker.on('message', (answer: WorkerAnswer) =>
      answer.ok ? resolve(answer.facts) : reject(new Error(answer.message)),
    )
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the service was stopped meanwhile')))
  })
  return {
    done,
    cancel: async () => {
      await worker.terminate()
    },
  }
}
