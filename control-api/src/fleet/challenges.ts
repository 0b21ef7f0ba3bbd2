// SPDX-License-Identifier: MIT
// What every node is to answer under /.well-known/acme-challenge/ (RFC 8555, 8.3), and which nodes say that they do. In memory:
// an order that is still wanted after a start puts its challenges anew. Nodes are told the whole list whenever what they
// answer differs from it, so nothing is lost by an answer that was.
import { performance } from 'node:perf_hooks'
import type { Challenge } from '../agent-protocol/messages.gen.ts'

export type NewChallenge = Omit<Challenge, 'endsInMs'> & { lifeMs: number }

const NONE: ReadonlySet<string> = new Set()
/** As many as one answer holds. */
export const MAX_CHALLENGES = 256

type Deps = {
  /** Ends the long polls. */
  wakeAll: () => void
  monotonicMs?: () => number
}

export class Challenges {
  readonly #standing = new Map<string, Omit<Challenge, 'endsInMs'> & { endsAt: number }>()
  /** By node: what it said last that it answers. */
  readonly #heard = new Map<string, ReadonlySet<string>>()
  readonly #deps: Required<Deps>

  constructor(deps: Deps) {
    this.#deps = { monotonicMs: () => performance.now(), ...deps }
  }

  /**
   * From now on all nodes are to answer these; those that stand already go on for `lifeMs` from now. False: there are too
   * many, and none was put.
   */
  put(challenges: readonly NewChallenge[]): boolean {
    this.#drop()
    const isNew = ({ token }: NewChallenge) => !this.#standing.has(token)
    const added = challenges.filter(isNew).length
    if (this.#standing.size + added > MAX_CHALLENGES) return false
    for (const { lifeMs, ...challenge } of challenges) {
      const endsAt = this.#deps.monotonicMs() + lifeMs
      this.#standing.set(challenge.token, { ...challenge, endsAt })
    }
    if (added > 0) this.#deps.wakeAll()
    return true
  }

  remove(tokens: readonly string[]): void {
    const gone = tokens.filter((token) => this.#standing.delete(token))
    if (gone.length > 0) this.#deps.wakeAll()
  }

  /** Which tokens the node said last that it answers. */
  answersOf(nodeId: string): ReadonlySet<string> {
    return this.#heard.get(nodeId) ?? NONE
  }

  /** A node says what it answers. */
  heard(nodeId: string, tokens: readonly string[]): void {
    if (tokens.length === 0) this.#heard.delete(nodeId)
    else this.#heard.set(nodeId, new Set(tokens))
  }

  /** All there are, when the node answers others; null: it has them. */
  newsFor(answered: readonly string[]): Challenge[] | null {
    this.#drop()
    const isSame =
      answered.length === this.#standing.size &&
      answered.every((token) => this.#standing.has(token))
    if (isSame) return null
    const nowMs = this.#deps.monotonicMs()
    return [...this.#standing.values()].map(({ endsAt, ...challenge }) => ({
      ...challenge,
      endsInMs: Math.round(endsAt - nowMs),
    }))
  }

  #drop(): void {
    const nowMs = this.#deps.monotonicMs()
    for (const [token, { endsAt }] of this.#standing) {
      if (endsAt <= nowMs) this.#standing.delete(token)
    }
  }
}
