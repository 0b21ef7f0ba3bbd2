// SPDX-License-Identifier: MIT
// Asks a node what a text would do on its machine: the question rides on the answer to its long poll, as one
// for its log does. In memory: who asked is waiting for the answer.
import { newId } from '../ids.ts'
import type { CheckRequest, DesiredResponse } from './messages.gen.ts'

export type CheckAnswer = Pick<CheckRequest, 'code' | 'message' | 'errors' | 'paths'>
type Question = Extract<NonNullable<DesiredResponse['request']>, { kind: 'check' }>
export type CheckQuestion = Pick<Question, 'digest' | 'text' | 'paths'>
type Asked = {
  nodeId: string
  question: Question
  isSent: boolean
  answer(said: CheckAnswer): void
}

export class CheckRequests {
  readonly #asked = new Map<string, Asked>()
  readonly #wake: (nodeId: string) => void

  constructor(wake: (nodeId: string) => void) {
    this.#wake = wake
  }

  /** null: the node did not answer in time. 'busy': somebody asks it already, and it takes one at a time. */
  async ask(
    nodeId: string,
    question: CheckQuestion,
    withinMs: number,
  ): Promise<CheckAnswer | null | 'busy'> {
    if ([...this.#asked.values()].some((one) => one.nodeId === nodeId)) return 'busy'
    const requestId = newId('request')
    const { promise, resolve } = Promise.withResolvers<CheckAnswer | null>()
    const timer = setTimeout(() => resolve(null), withinMs)
    const asked = { requestId, kind: 'check' as const, ...question }
    this.#asked.set(requestId, { nodeId, question: asked, isSent: false, answer: resolve })
    this.#wake(nodeId)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(requestId)
    }
  }

  /** The question for the node; it is put once. */
  take(nodeId: string): Question | null {
    for (const asked of this.#asked.values()) {
      if (asked.nodeId !== nodeId || asked.isSent) continue
      asked.isSent = true
      return asked.question
    }
    return null
  }

  /** What nobody waits for any more is dropped. */
  answered(nodeId: string, { requestId, ...said }: CheckRequest): void {
    const asked = this.#asked.get(requestId)
    if (asked?.nodeId === nodeId) asked.answer(said)
  }
}
