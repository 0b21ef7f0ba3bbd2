// SPDX-License-Identifier: MIT
// A clock that only the simulation moves, and chances that a seed decides.
import { seededRandom } from '../histogram-of.ts'

type Entry = { atMs: number; order: number; run: () => void }

/** What is due first, first; at the same moment in the order it was asked for. */
export class Scheduler {
  nowMs = 0
  readonly #heap: Entry[] = []
  #order = 0

  after(ms: number, run: () => void): void {
    this.#heap.push({ atMs: this.nowMs + ms, order: this.#order++, run })
    this.#up(this.#heap.length - 1)
  }

  /** False: nothing is left to happen before that time. */
  step(untilMs: number): boolean {
    const [first] = this.#heap
    if (!first || first.atMs > untilMs) return false
    const last = this.#heap.pop()
    if (last && last !== first) {
      this.#heap[0] = last
      this.#down(0)
    }
    this.nowMs = first.atMs
    first.run()
    return true
  }

  #up(from: number): void {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1
      if (!this.#swapIfEarlier(i, parent)) return
      i = parent
    }
  }

  #down(from: number): void {
    for (let i = from; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2]
      const least = this.#isEarlier(right, left) ? right : left
      if (!this.#swapIfEarlier(least, i)) return
      i = least
    }
  }

  #isEarlier(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (!x || !y) return false
    return x.atMs < y.atMs || (x.atMs === y.atMs && x.order < y.order)
  }

  #swapIfEarlier(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (!x || !y || !this.#isEarlier(a, b)) return false
    this.#heap[a] = y
    this.#heap[b] = x
    return true
  }
}

export class Chance {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  is(probability: number): boolean {
    return this.#random() < probability
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1))
  }

  of<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.#random() * list.length)]
    if (picked === undefined) throw new Error('nothing to choose from')
    return picked
  }
}
