// SPDX-License-Identifier: MIT
import type { Tape } from './tape.ts'
import { type Scope, World } from './world.ts'

export type Found = {
  seeds: number
  rollouts: number
  steps: number
  /** How many rollouts ended in which state. */
  ends: Record<string, number>
  violation: { seed: number; message: string } | null
}

export const nothingYet = (): Found => ({
  seeds: 0,
  rollouts: 0,
  steps: 0,
  ends: {},
  violation: null,
})
export const tell = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

export function runOne(
  found: Found,
  seed: number,
  options: { scope?: Scope; tape?: Tape } = {},
): void {
  found.seeds++
  try {
    const { steps, rollouts, ends } = new World(seed, options).run()
    found.steps += steps
    found.rollouts += rollouts
    for (const [state, n] of Object.entries(ends)) found.ends[state] = (found.ends[state] ?? 0) + n
  } catch (error) {
    found.violation = { seed, message: tell(error) }
  }
}

/** Up to the first seed that breaks a promise. */
export function simulate({ from, count, scope }: Range): Found {
  const found = nothingYet()
  for (let seed = from; seed < from + count && !found.violation; seed++) {
    runOne(found, seed, scope && { scope })
  }
  return found
}
export type Range = { from: number; count: number; scope?: Scope }
