// SPDX-License-Identifier: MIT
// The thread of a replica that is not the leader: brings its metrics.db up to date, and ends.
import { workerData } from 'node:worker_threads'
import { catchUp } from './postgres/copy.ts'
import type { CopyOrder } from './standby.ts'

const { path, url } = workerData as CopyOrder
await catchUp(path, url, Date.now())
