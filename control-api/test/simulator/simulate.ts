// SPDX-License-Identifier: MIT
import { World } from './world.ts'

export type Found = {
  seeds: number
  rollouts: number
  steps: number
  /** How many rollouts ended in which state. */
  ends: Record<string, number>
  violation: { seed: number; message: string } | null
}

/** Up to the first seed that breaks a promise. */
export function simulate({ from, count }: { from: number; count: number }): Found {
  const found: Found = { seeds: 0, rollouts: 0, steps: 0, ends: {}, violation: null }
  for (let seed = from; seed < from + count && !found.violation; seed++) {
    found.seeds++
    try {
      const { steps, rollouts, ends } = new World(seed).run()
      found.steps += steps
      found.rollouts += rollouts
      for (const [state, n] of Object.entries(ends))
        found.ends[state] = (found.ends[state] ?? 0) + n
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      found.violation = { seed, message }
    }
  }
  return found
}
