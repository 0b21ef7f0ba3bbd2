// SPDX-License-Identifier: MIT
// However large the farm, others have their turn while a rollout is ordered, offered, answered, frozen and taken back:
// counted in statements and in changed rows between two turns of the event loop, so that no clock has a say.
import { expect, test } from 'vitest'
import { measure } from '../../../bench/scale.ts'

/** More than an order stores at once, and than any event changes. */
const NODES = 600
/** Of twenty whose time was over, each an event of its own. Before, it was some 17 for each node. */
const MOST_STATEMENTS = 300
/** An event changes a hundred nodes, with a row or two of the audit for each. */
const MOST_CHANGES = 400

test('what is done between two turns of the loop does not grow with the farm', async () => {
  const rows = await measure({ sizes: [NODES], answering: 3, say: () => {} })
  expect(rows.length).toBeGreaterThan(15)
  for (const { what, mostStatements, mostChanges } of rows) {
    expect(mostStatements, what).toBeLessThan(MOST_STATEMENTS)
    // One statement takes or frees all leases, and one lets time pass for all: a row of each node, and nothing else.
    expect(mostChanges, what).toBeLessThan(NODES + MOST_CHANGES)
  }
}, 120_000)
