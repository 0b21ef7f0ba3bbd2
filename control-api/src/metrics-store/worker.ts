// SPDX-License-Identifier: MIT
// The thread that owns metrics.db: SQLite's calls block, and a chart over a year must not hold up a
// rollout.
import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from './answers.ts'
import type { Reply, Request, WorkerData } from './messages.ts'

const say = (reply: Reply) => parentPort?.postMessage(reply)
const take = answerQuestions(workerData as WorkerData, say)

parentPort?.on('message', async (request: Request) => {
  await take(request)
  if (request.question.kind === 'close') parentPort?.close()
})
say({ kind: 'ready' })
