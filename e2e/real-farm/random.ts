// SPDX-License-Identifier: MIT
// A random sequence that can be had again: of a seed and a name, so that one kind of fault draws the
// same numbers whatever the others do.
import { createHash } from 'node:crypto'

export class Random {
  #state: number

  constructor(seed: number, name: string) {
    this.#state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0)
  }

  /** 0 ≤ x < 1 (mulberry32) */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let z = this.#state
    z = Math.imul(z ^ (z >>> 15), z | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }

  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Small ones as likely as large ones: 1 … `most`, evenly in its logarithm. */
  magnitude(most: number): number {
    return Math.floor(Math.exp(this.next() * Math.log(most)))
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)]
    if (found === undefined) throw new Error('nothing to pick from')
    return found
  }
}
