// SPDX-License-Identifier: MIT
// How many nodes are in which state, as the console shows them. Page by page: others have their turn between.
import { setImmediate as othersTurn } from 'node:timers/promises'
import { nodesPage } from './store.ts'
import { createNodeView } from './view.ts'

const PAGE = 200

export function createNodeStates(deps: Parameters<typeof createNodeView>[0]) {
  const view = createNodeView(deps)
  return async (): Promise<Map<string, number>> => {
    const counts = new Map<string, number>()
    for (let after: string | undefined; ; await othersTurn()) {
      const rows = await nodesPage(deps.db, { ...EVERY, after })
      for (const { sync } of await view(rows)) {
        counts.set(sync.state, (counts.get(sync.state) ?? 0) + 1)
      }
      after = rows.at(-1)?.name
      if (rows.length < PAGE) return counts
    }
  }
}

const EVERY = {
  ...{ limit: PAGE, scope: null, selector: [], among: [] },
  ...{ name: undefined, q: undefined, cordoned: undefined },
}
