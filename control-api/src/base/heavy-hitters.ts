// SPDX-License-Identifier: MIT
// What comes most often of what nobody could count one by one: Space-Saving (Metwally, Agrawal, El Abbadi 2005), with
// weights. Bounded: what is not among the counted takes the place of the least of them, and inherits its count; so
// nothing is counted too low, and each is counted too high by at most what it inherited.
export type HeavyHitter = {
  key: string
  /** At most so often. */
  count: number
  /** At least so often less this. */
  overcountAtMost: number
}

export class HeavyHitters {
  readonly #most: number
  readonly #counted = new Map<string, { count: number; inherited: number }>()

  constructor(most: number) {
    this.#most = most
  }

  add(key: string, weight = 1): void {
    const known = this.#counted.get(key)
    if (known) {
      known.count += weight
      return
    }
    const inherited = this.#counted.size < this.#most ? 0 : this.#takeLeast()
    this.#counted.set(key, { count: inherited + weight, inherited })
  }

  /** The most often first. What is not counted came at most as often as the last of all that are. */
  top(most: number): HeavyHitter[] {
    return [...this.#counted]
      .map(([key, { count, inherited }]) => ({ key, count, overcountAtMost: inherited }))
      .toSorted((a, b) => b.count - a.count || a.overcountAtMost - b.overcountAtMost)
      .slice(0, most)
  }

  #takeLeast(): number {
    let [least, count] = ['', Number.POSITIVE_INFINITY]
    for (const [key, one] of this.#counted) {
      if (one.count < count) [least, count] = [key, one.count]
    }
    this.#counted.delete(least)
    return count
  }
}
