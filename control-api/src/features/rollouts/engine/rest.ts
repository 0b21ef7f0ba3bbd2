// SPDX-License-Identifier: MIT
// Goes on with what was decided for more nodes than one transaction may change: a part each, with a turn of the loop
// before it, so that nobody waits longer than one part takes. That there is more is stored with the rollout: after a
// crash the engine asks for it anew.
import { nextTurn } from '../../../base/slices.ts'

export function createRest(goOn: (rolloutId: string) => Promise<void>) {
  const waiting = new Set<string>()
  let running: Promise<void> | null = null
  let failure: { error: unknown } | null = null

  async function run(): Promise<void> {
    for (let [rolloutId] = waiting; rolloutId !== undefined; [rolloutId] = waiting) {
      await nextTurn()
      // If it is to go on, it adds itself again: behind the others, so that they all have their turns.
      waiting.delete(rolloutId)
      await goOn(rolloutId).catch((error: unknown) => {
        waiting.add(rolloutId)
        throw error
      })
    }
  }

  function begin(): void {
    running ??= run()
      .catch((error: unknown) => {
        failure = { error }
      })
      .finally(() => {
        running = null
      })
  }

  return {
    add(rolloutId: string): void {
      waiting.add(rolloutId)
      begin()
    },
    /** What failed is tried again, and told: throws what it was. */
    again(): void {
      if (waiting.size > 0) begin()
      const last = failure
      failure = null
      if (last) throw last.error
    },
    async done(): Promise<void> {
      while (running) await running
    },
  }
}
