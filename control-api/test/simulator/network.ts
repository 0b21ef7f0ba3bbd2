// SPDX-License-Identifier: MIT
// Between nodes and the control plane: what is sent may be lost, late, said twice or overtaken.
import type { Chance, Scheduler } from './scheduler.ts'

type Faults = { loss: number; repeat: number; longestMs: number }

export class Network {
  readonly #scheduler: Scheduler
  readonly #chance: Chance
  faults: Faults = { loss: 0, repeat: 0, longestMs: 50 }
  readonly cut = new Set<string>()

  constructor(scheduler: Scheduler, chance: Chance) {
    this.#scheduler = scheduler
    this.#chance = chance
  }

  /** Runs `arrive` once, never or twice, sooner or later. */
  carry(nodeId: string, arrive: () => void): void {
    const { loss, repeat } = this.faults
    if (this.cut.has(nodeId) || this.#chance.is(loss)) return
    const times = this.#chance.is(repeat) ? 2 : 1
    for (let i = 0; i < times; i++) {
      this.#scheduler.after(this.#delayMs(), () => {
        if (!this.cut.has(nodeId)) arrive()
      })
    }
  }

  /** Most messages are quick; some are not. */
  #delayMs(): number {
    return this.#chance.is(0.9)
      ? this.#chance.between(1, 20)
      : this.#chance.between(1, this.faults.longestMs)
  }
}
