// SPDX-License-Identifier: MIT
// Asks the metrics worker, with a bound on what may wait. A worker that dies takes its questions with
// it (nodes send again what was not acknowledged) and is started anew. Reports are given to it some at a time, and the
// next when those are kept: of a large farm they share one transaction, and a chart waits for one lot of them at most.
import type { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../base/places.ts'
import type { Answers, Question, Reply, Request, WorkerData } from './messages.ts'
import type { Outcome, Take, Taken } from './ring-store.ts'

export class MetricsUnavailable extends Error {}
/** It is kept, and not loaded yet. */
export class MetricsNotRead extends MetricsUnavailable {}

export type MetricsWorker = {
  ask<Q extends Question>(question: Q): Promise<Answers[Q['kind']]>
  take(report: Take): Promise<Taken>
  /** Reports that are not with the worker yet, and questions that it has not answered. */
  waiting(): { reports: number; questions: number }
  close(): Promise<void>
}

const MAX_WAITING = 512
/** Reports that are not with the worker yet: two seconds of ten thousand nodes'. */
const MAX_GATHERED = 4_096
/** More when many wait: where the main thread is busy each lot takes it one turn of the loop, and those are few then. */
const TAKEN_AT_ONCE = { usually: 200, most: 1_000 }
/** Where reports come by the hundred a second, so long they are gathered; one by itself goes at once. */
const GATHER_MS = 50
const RESTART_MS = 1_000

/** As much of a thread as is asked of it. */
export type Thread = Pick<Worker, 'postMessage' | 'terminate'> & Pick<EventEmitter, 'on'>
export type BeginThread = (data: WorkerData) => Thread

/**
 * In MiB, of a thread's young generation, which is three of them. V8 reads it when a thread begins: the main thread keeps what the
 * process was started with, and threads that begin later have this one, too. What reports bring is gone with the next ones.
 */
const SEMI_SPACE = 4

const beginThread: BeginThread = (data) => {
  setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE}`)
  return new Worker(threadProgram('metrics-store/worker'), { workerData: data })
}

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void }
type Gathered = {
  report: Take
  resolve: (taken: Taken) => void
  reject: (error: Error) => void
}

type Hearing = {
  /** A thread took the place of one that ended: it knows what is in the file and nothing else. */
  onRestart?: () => void
  /** Why it can take nothing; null: it can again. */
  onTrouble?: (trouble: string | null) => void
}

/** Resolves when the file is open; rejects with the reason when it can't be. */
export async function startMetricsWorker(
  data: WorkerData,
  { onRestart = () => {}, onTrouble = () => {} }: Hearing = {},
  begin: BeginThread = beginThread,
): Promise<MetricsWorker> {
  const waiting = new Map<number, Waiting>()
  let nextId = 1
  let closing = false
  let worker: Thread | null = null
  worker = await start()

  function fail(reason: string): void {
    for (const { reject } of waiting.values()) reject(new MetricsUnavailable(reason))
    waiting.clear()
  }

  function start(): Promise<Thread> {
    const started = begin(data)
    return new Promise((resolve, reject) => {
      let cause: Error | null = null
      started.on('message', (reply: Reply) => {
        if (reply.kind === 'ready') return resolve(started)
        if (reply.kind === 'trouble') return onTrouble(reply.trouble)
        const asked = waiting.get(reply.id)
        waiting.delete(reply.id)
        if (reply.kind === 'answer') asked?.resolve(reply.answer as never)
        else if (reply.isNotReadYet) asked?.reject(new MetricsNotRead(reply.message))
        else asked?.reject(new MetricsUnavailable(reply.message))
      })
      started.on('error', (error: Error) => {
        cause = error
      })
      started.on('exit', (code) => {
        reject(cause ?? new MetricsUnavailable(`the metrics worker ended with code ${code}`))
        if (started !== worker) return
        worker = null
        fail('the metrics worker ended; it is started again')
        if (!closing) restart()
      })
    })
  }

  function restart(): void {
    setTimeout(() => {
      if (closing) return
      start().then((started) => {
        worker = started
        onRestart()
      }, restart)
    }, RESTART_MS).unref()
  }

  const ask: MetricsWorker['ask'] = (question) => {
    if (waiting.size >= MAX_WAITING) {
      return Promise.reject(
        new MetricsUnavailable(`${MAX_WAITING} questions to the metrics worker are waiting`),
      )
    }
    if (!worker) return Promise.reject(new MetricsUnavailable('the metrics worker is starting'))
    const to = worker
    const id = nextId++
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      const request: Request = { id, question }
      to.postMessage(request)
    })
  }

  const gathered: Gathered[] = []
  let isTaking = false
  let isCrowded = false

  function takeSoon(): void {
    if (isTaking || gathered.length === 0) return
    isTaking = true
    if (isCrowded) setTimeout(takeSome, GATHER_MS)
    else setImmediate(takeSome)
  }

  async function takeSome(): Promise<void> {
    const { usually, most } = TAKEN_AT_ONCE
    const some = gathered.splice(0, Math.min(most, Math.max(usually, gathered.length / 2)))
    isCrowded = some.length > 1
    const takes = some.map(({ report }) => report)
    const outcomes: Outcome[] = await ask({ kind: 'take', takes }).catch((error: Error) =>
      some.map(() => ({ failed: error.message })),
    )
    for (const [i, { resolve, reject }] of some.entries()) {
      const outcome = outcomes[i] ?? { failed: 'the metrics worker said nothing of it' }
      if ('failed' in outcome) reject(new MetricsUnavailable(outcome.failed))
      else resolve(outcome)
    }
    isTaking = false
    takeSoon()
  }

  return {
    ask,
    take(report) {
      if (gathered.length >= MAX_GATHERED) {
        return Promise.reject(new MetricsUnavailable(`${MAX_GATHERED} reports are waiting`))
      }
      return new Promise((resolve, reject) => {
        gathered.push({ report, resolve, reject })
        takeSoon()
      })
    },
    waiting: () => ({ reports: gathered.length, questions: waiting.size }),
    async close() {
      closing = true
      for (const { reject } of gathered.splice(0)) {
        reject(new MetricsUnavailable('the service is stopping'))
      }
      // A worker that dies while closing has closed.
      if (worker) await ask({ kind: 'close' }).catch(() => {})
      await worker?.terminate()
    },
  }
}
