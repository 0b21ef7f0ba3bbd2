// SPDX-License-Identifier: MIT
// The thread that owns metrics.db: SQLite's calls block, and a chart over a year must not hold up a
// rollout. Questions are answered one after the other.
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from './give-way.ts'
import type { Answer, Question, Reply, Request, WorkerData } from './messages.ts'
import { openMetricsDb } from './open.ts'
import { createSeriesQuery } from './query.ts'
import { createRingStore } from './ring-store.ts'

const { path } = workerData as WorkerData
const db = openMetricsDb(path)
const rings = createRingStore(db)
const querySeries = createSeriesQuery(db)

function answer(question: Question): Answer {
  switch (question.kind) {
    case 'take':
      return rings.takeAll(question.takes)
    case 'query':
      return querySeries(question)
    case 'prune':
      return rings.pruneSome(question.nowMs, question.after)
    case 'give-way':
      return giveWay(db, rings, question)
    case 'close':
      db.close()
      return null
  }
}

const say = (reply: Reply) => parentPort?.postMessage(reply)

parentPort?.on('message', ({ id, question }: Request) => {
  try {
    say({ kind: 'answer', id, answer: answer(question) })
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
  if (question.kind === 'close') parentPort?.close()
})
say({ kind: 'ready' })
