// SPDX-License-Identifier: MIT
// Asks a node something on its machine: the question rides on the answer to its long poll, the answer comes
// as a message of its own. In memory: who asked is waiting for the answer.
import type { CheckRequest, DesiredResponse, LogsRequest } from '../agent-protocol/messages.gen.ts'
import { newId } from '../base/ids.ts'

type Question = NonNullable<DesiredResponse['request']>
type OfKind<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>
type Asked<Kind extends Question['kind'], Answer> = {
  nodeId: string
  question: OfKind<Kind>
  isSent: boolean
  answer(said: Answer): void
}

export type LogTail = Pick<LogsRequest, 'lines' | 'droppedLines'>
export type CheckAnswer = Pick<CheckRequest, 'code' | 'message' | 'errors' | 'paths'>
export type CheckQuestion = Omit<OfKind<'check'>, 'kind' | 'requestId'>

/** The tail of its error log. */
export type LogQuestions = Questions<'errorLog', LogTail>
export const logQuestions = (wake: Wake): LogQuestions => new Questions('errorLog', wake, 8)

/** What a text would do there. */
export type CheckQuestions = Questions<'check', CheckAnswer>
export const checkQuestions = (wake: Wake): CheckQuestions => new Questions('check', wake, 1)

type Wake = (nodeId: string) => void

class Questions<Kind extends Question['kind'], Answer> {
  readonly #asked = new Map<string, Asked<Kind, Answer>>()
  readonly #ofNode = new Map<string, Set<Asked<Kind, Answer>>>()
  readonly #kind: Kind
  readonly #wake: Wake
  readonly #mostPerNode: number

  constructor(kind: Kind, wake: Wake, mostPerNode: number) {
    this.#kind = kind
    this.#wake = wake
    this.#mostPerNode = mostPerNode
  }

  /** null: the node did not answer in time. 'busy': as many ask it already as may. */
  async ask(
    nodeId: string,
    about: Omit<OfKind<Kind>, 'kind' | 'requestId'>,
    withinMs: number,
  ): Promise<Answer | null | 'busy'> {
    const ofNode = this.#ofNode.get(nodeId) ?? new Set()
    if (ofNode.size >= this.#mostPerNode) return 'busy'
    const requestId = newId('request')
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    const timer = setTimeout(() => resolve(null), withinMs)
    const question = { requestId, kind: this.#kind, ...about } as unknown as OfKind<Kind>
    const asked = { nodeId, question, isSent: false, answer: resolve }
    this.#asked.set(requestId, asked)
    this.#ofNode.set(nodeId, ofNode.add(asked))
    this.#wake(nodeId)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(requestId)
      ofNode.delete(asked)
      if (ofNode.size === 0) this.#ofNode.delete(nodeId)
    }
  }

  /** The next question for the node; each is put once. Asked at every poll of every node. */
  take(nodeId: string): OfKind<Kind> | null {
    for (const asked of this.#ofNode.get(nodeId) ?? []) {
      if (asked.isSent) continue
      asked.isSent = true
      return asked.question
    }
    return null
  }

  /** What nobody waits for any more is dropped. */
  answered(nodeId: string, { requestId, ...said }: Answer & { requestId: string }): void {
    const asked = this.#asked.get(requestId)
    if (asked?.nodeId === nodeId) asked.answer(said as Answer)
  }
}
