// SPDX-License-Identifier: MIT
// What nodes' messages mean, as inbox.ts has it over SQL: by the service's own tables (offers.ts, clones.ts).
import { judge, type Said } from '../../src/assignments/offers.ts'
import type { RolloutEvent } from '../../src/features/rollouts/reducer/model.ts'
import { mayKeep } from '../../src/features/rollouts/reducer/rules.ts'
import { admit, type Incarnation, judgeHello } from '../../src/node-identity/clones.ts'
import { findOffer, isCurrent, nodeOf, type Offer, setNode, setOfferState } from './database.ts'
import type { Engine, Host } from './engine.ts'
import type { Watch } from './invariants.ts'
import type { Answer, Effective, Fences, Given, Message, NackCode, Result } from './messages.ts'

type Told = {
  kind: Said
  code: NackCode | null
  reason: string | null
  effective: Effective | null
}

const OK: Answer = { code: 'ok' }
const SUPERSEDED: Answer = { code: 'superseded' }

export class Inbox {
  readonly #host: Host
  readonly #engine: Engine
  readonly #watch: Watch

  constructor(host: Host, engine: Engine, watch: Watch) {
    this.#host = host
    this.#engine = engine
    this.#watch = watch
  }

  get #db() {
    return this.#host.db
  }

  take(nodeId: string, message: Exclude<Message, { kind: 'desired' | 'ahead' }>): Answer {
    if (message.kind === 'hello') return this.#hello(nodeId, message)
    if (message.kind === 'fetching') {
      const { files, filesDone } = message
      const nodes = [{ nodeId, files, filesDone }]
      this.#engine.toAllOf(nodeId, { kind: 'fetching', nodes })
      return OK
    }
    if (admit(nodeOf(this.#db, nodeId).standing, null) === 'refused') {
      return { code: 'clone_detected' }
    }
    switch (message.kind) {
      case 'nack': {
        const { given, code, fences } = message
        const offer = this.#currentOffer(nodeId, given)
        if (!offer) return SUPERSEDED
        if (fences) this.#raiseFences(nodeId, fences)
        this.#advance(offer, { kind: 'nacked', code, reason: null, effective: null })
        return OK
      }
      case 'ack': {
        const offer = this.#currentOffer(nodeId, message.given)
        if (!offer) return SUPERSEDED
        this.#advance(offer, { kind: 'acked', code: null, reason: null, effective: null })
        return OK
      }
      case 'result':
        return this.#result(nodeId, message.result) ? OK : SUPERSEDED
      case 'confirm':
        return this.#confirm(nodeId, message)
    }
  }

  #hello(nodeId: string, hello: Extract<Message, { kind: 'hello' }>): Answer {
    const { standing, said: last, drift: known } = nodeOf(this.#db, nodeId)
    const before = standing.current === null ? null : last
    const { incarnation, fences, effective, drift, lastResult } = hello
    const said: Incarnation = { incarnation, hostname: nodeId, address: null, atMs: 0 }
    const verdict = judgeHello(standing, said, { before, isKeyed: false })
    setNode(this.#db, nodeId, { standing: verdict.standing })
    if (verdict.kind === 'detected') this.#host.wake(nodeId)
    if (verdict.kind === 'say-again') return { code: 'say_again' }
    if (verdict.kind !== 'same' && verdict.kind !== 'new') return { code: 'clone_detected' }
    const discarded = drift === known ? nodeOf(this.#db, nodeId).discarded : null
    setNode(this.#db, nodeId, { said, fences, drift, discarded })
    if (lastResult) this.#result(nodeId, lastResult)
    setNode(this.#db, nodeId, { effective })
    const isRestart = verdict.kind === 'new' && before !== null
    if (isRestart) this.#engine.toAllOf(nodeId, { kind: 'restarted', nodeId })
    if (effective?.isLocal) {
      const { digest } = effective
      this.#engine.toAllOf(nodeId, { kind: 'drifted', nodeId, generation: null, digest })
    }
    return OK
  }

  #raiseFences(nodeId: string, { maxGeneration, maxEpoch }: Fences): void {
    const { fences } = nodeOf(this.#db, nodeId)
    setNode(this.#db, nodeId, {
      fences: {
        maxGeneration: Math.max(fences.maxGeneration, maxGeneration),
        maxEpoch: Math.max(fences.maxEpoch, maxEpoch),
      },
    })
  }

  #currentOffer(nodeId: string, given: Given): Offer | null {
    const offer = findOffer(this.#db, nodeId, given)
    return offer?.digest === given.digest && isCurrent(this.#db, offer) ? offer : null
  }

  #result(nodeId: string, { given, outcome, reason, effective }: Result): boolean {
    const offer = findOffer(this.#db, nodeId, given)
    if (!offer) return false
    const isNews = this.#advance(offer, { kind: outcome, code: null, reason, effective })
    if (isNews && effective) setNode(this.#db, nodeId, { effective })
    return true
  }

  #confirm(nodeId: string, { given, effective }: { given: Given; effective: Effective }): Answer {
    const offer = findOffer(this.#db, nodeId, given)
    const isConfirmed = offer?.state === 'confirmed' && offer.digest === given.digest
    const current = isConfirmed ? offer : this.#currentOffer(nodeId, given)
    if (!current) return SUPERSEDED
    if (judge('confirmed', current.state) === 'stale') return { code: 'ok', confirmed: false }
    setNode(this.#db, nodeId, { effective })
    if (isConfirmed) return { code: 'ok', confirmed: true }
    const runsIt = effective.digest === current.digest
    const told = { code: null, reason: null, effective }
    if (runsIt) this.#advance(current, { kind: 'applied', ...told })
    const applied = findOffer(this.#db, nodeId, given)
    const { rolloutId } = current
    const rollout = rolloutId === null ? undefined : this.#db.rollouts.get(rolloutId)
    const about = { nodeId, generation: given.generation }
    const isTaken = runsIt && applied !== undefined && judge('confirmed', applied.state) === 'take'
    const keep = isTaken && (!rollout || mayKeep(rollout, about))
    if (!keep) return { code: 'ok', confirmed: false }
    this.#watch.onKept(rollout, applied)
    this.#advance(applied, { kind: 'confirmed', ...told })
    return { code: 'ok', confirmed: true }
  }

  /** False: it was no news. */
  #advance(offer: Offer, told: Told): boolean {
    if (judge(told.kind, offer.state) !== 'take') return false
    this.#watch.onBelieved(this.#db, offer.nodeId)
    setOfferState(this.#db, offer, told.kind, told.code)
    const { drift } = nodeOf(this.#db, offer.nodeId)
    const event = eventOf(offer, told, drift)
    if (offer.rolloutId !== null) this.#engine.dispatch(offer.rolloutId, event)
    return true
  }
}

function eventOf(
  { nodeId, generation }: Offer,
  { kind, code, reason, effective }: Told,
  drift: string | null,
): RolloutEvent {
  switch (kind) {
    case 'acked':
    case 'confirmed':
      return { kind, nodeId, generation }
    case 'nacked':
      return code === 'local_change'
        ? { kind: 'drifted', nodeId, generation, digest: drift }
        : { kind, nodeId, generation, code: code ?? '', message: 'it refused', errors: [] }
    case 'applied':
      return { kind, nodeId, generation, digest: effective?.digest ?? null }
    case 'reverted':
    case 'stuck':
      return { kind, nodeId, generation, reason, message: 'it said so' }
  }
}
