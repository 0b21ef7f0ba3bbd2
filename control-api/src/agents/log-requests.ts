// SPDX-License-Identifier: MIT
// Asks a node for the tail of its error log: the question rides on the answer to its long poll, the
// lines come as a message of their own. In memory: who asked is waiting for the answer.
import { newId } from '../ids.ts'
import type { DesiredResponse, LogsRequest } from './messages.gen.ts'

export type LogTail = Pick<LogsRequest, 'lines' | 'droppedLines'>
type Question = NonNullable<DesiredResponse['request']>
type Asked = { nodeId: string; question: Question; isSent: boolean; answer(tail: LogTail): void }

/** Of one node at a time. */
const MAX_WAITING = 8

export class LogRequests {
  readonly #asked = new Map<string, Asked>()
  readonly #wake: (nodeId: string) => void
  readonly #withinMs: number

  constructor(wake: (nodeId: string) => void, withinMs = 10_000) {
    this.#wake = wake
    this.#withinMs = withinMs
  }

  /** null: the node did not answer in time. 'busy': too many ask it already. */
  async ask(nodeId: string, lines: number): Promise<LogTail | null | 'busy'> {
    const waiting = [...this.#asked.values()].filter((one) => one.nodeId === nodeId)
    if (waiting.length >= MAX_WAITING) return 'busy'
    const requestId = newId('request')
    const { promise, resolve } = Promise.withResolvers<LogTail | null>()
    const timer = setTimeout(() => resolve(null), this.#withinMs)
    const question: Question = { requestId, kind: 'errorLog', lines }
    this.#asked.set(requestId, { nodeId, question, isSent: false, answer: resolve })
    this.#wake(nodeId)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(requestId)
    }
  }

  /** The next question for the node; each is put once. */
  take(nodeId: string): Question | null {
    for (const asked of this.#asked.values()) {
      if (asked.nodeId !== nodeId || asked.isSent) continue
      asked.isSent = true
      return asked.question
    }
    return null
  }

  /** What nobody waits for any more is dropped. */
  answered(nodeId: string, { requestId, lines, droppedLines }: LogsRequest): void {
    const asked = this.#asked.get(requestId)
    if (asked?.nodeId === nodeId) asked.answer({ lines, droppedLines })
  }
}
