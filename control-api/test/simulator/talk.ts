// SPDX-License-Identifier: MIT
// How a node talks, as agent_speak.c and agent_session.c have it: one message at a time, said again until it is
// answered, and beside it the long poll. Knows nothing of what the messages are about.
import type { AheadSaid, Answer, Given, Message } from './messages.ts'
import type { Network } from './network.ts'
import type { Chance, Scheduler } from './scheduler.ts'

export type TalkDeps = {
  chance: Chance
  scheduler: Pick<Scheduler, 'nowMs'>
  network: Network
  /** After so long it asks again. */
  pollMs: () => number
}
/** Who talks. */
export type Speaker = {
  readonly id: string
  readonly isUp: boolean
  readonly incarnation: string
  /** The newest generation that it has answered. */
  readonly have: number
  readonly owesAnswer: boolean
  /** undefined: it is too old to hold anything ahead. */
  readonly ahead: AheadSaid | undefined
  readonly isConfirming: boolean
  send(message: Message, answer: (answer: Answer) => void): void
  hello(): Message
  /** What it has to say; null: nothing. */
  next(): Message | null
  heard(message: Message, answer: Answer): void
  take(assignment: Given): void
  /** These versions ahead, and no others. */
  hold(digests: readonly string[]): void
  /** Two processes speak for it. */
  isCloned(): void
  /** As long as this start of it lives. */
  later(least: number, most: number, work: () => void): void
  /** A power cut in the midst of it ends it. */
  safely(work: () => void): void
}

const RETRY_MS = [500, 5_000] as const
const CLONE_MS = 5_000
const REFUSED_MS = 60_000

export class Talk {
  readonly #deps: TalkDeps
  readonly #speaker: Speaker
  #isInSession = false
  #isAsking = false
  #isTalking = false
  #isOver = false
  /** Of the message on its way; an answer to an earlier one is not heard. */
  #said = 0
  /** Came while a confirmation was under way. */
  #held: Given | null = null

  constructor(deps: TalkDeps, speaker: Speaker) {
    this.#deps = deps
    this.#speaker = speaker
  }

  /** What it has to say, unless it waits for an answer. */
  go(): void {
    const speaker = this.#speaker
    if (!speaker.isUp || this.#isTalking) return
    this.#ask()
    const message = this.#isInSession ? speaker.next() : speaker.hello()
    if (!message) return
    const isIt = this.#begin()
    this.#send(message, (answer) => {
      if (isIt()) this.#hear(message, answer)
    })
    speaker.later(...RETRY_MS, () => {
      if (isIt()) this.#goOn()
    })
  }

  /** Its process has ended. What it said still arrives; the answer has nobody to go to. */
  end(): void {
    this.#isOver = true
  }

  /** Its hello is to be said again. */
  endSession(waitMs = 0): void {
    this.#isInSession = false
    this.#held = null
    this.pause(waitMs)
  }

  /** Nothing is said before that, and no answer heard. */
  pause(ms: number): void {
    const isIt = this.#begin()
    if (ms === 0) this.#goOn()
    else
      this.#speaker.later(ms, ms, () => {
        if (isIt()) this.#goOn()
      })
  }

  #begin(): () => boolean {
    this.#isTalking = true
    const said = ++this.#said
    return () => this.#isTalking && this.#said === said
  }

  #goOn(): void {
    this.#isTalking = false
    this.go()
  }

  #ask(): void {
    const { have, incarnation, owesAnswer, ahead } = this.#speaker
    if (!this.#isInSession || this.#isAsking || owesAnswer || this.#held) return
    this.#isAsking = true
    let isOver = false
    const end = (work: () => void) => {
      if (isOver) return
      isOver = true
      this.#isAsking = false
      work()
    }
    this.#send({ kind: 'desired', incarnation, have, ahead }, (answer) =>
      end(() => this.#hearDesired(answer)),
    )
    const pollMs = this.#deps.pollMs()
    // Silence ends the session: who is there is asked anew.
    this.#speaker.later(pollMs, pollMs, () => end(() => this.endSession()))
  }

  #send(message: Message, then: (answer: Answer) => void): void {
    const { network } = this.#deps
    const speaker = this.#speaker
    network.carry(speaker.id, () => {
      speaker.send(message, (answer) => {
        network.carry(speaker.id, () => {
          if (speaker.isUp && !this.#isOver) speaker.safely(() => then(answer))
        })
      })
    })
  }

  /** True: it was no answer to what was said, but about who says it. */
  #isTrouble(answer: Answer): boolean {
    const { chance } = this.#deps
    switch (answer.code) {
      case 'say_hello':
        this.endSession(chance.between(1, 2_000))
        return true
      case 'say_again':
        this.endSession(chance.between(50, 500))
        return true
      case 'clone_detected':
        this.#speaker.isCloned()
        this.endSession(CLONE_MS)
        return true
      case 'identity_revoked':
        this.endSession(REFUSED_MS)
        return true
      case 'ok':
      case 'superseded':
        return false
    }
  }

  #hearDesired(answer: Answer): void {
    if (this.#isTrouble(answer) || !this.#isInSession || answer.code !== 'ok') return
    const { assignment, ahead } = answer
    if (ahead) this.#speaker.hold(ahead)
    if (assignment && this.#speaker.isConfirming && this.#isTalking) this.#held = assignment
    else if (assignment) this.#speaker.take(assignment)
    // A control plane that gives the same again and again is not asked in a tight loop.
    if (assignment) this.#speaker.later(100, 500, () => this.#ask())
    this.go()
  }

  #hear(message: Message, answer: Answer): void {
    this.#isTalking = false
    if (this.#isTrouble(answer)) return
    if (message.kind === 'hello') this.#isInSession = answer.code === 'ok'
    this.#speaker.heard(message, answer)
    const held = this.#held
    this.#held = null
    if (held) this.#speaker.take(held)
    this.go()
  }
}
