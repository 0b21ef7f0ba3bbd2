// SPDX-License-Identifier: MIT
// A node by the rules of server-c/agent-protocol/README.md: what survives it is in `disk`, the rest a crash takes.
import type { Answer, Network } from './network.ts'
import type { Chance, Scheduler } from './scheduler.ts'

export type Given = { generation: number; digest: string; epoch: number }
/** What a version does to a node: nothing bad, or one of these. */
export type Flaw = 'nack' | 'busy' | 'crash' | 'stuck' | 'slow' | null
export type Message =
  | {
      kind: 'hello'
      lastResult: Result | null
      maxGeneration: number
      maxEpoch: number
      run: number
      /** What a person made of its config on the machine. */
      local: string | null
    }
  | { kind: 'local'; digest: string }
  | { kind: 'desired'; have: number }
  | { kind: 'ack' | 'confirm'; given: Given }
  | { kind: 'nack'; given: Given; code: string; maxGeneration: number; maxEpoch: number }
  | { kind: 'result'; result: Result }
export type Result = {
  given: Given
  outcome: 'applied' | 'reverted' | 'stuck'
  reason: string | null
}
export type Send = (nodeId: string, message: Message, answer: (answer: Answer) => void) => void
/** Why what runs became another: who watches wants to know. */
export type Change = 'swap' | 'expiry' | 'crash' | 'boot' | 'edit'

type Deps = {
  scheduler: Scheduler
  chance: Chance
  network: Network
  send: Send
  flawOf: (nodeId: string, digest: string) => Flaw
  onRuns: (node: SimNode, change: Change) => void
  /** After so long it asks again. */
  pollMs: () => number
}

const CONFIRM_WITHIN_MS = 60_000
const RETRY_MS = [500, 5_000] as const

export class SimNode {
  readonly id: string
  readonly #deps: Deps
  readonly disk = {
    good: null as Given | null,
    maxGeneration: 0,
    maxEpoch: 0,
    /** Staged and not confirmed; a start discards it. */
    staged: null as Given | null,
    untold: null as Result | null,
    /** A person's change of the config; survives everything but being let go. */
    local: null as string | null,
  }
  /** Digests its own check has passed. */
  readonly validated = new Set<string>()
  /** `generation digest` of all it ever ran. */
  readonly ran = new Set<string>()
  isUp = false
  running: Given | null = null
  /** Runs, and may not be kept yet. */
  trial: Given | null = null
  /** Acknowledged or about to be. */
  #candidate: Given | null = null
  #have = 0
  /** Counts starts: what was begun before the last one is void. */
  run = 0

  constructor(id: string, deps: Deps) {
    this.id = id
    this.#deps = deps
  }

  boot(): void {
    const { disk } = this
    this.isUp = true
    this.run++
    this.trial = null
    this.#candidate = null
    if (disk.staged) {
      disk.untold = { given: disk.staged, outcome: 'reverted', reason: 'restart' }
      disk.staged = null
    }
    this.#have = disk.maxGeneration
    this.#runs(this.#served(), 'boot')
    this.#hello()
  }

  crash(): void {
    this.isUp = false
    this.run++
  }

  #hello(): void {
    const { untold, maxGeneration, maxEpoch, local } = this.disk
    const fences = { maxGeneration, maxEpoch }
    this.#say({ kind: 'hello', lastResult: untold, ...fences, run: this.run, local }, () => {
      if (this.disk.untold === untold) this.disk.untold = null
      this.#ask()
    })
  }

  #ask(): void {
    this.#say({ kind: 'desired', have: this.#have }, ({ body }) => {
      if (body) this.#take(body as Given)
      else this.#ask()
    })
  }

  #take(given: Given): void {
    if (given.generation <= this.#have) {
      this.#ask()
      return
    }
    const refusal = this.#refusalOf(given)
    const isFence = refusal === 'epoch_fenced' || refusal === 'stale_generation'
    if (refusal && !isFence) this.#have = given.generation
    if (refusal) this.#refuse(given, refusal)
    else this.#accept(given)
  }

  #refusalOf({ generation, digest, epoch }: Given): string | null {
    if (epoch < this.disk.maxEpoch) return 'epoch_fenced'
    if (generation <= this.disk.maxGeneration) return 'stale_generation'
    if (this.running?.digest === digest) return null
    if (this.disk.local !== null) return 'local_change'
    const flaw = this.#deps.flawOf(this.id, digest)
    if (flaw === 'busy') return this.#deps.chance.is(0.7) ? 'busy' : null
    return flaw === 'nack' ? 'semantic' : null
  }

  /** Somebody edits the config on the machine, when nothing is under way there. */
  edit(): void {
    const { good, maxGeneration } = this.disk
    if (!this.isUp || good?.generation !== maxGeneration) return
    this.disk.local = `edited on ${this.id}`
    this.validated.add(this.disk.local)
    this.#runs(this.#served(), 'edit')
    this.#say({ kind: 'local', digest: this.disk.local }, () => {})
  }

  /** And lets go of it. */
  letGo(): void {
    if (!this.isUp || this.disk.local === null) return
    this.disk.local = null
    this.#runs(this.disk.good, 'edit')
  }

  #served = (): Given | null => {
    const { good, local } = this.disk
    return good && local !== null ? { ...good, digest: local } : good
  }

  #accept(given: Given): void {
    const { disk } = this
    this.validated.add(given.digest)
    disk.maxGeneration = given.generation
    disk.maxEpoch = given.epoch
    this.#have = given.generation
    this.#candidate = given
    this.#say({ kind: 'ack', given }, ({ status }) => {
      this.#ask()
      if (this.#candidate !== given) return
      this.#candidate = null
      if (status === 200) this.#later(10, 2_000, () => this.#swap(given))
    })
  }

  #refuse(given: Given, code: string): void {
    const { maxGeneration, maxEpoch } = this.disk
    this.#say({ kind: 'nack', given, code, maxGeneration, maxEpoch }, () => this.#ask())
  }

  #swap(given: Given): void {
    // A newer one was taken meanwhile.
    if (given.generation < this.disk.maxGeneration) return
    const isSame = this.running?.digest === given.digest
    this.disk.staged = given
    this.trial = given
    this.#runs(given, 'swap')
    this.#later(CONFIRM_WITHIN_MS, CONFIRM_WITHIN_MS, () => this.#goBack(given, 'unconfirmed'))
    const flaw = isSame ? null : this.#deps.flawOf(this.id, given.digest)
    if (flaw === 'crash') this.#later(500, 5_000, () => this.#goBack(given, 'crash_loop'))
    if (flaw === 'stuck') this.#tell({ given, outcome: 'stuck', reason: 'port_in_use' })
    else {
      const result = { given, outcome: 'applied' as const, reason: null }
      this.#say({ kind: 'result', result }, () => this.#confirm(given))
    }
  }

  #confirm(given: Given): void {
    if (this.trial !== given) return
    this.#say({ kind: 'confirm', given }, ({ body }) => {
      if (body === true) this.#keep(given)
      else if (this.trial === given) this.#later(1_000, 1_000, () => this.#confirm(given))
    })
  }

  #keep(given: Given): void {
    const { disk } = this
    if ((disk.good?.generation ?? 0) < given.generation) disk.good = given
    if (disk.staged === given) disk.staged = null
    if (this.trial === given) this.trial = null
  }

  #goBack(given: Given, reason: string): void {
    if (this.trial !== given) return
    this.trial = null
    this.disk.staged = null
    this.#runs(this.#served(), reason === 'unconfirmed' ? 'expiry' : 'crash')
    this.#tell({ given, outcome: 'reverted', reason })
  }

  #tell(result: Result): void {
    this.disk.untold = result
    this.#say({ kind: 'result', result }, () => {
      if (this.disk.untold === result) this.disk.untold = null
    })
  }

  #runs(given: Given | null, change: Change): void {
    this.running = given
    if (given) this.ran.add(`${given.generation} ${given.digest}`)
    this.#deps.onRuns(this, change)
  }

  /** Until it is answered, as long as this start of it lives. */
  #say(message: Message, then: (answer: Answer) => void): void {
    const { run } = this
    const { network, send, scheduler, chance } = this.#deps
    let isAnswered = false
    const attempt = () => {
      if (isAnswered || this.run !== run || !this.isUp) return
      network.carry(this.id, () => {
        send(this.id, message, (answer) => {
          network.carry(this.id, () => {
            if (isAnswered || this.run !== run || !this.isUp) return
            isAnswered = true
            then(answer)
          })
        })
      })
      scheduler.after(
        message.kind === 'desired' ? this.#deps.pollMs() : chance.between(...RETRY_MS),
        attempt,
      )
    }
    attempt()
  }

  #later(least: number, most: number, work: () => void): void {
    const { run } = this
    this.#deps.scheduler.after(this.#deps.chance.between(least, most), () => {
      if (this.run === run && this.isUp) work()
    })
  }
}
