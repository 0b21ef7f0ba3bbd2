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
  const take = answerQuestions({ path, record: null }, say)
  setImmediate(say, { kind: 'ready' })
  return Object.assign(heard, {
    postMessage(request: Request) {
      setImmediate(take, structuredClone(request))
    },
    terminate: async () => 0,
  })
}
