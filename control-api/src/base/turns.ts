// SPDX-License-Identifier: MIT
// So much at a time and no more: who comes then waits in a line of its caller's own, and the callers take
// turns. A line that is full, or a wait that is too long, is a refusal: nothing piles up.

export type TurnLimits = {
  /** What may be under way at once, of all callers and of one; in whatever a weight counts. */
  capacity: number
  perCaller: number
  /** How many may wait, of all callers and of one. */
  waiting: number
  waitingPerCaller: number
  waitMs: number
}
/** caller: its own line is full. all: too many wait, or it took too long. gone: the asker has left. */
export type NoTurnReason = 'caller' | 'all' | 'gone'
export class NoTurn extends Error {
  readonly reason: NoTurnReason
  constructor(reason: NoTurnReason) {
    super(`no turn: ${reason}`)
    this.reason = reason
  }
}
/** Ends the turn; again is harmless. */
export type EndTurn = () => void

type Waiting = { weight: number; begin: () => void }
type Caller = { used: number; line: Waiting[] }

export class Turns {
  readonly #limits: TurnLimits
  /** In the order of whose turn is next. */
  readonly #callers = new Map<string, Caller>()
  #used = 0
  #waiting = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#waiting
  }

  /** null: it would have to wait. */
  takeNow(caller: string, weight: number): EndTurn | null {
    const asking = this.#callers.get(caller) ?? { used: 0, line: [] }
    const own = this.#ownOf(weight)
    if (asking.line.length > 0 || this.#waiting > 0 || !this.#fits(asking, own)) return null
    this.#callers.set(caller, asking)
    return this.#begin(caller, asking, own)
  }

  /** Rejects with NoTurn. `gone` takes who waits out of the line. */
  take(caller: string, weight: number, gone?: AbortSignal): Promise<EndTurn> {
    const endNow = this.takeNow(caller, weight)
    if (endNow) return Promise.resolve(endNow)
    const { waiting, waitingPerCaller, waitMs } = this.#limits
    const own = this.#ownOf(weight)
    const asking = this.#callers.get(caller) ?? { used: 0, line: [] }
    this.#callers.set(caller, asking)
    if (asking.line.length >= waitingPerCaller) return this.#refuse(caller, 'caller')
    if (this.#waiting >= waiting) return this.#refuse(caller, 'all')
    return new Promise((resolve, reject) => {
      const leave = (reason: NoTurnReason) => {
        this.#takeOut(asking, waiter)
        this.#forget(caller)
        reject(new NoTurn(reason))
        // Who came after may be lighter.
        this.#advance()
      }
      const onGone = () => {
        clearTimeout(timer)
        leave('gone')
      }
      const timer = setTimeout(() => {
        gone?.removeEventListener('abort', onGone)
        leave('all')
      }, waitMs)
      const waiter: Waiting = {
        weight: own,
        begin: () => {
          clearTimeout(timer)
          gone?.removeEventListener('abort', onGone)
          resolve(this.#begin(caller, asking, own))
        },
      }
      asking.line.push(waiter)
      this.#waiting++
      gone?.addEventListener('abort', onGone, { once: true })
      this.#advance()
    })
  }

  /** What is heavier than all there is goes alone. */
  #ownOf(weight: number): number {
    return Math.min(weight, this.#limits.perCaller, this.#limits.capacity)
  }

  #fits({ used }: Caller, weight: number): boolean {
    const { perCaller, capacity } = this.#limits
    return used + weight <= perCaller && this.#used + weight <= capacity
  }

  #begin(caller: string, asking: Caller, weight: number): EndTurn {
    asking.used += weight
    this.#used += weight
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      asking.used -= weight
      this.#used -= weight
      this.#forget(caller)
      this.#advance()
    }
  }

  #refuse(caller: string, reason: NoTurnReason): Promise<never> {
    this.#forget(caller)
    return Promise.reject(new NoTurn(reason))
  }

  #takeOut({ line }: Caller, waiter: Waiting): void {
    line.splice(line.indexOf(waiter), 1)
    this.#waiting--
  }

  #advance(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const { caller, asking, waiter } = next
      this.#takeOut(asking, waiter)
      // Served last, so asked last.
      this.#callers.delete(caller)
      this.#callers.set(caller, asking)
      waiter.begin()
    }
  }

  /** The first who may begin. Who only waits for room is not passed by: it would wait for ever. */
  #next(): { caller: string; asking: Caller; waiter: Waiting } | null {
    for (const [caller, asking] of this.#callers) {
      const waiter = asking.line[0]
      if (!waiter) continue
      if (this.#fits(asking, waiter.weight)) return { caller, asking, waiter }
      const isOwnFault = asking.used + waiter.weight > this.#limits.perCaller
      if (!isOwnFault) return null
    }
    return null
  }

  #forget(caller: string): void {
    const known = this.#callers.get(caller)
    if (known?.used === 0 && known.line.length === 0) this.#callers.delete(caller)
  }
}
