// SPDX-License-Identifier: MIT
// A plan as a picture.
import { expect, test } from 'vitest'
import { planCells } from '../../../../src/features/rollouts/plan/plan-cells.ts'
import type { PlannedRow } from '../../../../src/features/rollouts/shapes/plan-schema.ts'

const row = (nodeName: string, change: Partial<PlannedRow> = {}): PlannedRow => ({
  ...{ nodeId: `node_${nodeName}`, nodeName, connected: true, fromVersion: 1, changes: true },
  ...{ digest: null, errors: [], group: 'default', kind: 'linux', wave: 0, cordon: null },
  ...{ willRefuse: false, isDrifted: false, requestsPerSecond: null, failureDomain: null },
  ...change,
})

test('has who is in a wave, in the order of the list, with letters, numbers and domains', () => {
  const cordon = { by: 'ana', at: '2026-11-21T09:00:00.000Z', reason: 'disk' }
  const rows = [
    row('a', { requestsPerSecond: 12.3456, failureDomain: 'r1' }),
    row('b', { wave: 2, connected: false, failureDomain: 'r2' }),
    row('c', { wave: 2, isDrifted: true, failureDomain: 'r2' }),
    row('d', { wave: 2, willRefuse: true }),
    row('e', { cordon }),
    row('f', { changes: false }),
  ]
  expect(planCells(rows, 1)).toEqual({
    standings: ['takes', 'away', 'drifted', 'will-refuse'],
    cells: 'abcd',
    waves: [1, 0, 3],
    requestsPerSecond: [12.3, null, null, null],
    domains: ['r2', 'r1', null],
    domainOf: [1, 0, 0, 2],
    names: [
      { nodeId: 'node_b', nodeName: 'b' },
      { nodeId: 'node_c', nodeName: 'c' },
      { nodeId: 'node_d', nodeName: 'd' },
    ],
  })
  expect(planCells(rows, undefined).names).toBeNull()
  expect(planCells([], 0)).toMatchObject({ cells: '', waves: [], domains: [], names: [] })
})
