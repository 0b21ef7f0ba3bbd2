// SPDX-License-Identifier: MIT
// Who came and who fell away, told in their order and some at once: when a network fails all nodes do in one moment, so
// others have their turn between.
import { inSlices, nextTurn } from '../base/slices.ts'

/** They share a transaction (audit/joined-write.ts). */
const TOLD_AT_ONCE = 25

export type Change = 'connected' | 'disconnected'
type Tell = (nodeId: string, change: Change) => Promise<void>
type Deps = { tell: Tell; onError: (error: unknown, change: Change) => void }

export function createPresenceLine({ tell, onError }: Deps) {
  let line: { nodeId: string; change: Change }[] = []
  let telling: Promise<void> | null = null
  let isClosed = false
  const work = async () => {
    while (line.length > 0) {
      const some = line
      line = []
      for (const slice of inSlices(some, TOLD_AT_ONCE)) {
        if (isClosed) return
        await Promise.all(
          slice.map(({ nodeId, change }) =>
            tell(nodeId, change).catch((error: unknown) => onError(error, change)),
          ),
        )
        await nextTurn()
      }
    }
    telling = null
  }
  return {
    add(nodeId: string, change: Change): void {
      if (isClosed) return
      line.push({ nodeId, change })
      telling ??= work()
    },
    /** Whoever is left is told nothing: the next start hears of all anew. */
    async close(): Promise<void> {
      isClosed = true
      await telling
    },
  }
}
