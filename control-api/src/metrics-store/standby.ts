// SPDX-License-Identifier: MIT
// Of a replica that is not the leader: now and then it reads what is new in PostgreSQL's record, in a thread of its own, so that
// it has all but the last seconds when it becomes the leader.
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../base/places.ts'
import type { WorkerData } from './messages.ts'
import { metricsPath } from './metrics-store.ts'
import type { RecordPlace } from './postgres/copy.ts'

/** Nobody else may have this folder's metrics.db open. Rejects with the reason when it couldn't be read to the end. */
export async function catchUpMetrics({
  dataDir,
  record,
}: {
  dataDir: string
  record: RecordPlace
}): Promise<void> {
  const workerData: WorkerData = {
    path: metricsPath(dataDir),
    record: { ...record, isOnlyRead: true },
  }
  const thread = new Worker(threadProgram('metrics-store/worker'), { workerData })
  await new Promise<void>((resolve, reject) => {
    thread.on('error', reject)
    thread.on('exit', () => resolve())
  })
}
