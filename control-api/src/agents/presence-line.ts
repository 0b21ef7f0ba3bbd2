// SPDX-License-Identifier: MIT
// Who came and who fell away, told one after the other: when a network fails all nodes do at once, and each is a
// transaction, so others have their turn between.
import { nextTurn } from '../base/slices.ts'

export type Change = 'connected' | 'disconnected'
type Tell = (nodeId: string, change: Change) => Promise<void>
type Deps = { tell: Tell; onError: (error: unknown, change: Change) => void }

export function createPresenceLine({
  tell,
  onError,
}: Deps): (nodeId: string, change: Change) => void {
  let line: { nodeId: string; change: Change }[] = []
  let isTelling = false
  const work = async () => {
    isTelling = true
    while (line.length > 0) {
      const some = line
      line = []
      for (const { nodeId, change } of some) {
        await tell(nodeId, change).catch((error: unknown) => onError(error, change))
        await nextTurn()
      }
    }
    isTelling = false
  }
  return (nodeId, change) => {
    line.push({ nodeId, change })
    if (!isTelling) void work()
  }
}
