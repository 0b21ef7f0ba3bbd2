// SPDX-License-Identifier: MIT
import { replay } from './replay.ts'
import { type Found, nothingYet, type Range, runOne, tell } from './simulate.ts'
import { Tape } from './tape.ts'
import { ALL } from './world.ts'

/** Each seed is played to the real control plane too. */
export async function simulateOverSql({ from, count, scope = ALL }: Range): Promise<Found> {
  const found = nothingYet()
  for (let seed = from; seed < from + count && !found.violation; seed++) {
    const tape = new Tape()
    runOne(found, seed, { tape, scope })
    await replay(tape.notes, scope.nodesAtOnce).catch((error: unknown) => {
      found.violation ??= { seed, message: tell(error) }
    })
  }
  return found
}
