// SPDX-License-Identifier: MIT
// A node as server-c's agent is one (agent_apply*.c, agent_session.c): what survives it is on its disk, what
// its supervisor remembers survives a crash of the serving process, the rest goes with each.
import { type Disk, emptyDisk, PowerCut } from './disk.ts'
import { FETCH_MS, HeldAhead } from './held-ahead.ts'
import type { AheadSaid, Answer, Effective, Given, Message, NackCode, Result } from './messages.ts'
import { contentsOf, firstMissing, swept } from './release-files.ts'
import type { Scheduler } from './scheduler.ts'
import { type Speaker, Talk, type TalkDeps } from './talk.ts'

/** What a version does to a node: nothing bad, or one of these. */
export type Flaw = 'nack' | 'unfit' | 'busy' | 'crash' | 'stuck' | 'slow' | null
/** Why what runs became another: who watches wants to know. */
export type Change = 'swap' | 'expiry' | 'crash' | 'boot' | 'edit'

export type NodeDeps = TalkDeps & {
  scheduler: Scheduler
  send: (node: SimNode, message: Message, answer: (answer: Answer) => void) => void
  flawOf: (nodeId: string, digest: string) => Flaw
  onRuns: (node: SimNode, change: Change) => void
  /** Between two steps; true: the machine is down now. */
  fails: (node: SimNode) => boolean
}
type Trial = { generation: number; crashes: number; endsAtMs: number }
type Phase = 'idle' | 'acking' | 'proving' | 'confirming'

/** So many nodes, one that is too old to hold anything ahead. */
const OLD_OF = 5
/** Of so many contents. */
const WRONG_BYTES = 0.1
const CONFIRM_WITHIN_MS = 60_000
const CONFIRM_AGAIN_MS = 1_000
const RESTART_MS = [200, 2_000] as const
/** Two crashes of an unconfirmed config are a loop. */
const MOST_CRASHES = 2

const isFence = (code: NackCode) => code === 'stale_generation' || code === 'epoch_fenced'

export class SimNode implements Speaker {
  readonly id: string
  /** Of this process and its machine: a clone has its node's id and a label of its own. */
  readonly label: string
  readonly disk: Disk
  readonly #deps: NodeDeps
  /** Digests its own check has passed. */
  readonly validated = new Set<string>()
  isUp = false
  running: Effective | null = null
  /** Counts starts: what was begun before the last one is void. */
  run = 0
  /** Told that two processes speak for it: nothing changes until a hello is taken. */
  isRefused = false
  #trial: Trial | null = null
  #phase: Phase = 'idle'
  #offered: Given | null = null
  /** Runs, and may not be kept yet. */
  swapped: Given | null = null
  #nack: { given: Given; code: NackCode } | null = null
  #result: Result | null = null
  #isResultDue = false
  have = 0
  /** Was offered, and has a release that is not here whole. */
  #fetching: Given | null = null
  #talk: Talk
  #ahead: HeldAhead

  constructor(id: string, label: string, deps: NodeDeps, copyOf?: SimNode) {
    this.id = id
    this.label = label
    this.#deps = deps
    this.disk = copyOf ? { ...copyOf.disk } : emptyDisk()
    if (copyOf) this.validated = new Set(copyOf.validated)
    this.#talk = new Talk(deps, this)
    this.#ahead = this.#newAhead()
  }

  get incarnation(): string {
    return `${this.label}.${this.run}`
  }

  boot(): void {
    const { disk } = this
    this.#forget()
    this.isUp = true
    this.safely(() => {
      if (!this.#resume()) {
        this.#noteCrash()
        this.#runs(this.#resting(), 'boot')
        this.#discardStaged()
        this.#trial = null
      }
      if (disk.confirmed || this.#result) this.have = disk.maxGeneration
      this.#talk.go()
    })
  }

  /** The whole machine. */
  crash(): void {
    this.isUp = false
    this.run++
    this.#trial = null
  }

  /** The serving process; its supervisor starts it again. */
  failProcess(): void {
    const { scheduler, chance } = this.#deps
    this.isUp = false
    const run = ++this.run
    if (this.#trial) this.#trial.crashes++
    scheduler.after(chance.between(...RESTART_MS), () => {
      if (this.run === run && !this.isUp) this.boot()
    })
  }

  /** A person changes config.jsonc, and reloads. */
  edit(digest: string): void {
    const { disk } = this
    if (!disk.confirmed || digest === disk.confirmed.digest) return
    disk.edited = digest
    this.validated.add(digest)
    if (this.#phase === 'idle' && !this.swapped) this.#runs(this.#resting(), 'edit')
    this.#talk.endSession()
  }

  #forget(): void {
    this.run++
    this.#phase = 'idle'
    this.#offered = null
    this.swapped = null
    this.#nack = null
    this.#result = null
    this.#isResultDue = false
    this.have = 0
    this.#fetching = null
    this.isRefused = false
    this.running = null
    this.#talk.end()
    this.#talk = new Talk(this.#deps, this)
    this.#ahead = this.#newAhead()
  }

  #newAhead = () =>
    new HeldAhead({
      ...{ disk: this.disk, chance: this.#deps.chance, isBusy: () => this.#fetching !== null },
      write: (change) => this.#write(change),
      later: (least, most, work) => this.later(least, most, work),
      told: () => this.#tellAhead(),
    })

  get ahead(): AheadSaid | undefined {
    return Number(this.id.slice(1)) % OLD_OF === 0 ? undefined : this.#ahead.said
  }

  hold(digests: readonly string[]): void {
    this.#ahead.hold(digests)
  }

  #tellAhead(): void {
    const { incarnation, ahead } = this
    const message: Message = {
      kind: 'ahead',
      incarnation,
      ahead,
      filesDone: this.disk.contents.size,
    }
    this.#deps.network.carry(this.id, () => this.send(message, () => {}))
  }

  /** N4: after its first crash an unconfirmed config is tried once more, as long as its time runs. */
  #resume(): boolean {
    const { disk } = this
    const trial = this.#trial
    const left = trial ? trial.endsAtMs - this.#deps.scheduler.nowMs : 0
    const staged = disk.staged
    const isIt =
      trial !== null &&
      trial.crashes < MOST_CRASHES &&
      left > 0 &&
      staged?.generation === trial.generation &&
      staged.generation === disk.maxGeneration &&
      (disk.confirmed?.generation ?? 0) < staged.generation
    if (!isIt || !staged) return false
    this.#offered = staged
    this.#prove(staged, left, 'boot')
    return true
  }

  #noteCrash(): void {
    if (!this.#trial || this.#trial.crashes < MOST_CRASHES) return
    const { generation } = this.#trial
    this.#write(() => {
      this.disk.crash = generation
    })
  }

  /** N3: discarded, and told with the next hello. */
  #discardStaged(): void {
    const { staged, confirmed, crash, maxGeneration } = this.disk
    if (!staged) return
    const isSettled = confirmed !== null && staged.generation <= confirmed.generation
    if (staged.generation > maxGeneration || isSettled) {
      this.#dropStaged()
      return
    }
    const reason = crash === staged.generation ? 'crash_loop' : 'restart'
    this.#result = { given: staged, outcome: 'reverted', reason, effective: this.running }
  }

  #dropStaged(): void {
    this.#write(() => {
      this.disk.staged = null
      this.disk.crash = null
    })
  }

  /** What runs when nothing is under way: what was confirmed, or what a person made of it. */
  #resting(): Effective | null {
    const { confirmed, edited } = this.disk
    if (!confirmed) return null
    const { generation, digest } = confirmed
    return edited === null ? { generation, digest } : { generation, digest: edited, isLocal: true }
  }

  // --- what it says ---

  hello(): Message {
    const { disk, incarnation } = this
    const [lastResult, effective, drift] = [this.#result, this.running, disk.edited]
    return { kind: 'hello', incarnation, lastResult, fences: this.#fences, effective, drift }
  }

  next(): Message | null {
    if (this.#nack) {
      const { given, code } = this.#nack
      return { kind: 'nack', given, code, fences: isFence(code) ? this.#fences : null }
    }
    if (this.#phase === 'acking' && this.#offered) return { kind: 'ack', given: this.#offered }
    if (this.#isResultDue && this.#result) return { kind: 'result', result: this.#result }
    return this.#phase === 'confirming' && this.#offered && this.running
      ? { kind: 'confirm', given: this.#offered, effective: this.running }
      : null
  }

  get #fences() {
    const { maxGeneration, maxEpoch } = this.disk
    return { maxGeneration, maxEpoch }
  }

  get owesAnswer(): boolean {
    return this.#nack !== null || this.#phase === 'acking' || this.#fetching !== null
  }

  get isConfirming(): boolean {
    return this.#phase === 'confirming'
  }

  isCloned(): void {
    this.isRefused = true
  }

  send(message: Message, answer: (answer: Answer) => void): void {
    const { run } = this
    this.#deps.send(this, message, (said) => {
      if (this.run === run) answer(said)
    })
  }

  heard(message: Message, answer: Answer): void {
    const isTaken = answer.code === 'ok'
    switch (message.kind) {
      case 'hello':
        this.isRefused = false
        if (this.#result?.reason === 'restart' || this.#result?.reason === 'crash_loop')
          this.#settle()
        break
      case 'nack':
        if (this.#nack?.given === message.given) this.#nack = null
        break
      case 'ack':
        if (this.#phase !== 'acking' || this.#offered !== message.given) break
        if (isTaken) this.#swap(message.given)
        else this.#letGo()
        break
      case 'result':
        if (this.#result !== message.result) break
        this.#isResultDue = false
        if (!isTaken) this.#phase = 'idle'
        else if (this.#phase === 'proving') this.#phase = 'confirming'
        this.#settle()
        break
      case 'confirm':
        this.#hearConfirmation(message.given, answer)
        break
      case 'desired':
      case 'ahead':
      case 'fetching':
        break
    }
  }

  #hearConfirmation(given: Given, answer: Answer): void {
    if (this.#phase !== 'confirming' || this.#offered !== given) return
    if (answer.code !== 'ok') {
      this.#letGo()
      return
    }
    if (answer.confirmed) {
      this.#keep(given)
      return
    }
    this.#talk.pause(CONFIRM_AGAIN_MS)
  }

  #letGo(): void {
    this.#phase = 'idle'
    this.#settle()
  }

  /** Nothing is under way and the control plane knows it. */
  #settle(): void {
    if (this.#phase === 'idle' && !this.swapped && !this.#isResultDue) this.#dropStaged()
  }

  // --- an assignment, step by step ---

  take(given: Given): void {
    const isUnderWay = this.#phase !== 'idle' && this.#offered?.offerId === given.offerId
    const isOnItsWay = this.#fetching?.offerId === given.offerId
    if (isUnderWay || isOnItsWay || given.generation <= this.have) return
    this.#fetching = null
    const code = this.#refusalOf(given)
    if (code) {
      if (!isFence(code)) this.have = given.generation
      this.#nack = { given, code }
      return
    }
    const { disk } = this
    if (contentsOf(given.digest).length > 0 && !disk.trees.has(given.digest)) {
      this.#fetching = given
      this.#fetch(given)
      return
    }
    this.validated.add(given.digest)
    this.#write(() => {
      this.disk.staged = given
    })
    this.#write(() => {
      this.disk.maxEpoch = given.epoch
      this.disk.maxGeneration = given.generation
      this.disk.maxDigest = given.digest
    })
    this.have = given.generation
    this.#offered = given
    this.#phase = 'acking'
    this.#isResultDue = false
  }

  /** Content by content; it says how far it is. */
  #fetch(given: Given): void {
    const { disk } = this
    const { digest } = given
    const { chance, network } = this.#deps
    const next = firstMissing(disk.contents, digest)
    if (next === undefined) {
      this.#write(() => {
        disk.trees = new Map([...disk.trees, [digest, contentsOf(digest)]])
      })
      this.#fetching = null
      this.take(given)
      this.#talk.go()
      return
    }
    this.later(...FETCH_MS, () => {
      if (this.#fetching !== given) return
      const isRight = !chance.is(WRONG_BYTES)
      // Wrong bytes are not kept: it is fetched again.
      if (isRight) {
        this.#write(() => {
          disk.contents = new Map([...disk.contents, [next, isRight]])
        })
      }
      const files = contentsOf(digest)
      const filesDone = files.filter((name) => disk.contents.has(name)).length
      const said = { kind: 'fetching', files: files.length, filesDone } as const
      network.carry(this.id, () => this.send(said, () => {}))
      this.#fetch(given)
    })
  }

  #refusalOf({ generation, digest, epoch, replacesDrift }: Given): NackCode | null {
    const { maxEpoch, maxGeneration, maxDigest, edited } = this.disk
    if (epoch < maxEpoch) return 'epoch_fenced'
    if (generation < maxGeneration) return 'stale_generation'
    if (generation === maxGeneration && digest !== maxDigest) return 'stale_generation'
    const isSame = this.running?.digest === digest
    const flaw = isSame ? null : this.#deps.flawOf(this.id, digest)
    if (flaw === 'nack') return 'semantic'
    if (flaw === 'unfit') return 'unsupported_version'
    if (flaw === 'busy' && this.#deps.chance.is(0.7)) return 'busy'
    if (edited !== null && replacesDrift !== edited && digest !== edited) return 'local_change'
    return null
  }

  #swap(given: Given): void {
    const isSame = this.running?.digest === given.digest
    const { scheduler } = this.#deps
    this.#trial = {
      generation: given.generation,
      crashes: 0,
      endsAtMs: scheduler.nowMs + CONFIRM_WITHIN_MS,
    }
    if (this.#deps.fails(this)) throw new PowerCut()
    this.#prove(given, CONFIRM_WITHIN_MS, 'swap')
    const flaw = isSame ? null : this.#deps.flawOf(this.id, given.digest)
    if (flaw !== 'stuck') return
    this.#phase = 'idle'
    this.#tell({ given, outcome: 'stuck', reason: 'unconfirmed' })
  }

  /** It runs, and has that long to be confirmed. */
  #prove(given: Given, withinMs: number, change: Change): void {
    const isSame = this.running?.digest === given.digest
    this.swapped = given
    this.#runs({ generation: given.generation, digest: given.digest }, change)
    this.#tell({ given, outcome: 'applied', reason: null })
    this.#phase = 'proving'
    this.later(withinMs, withinMs, () => this.#goBack(given))
    const flaw = isSame ? null : this.#deps.flawOf(this.id, given.digest)
    if (flaw !== 'crash') return
    this.later(500, 5_000, () => {
      if (this.running?.generation === given.generation && this.swapped) this.failProcess()
    })
  }

  #keep(given: Given): void {
    const { disk } = this
    const { edited } = disk
    if (edited !== null && (given.replacesDrift === edited || given.digest === edited)) {
      this.#write(() => {
        disk.edited = null
      })
    }
    this.swapped = null
    this.#phase = 'idle'
    const before = disk.confirmed
    this.#write(() => {
      disk.confirmed = given
      disk.staged = null
    })
    const own = [given, before, this.#fetching].flatMap((one) => one?.digest ?? [])
    const kept = [...own, ...this.#ahead.said.map(({ digest }) => digest)]
    this.#write(() => Object.assign(disk, swept(disk, kept)))
    this.#trial = null
  }

  #goBack(given: Given): void {
    if (this.swapped !== given) return
    this.swapped = null
    this.#trial = null
    if (this.#phase === 'proving' || this.#phase === 'confirming') this.#phase = 'idle'
    this.#runs(this.#resting(), 'expiry')
    this.#tell({ given, outcome: 'reverted', reason: 'unconfirmed' })
    this.#talk.go()
  }

  #tell(result: Omit<Result, 'effective'>): void {
    this.#result = { ...result, effective: this.running }
    this.#isResultDue = true
  }

  /** One rename and its fsync: before it the machine may go down. */
  #write(change: () => void): void {
    if (this.#deps.fails(this)) throw new PowerCut()
    change()
  }

  safely(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error
    }
  }

  #runs(effective: Effective | null, change: Change): void {
    this.running = effective
    this.#deps.onRuns(this, change)
  }

  later(least: number, most: number, work: () => void): void {
    const { run } = this
    this.#deps.scheduler.after(this.#deps.chance.between(least, most), () => {
      if (this.run === run && this.isUp) this.safely(work)
    })
  }
}
