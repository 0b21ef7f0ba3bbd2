// SPDX-License-Identifier: MIT
// A thread for the measurements of each service takes as much of a core as the rest of the service, and tests start
// some thousand. The same answers are given in the test's own thread, to copies as they come to a thread; that a
// thread of its own answers, ends and is begun anew is tested in metrics-store/, and by each process that tests start.
import { EventEmitter } from 'node:events'
import { answerQuestions } from '../src/metrics-store/answers.ts'
import type { Reply, Request } from '../src/metrics-store/messages.ts'
import type { BeginThread } from '../src/metrics-store/worker-client.ts'

export const inThisThread: BeginThread = ({ path }) => {
  const heard = new EventEmitter()
  const say = (reply: Reply) => heard.emit('message', structuredClone(reply))
  // What is kept in PostgreSQL besides has tests of its own (metrics-store/postgres).
  const answering = answerQuestions({ path, record: null }, say)
  answering.then(
    () => setImmediate(say, { kind: 'ready' }),
    (error) => {
      heard.emit('error', error)
      heard.emit('exit', 1)
    },
  )
  return Object.assign(heard, {
    postMessage(request: Request) {
      setImmediate(async () => (await answering)(structuredClone(request)))
    },
    terminate: async () => 0,
  })
}
