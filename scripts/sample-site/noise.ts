// SPDX-License-Identifier: MIT
// Repeatable randomness: the same seed draws the same picture on every machine.

/** A stream of numbers in [0, 1) (mulberry32). */
export function randomStream(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** One number in [0, 1) that belongs to the lattice point (x, y). */
export function hash2(x: number, y: number, seed: number): number {
  let h =
    Math.imul(x | 0, 374761393) ^ Math.imul(y | 0, 668265263) ^ Math.imul(seed | 0, 1274126177)
  h = Math.imul(h ^ (h >>> 13), 1274126177)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

const smooth = (t: number) => t * t * (3 - 2 * t)

/** Value noise in [0, 1). */
export function noise2(x: number, y: number, seed: number): number {
  const x0 = Math.floor(x)
  const y0 = Math.floor(y)
  const u = smooth(x - x0)
  const v = smooth(y - y0)
  const top = hash2(x0, y0, seed) * (1 - u) + hash2(x0 + 1, y0, seed) * u
  const bottom = hash2(x0, y0 + 1, seed) * (1 - u) + hash2(x0 + 1, y0 + 1, seed) * u
  return top * (1 - v) + bottom * v
}

/** Octaves of value noise, in [0, 1). */
export function fractal2(x: number, y: number, seed: number, octaves: number): number {
  let sum = 0
  let weight = 0.5
  let total = 0
  for (let octave = 0; octave < octaves; octave++) {
    const scale = 2 ** octave
    sum += weight * noise2(x * scale, y * scale, seed + octave)
    total += weight
    weight *= 0.5
  }
  return sum / total
}
