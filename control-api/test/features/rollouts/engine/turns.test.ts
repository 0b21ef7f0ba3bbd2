// SPDX-License-Identifier: MIT
// However large the farm, others have their turn while a rollout is ordered, offered, answered, frozen and taken back:
// counted in statements and in changed rows between two turns of the event loop, so that no clock has a say.
import { expect, test } from 'vitest'
import { measure } from '../../../bench/scale.ts'

/** More than an order stores at once, and than any event changes. */
const NODES = 600
/** Of twenty whose time was over, each an event of its own. Before, it was some 17 for each node. */
const MOST_STATEMENTS = 300
/** An event changes two hundred nodes, each with its task, its offer and two rows of the audit. */
const MOST_CHANGES = 850
/** For so many time passes in a transaction. */
const MOST_TIMED = 500

test('what is done between two turns of the loop does not grow with the farm', async () => {
  const rows = await measure({ sizes: [NODES], answering: 3, say: () => {} })
  expect(rows.length).toBeGreaterThan(15)
  for (const { what, mostStatements, mostChanges } of rows) {
    expect(mostStatements, what).toBeLessThan(MOST_STATEMENTS)
    // One statement takes or frees all leases: a row of each node, and nothing else.
    expect(mostChanges, what).toBeLessThan(NODES + MOST_CHANGES)
  }
  const passing = rows.find(({ what }) => what === 'a second passes')
  expect(passing?.mostChanges).toBeLessThanOrEqual(MOST_TIMED)
}, 120_000)
