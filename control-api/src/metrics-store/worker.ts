// SPDX-License-Identifier: MIT
// The thread that owns metrics.db: SQLite's calls block, and a chart over a year must not hold up a
// rollout.
import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from './answers.ts'
import type { Reply, Request, WorkerData } from './messages.ts'

const say = (reply: Reply) => parentPort?.postMessage(reply)
const data = workerData as WorkerData

if (data.record?.isOnlyRead) {
  const { catchUp } = await import('./postgres/copy.ts')
  await catchUp(data.path, data.record)
} else {
  const take = await answerQuestions(data, say)
  parentPort?.on('message', async (request: Request) => {
    await take(request)
    if (request.question.kind === 'close') parentPort?.close()
  })
  say({ kind: 'ready' })
}
