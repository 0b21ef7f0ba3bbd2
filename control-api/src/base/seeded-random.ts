// SPDX-License-Identifier: MIT
/** Of a name and a number: the same two, the same seed. */
export const seedOf = (name: string, number: number): number =>
  [...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, number)

/** A small seeded generator (mulberry32): the same seed, the same numbers. Not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
