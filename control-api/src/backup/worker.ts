// SPDX-License-Identifier: MIT
// Makes one backup in a thread of its own: copying, checking and encrypting take seconds of a core, and the
// service answers meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import { isDiskFull } from '../storage/disk-space.ts'
import { type BackupFacts, type BackupOrder, createBackup } from './create.ts'

export type WorkerAnswer = { ok: true; facts: BackupFacts } | { ok: false; message: string }

const order: BackupOrder = workerData
const answer: WorkerAnswer = await createBackup(order).then(
  (facts) => ({ ok: true, facts }),
  (error: unknown) => ({ ok: false, message: tell(error) }),
)
parentPort?.postMessage(answer)

function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return isDiskFull(error) ? 'the disk is full: make room' : error.message
}
